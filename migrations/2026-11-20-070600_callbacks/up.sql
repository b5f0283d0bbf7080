CREATE TABLE callbacks (
    call_id uuid PRIMARY KEY REFERENCES outbound_calls,
    tenant_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    url text NOT NULL,
    -- host:port, by which tries at a time are bounded.
    destination text NOT NULL,
    -- The request body as it was frozen at the end of the call: every try sends these bytes.
    body bytea NOT NULL,
    prepared_at timestamptz NOT NULL,
    state text NOT NULL CHECK (state IN ('pending', 'delivered', 'given-up')),
    due_at timestamptz NOT NULL,
    claimed_by uuid,
    -- Null while a claim that came with the end of the call has not been taken up.
    claimed_at timestamptz,
    lease_until timestamptz,
    tries smallint NOT NULL DEFAULT 0 CHECK (tries BETWEEN 0 AND 4),
    CHECK ((claimed_by IS NULL) = (lease_until IS NULL)),
    CHECK (claimed_by IS NOT NULL OR claimed_at IS NULL),
    CHECK (state = 'pending' OR claimed_by IS NULL),
    FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations (tenant_id, id)
) WITH (fillfactor = 70);

-- When a pending row may be claimed: at its due time, or when the lease on it is over.
CREATE INDEX callbacks_ready ON callbacks (COALESCE(lease_until, due_at)) WHERE state = 'pending';
CREATE INDEX callbacks_claimed ON callbacks (claimed_by) WHERE claimed_by IS NOT NULL;

CREATE TABLE callback_tries (
    call_id uuid NOT NULL REFERENCES callbacks,
    try smallint NOT NULL CHECK (try BETWEEN 1 AND 4),
    began_at timestamptz NOT NULL,
    took_ms bigint NOT NULL CHECK (took_ms >= 0),
    outcome text NOT NULL CHECK (outcome IN ('answered', 'timed-out', 'broken', 'refused')),
    http_status integer,
    detail text,
    PRIMARY KEY (call_id, try),
    CHECK ((outcome = 'answered') = (http_status IS NOT NULL))
);
