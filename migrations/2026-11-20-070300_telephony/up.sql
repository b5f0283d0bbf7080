CREATE TABLE trunks (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    name text NOT NULL,
    host text NOT NULL,
    port integer CHECK (port BETWEEN 1 AND 65535),
    transport text NOT NULL CHECK (transport IN ('udp', 'tcp', 'tls')),
    username text,
    -- XChaCha20-Poly1305, bound to this table, column and id.
    password bytea,
    register boolean NOT NULL,
    from_domain text,
    default_country text,
    max_calls bigint CHECK (max_calls BETWEEN 0 AND 4294967295),
    calls_per_second bigint CHECK (calls_per_second BETWEEN 0 AND 4294967295),
    created_at timestamptz NOT NULL,
    UNIQUE (tenant_id, id),
    CHECK ((username IS NULL) = (password IS NULL))
);

CREATE TABLE numbers (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    trunk_id uuid NOT NULL,
    number text NOT NULL,
    created_at timestamptz NOT NULL,
    UNIQUE (tenant_id, organization_id, id),
    FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations (tenant_id, id),
    FOREIGN KEY (tenant_id, trunk_id) REFERENCES trunks (tenant_id, id)
);

CREATE TABLE teams (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamptz NOT NULL,
    UNIQUE (organization_id, name),
    UNIQUE (tenant_id, organization_id, id),
    FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations (tenant_id, id)
);

CREATE TABLE assistants (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    team_id uuid,
    name text NOT NULL,
    engine text NOT NULL CHECK (engine IN ('builtin')),
    script jsonb NOT NULL,
    language text NOT NULL,
    max_duration_ms bigint NOT NULL CHECK (max_duration_ms > 0),
    silence_ms bigint NOT NULL CHECK (silence_ms > 0),
    reprompt_ms bigint NOT NULL CHECK (reprompt_ms > 0),
    created_at timestamptz NOT NULL,
    UNIQUE (tenant_id, organization_id, id),
    FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations (tenant_id, id),
    FOREIGN KEY (tenant_id, organization_id, team_id) REFERENCES teams (tenant_id, organization_id, id)
);

CREATE INDEX assistants_of_organization ON assistants (organization_id, name);
