CREATE TABLE api_keys (
    id uuid PRIMARY KEY,
    -- SHA-256 of the whole key; the key itself is never stored.
    digest bytea NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
    tenant_id uuid NOT NULL REFERENCES tenants,
    organization_id uuid,
    name text NOT NULL,
    permissions text[] NOT NULL
        CHECK (permissions <@ ARRAY['calls:read', 'outbound:read', 'outbound:create']),
    created_at timestamptz NOT NULL,
    last_used_at timestamptz,
    revoked_at timestamptz,
    FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations (tenant_id, id)
);

CREATE INDEX api_keys_by_creation ON api_keys (tenant_id, created_at, id);
CREATE INDEX api_keys_live ON api_keys (organization_id) WHERE revoked_at IS NULL;

CREATE TABLE signing_secrets (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    -- XChaCha20-Poly1305, bound to this table, column and id.
    secret bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Null for the secret in force; the one before signs beside it until then.
    expires_at timestamptz,
    FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations (tenant_id, id)
);

CREATE UNIQUE INDEX signing_secrets_current ON signing_secrets (organization_id) WHERE expires_at IS NULL;
CREATE UNIQUE INDEX signing_secrets_previous ON signing_secrets (organization_id) WHERE expires_at IS NOT NULL;
