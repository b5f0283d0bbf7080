-- People of a tenant, or of one organization of it, who sign in to the dashboard.
CREATE TABLE users (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    organization_id uuid,
    email text NOT NULL,
    -- As it is compared: folded by the application.
    email_folded text NOT NULL,
    role text NOT NULL CHECK (role IN ('admin', 'member', 'viewer')),
    -- Argon2id in PHC form; null until an invitation is accepted.
    password text,
    created_at timestamptz NOT NULL,
    signed_in_at timestamptz,
    removed_at timestamptz,
    FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations (tenant_id, id)
);

CREATE UNIQUE INDEX users_by_email ON users (email_folded) WHERE removed_at IS NULL;
CREATE INDEX users_of_tenant ON users (tenant_id, created_at, id) WHERE removed_at IS NULL;

CREATE TABLE sessions (
    -- SHA-256 of the cookie's value.
    digest bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
    user_id uuid NOT NULL REFERENCES users,
    created_at timestamptz NOT NULL,
    -- Noted at most once a minute.
    seen_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    address text,
    user_agent text
);

CREATE INDEX sessions_of_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- One-time links: an invitation of a user, or the first set-up of an empty installation.
CREATE TABLE one_time_links (
    -- SHA-256 of the link's last part.
    digest bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
    -- Null for the set-up of an empty installation.
    user_id uuid REFERENCES users,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE UNIQUE INDEX one_time_links_of_user ON one_time_links (user_id);

-- Failed sign-ins, by account and by address: who failed often waits.
CREATE TABLE sign_in_failures (
    -- 'account:' and a folded e-mail address, or 'address:' and an IP address (IPv6 by /64).
    subject text PRIMARY KEY,
    failures integer NOT NULL CHECK (failures >= 1),
    last_at timestamptz NOT NULL
);

CREATE INDEX sign_in_failures_by_age ON sign_in_failures (last_at);

-- Who did what, when, from where. Written in the transaction of what was done, and never changed.
CREATE TABLE audit_entries (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    organization_id uuid,
    at timestamptz NOT NULL,
    actor text NOT NULL CHECK (actor IN ('user', 'key', 'operator')),
    actor_id uuid,
    -- The user's e-mail address at the time.
    actor_name text,
    address text,
    action text NOT NULL,
    subject text NOT NULL,
    subject_name text,
    CHECK ((actor = 'operator') = (actor_id IS NULL)),
    FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations (tenant_id, id)
);

CREATE INDEX audit_entries_of_tenant ON audit_entries (tenant_id, at, id);
CREATE INDEX audit_entries_of_organization ON audit_entries (organization_id, at, id);
