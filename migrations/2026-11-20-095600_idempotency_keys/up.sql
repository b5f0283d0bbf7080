-- What requests with an Idempotency-Key were answered with. Written together with what they made, so
-- that the unique index makes a twin wait for the first.
CREATE TABLE idempotency_keys (
    tenant_id uuid NOT NULL REFERENCES tenants,
    -- Null for the keys of tenant-level API keys.
    organization_id uuid,
    -- Which of the interface's POSTs: equal keys of the other are other keys.
    operation text NOT NULL CHECK (operation IN ('organization', 'outbound')),
    key text NOT NULL,
    -- SHA-256 of what was asked.
    fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
    -- What was made.
    resource_id uuid NOT NULL,
    -- What the answer said beyond the ids.
    answer jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations (tenant_id, id)
);

CREATE UNIQUE INDEX idempotency_keys_taken
    ON idempotency_keys (tenant_id, organization_id, operation, key) NULLS NOT DISTINCT;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
