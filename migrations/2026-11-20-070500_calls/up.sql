-- One index for the key and for the references: ids are unique by themselves.
CREATE TABLE contacts (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    name text,
    phone_number text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, organization_id, id),
    FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations (tenant_id, id)
);

-- Calls of all three types. No unique key but the id, so that it can be partitioned by range of it.
CREATE TABLE calls (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    call_type text NOT NULL CHECK (call_type IN ('Inbound', 'Outbound', 'Web')),
    assistant_id uuid,
    number_id uuid,
    user_phone_number text,
    user_name text,
    started_at timestamptz,
    ended_at timestamptz,
    duration_seconds bigint CHECK (duration_seconds >= 0),
    ended_reason text CHECK (ended_reason IN (
        'customer-ended-call', 'assistant-ended-call', 'assistant-forwarded-call', 'silence-timed-out',
        'exceeded-max-duration', 'voicemail', 'customer-busy', 'customer-declined', 'no-answer',
        'invalid-number', 'trunk-rejected', 'trunk-error', 'trunk-unreachable', 'capacity-exceeded',
        'assistant-error', 'media-timeout', 'service-interrupted', 'manually-ended')),
    user_primary_intent text,
    user_sentiment text,
    outcome text,
    summary text,
    summary_fr text,
    created_at timestamptz NOT NULL,
    CHECK ((ended_at IS NULL) = (ended_reason IS NULL)),
    CHECK (duration_seconds IS NULL OR (started_at IS NOT NULL AND ended_at IS NOT NULL)),
    FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations (tenant_id, id),
    FOREIGN KEY (tenant_id, organization_id, assistant_id) REFERENCES assistants (tenant_id, organization_id, id),
    FOREIGN KEY (tenant_id, organization_id, number_id) REFERENCES numbers (tenant_id, organization_id, id)
);

-- List filters and sorts: by time, by type, by assistant (names are looked up first), by intent, by length.
CREATE INDEX calls_by_creation ON calls (organization_id, created_at, id);
CREATE INDEX calls_by_type ON calls (organization_id, call_type, created_at, id);
CREATE INDEX calls_by_assistant ON calls (organization_id, assistant_id, created_at, id);
CREATE INDEX calls_by_intent ON calls (organization_id, lower(user_primary_intent), created_at, id)
    WHERE user_primary_intent IS NOT NULL;
CREATE INDEX calls_by_duration ON calls (organization_id, duration_seconds, id);

CREATE TABLE outbound_calls (
    call_id uuid PRIMARY KEY REFERENCES calls,
    tenant_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    trunk_id uuid NOT NULL,
    variables jsonb NOT NULL,
    callback_url text,
    status text NOT NULL CHECK (status IN ('calling', 'completed', 'failed', 'busy', 'no-answer')),
    -- The final SIP response, for people; never shown by the interface.
    sip_code integer CHECK (sip_code BETWEEN 300 AND 699),
    sip_phrase text,
    CHECK ((sip_code IS NULL) = (sip_phrase IS NULL)),
    FOREIGN KEY (tenant_id, organization_id, contact_id) REFERENCES contacts (tenant_id, organization_id, id),
    FOREIGN KEY (tenant_id, trunk_id) REFERENCES trunks (tenant_id, id)
);

-- Who carries a call, and what is known of its dialog (RFC 3261 §12). Every write is guarded by
-- owner and epoch.
CREATE TABLE call_legs (
    call_id uuid NOT NULL REFERENCES outbound_calls,
    leg smallint NOT NULL CHECK (leg >= 1),
    owner uuid NOT NULL REFERENCES boots,
    epoch integer NOT NULL CHECK (epoch >= 1),
    state text NOT NULL CHECK (state IN ('dialling', 'ringing', 'connected', 'ended')),
    rang_at timestamptz,
    answered_at timestamptz,
    trunk_id uuid NOT NULL REFERENCES trunks,
    sip_call_id text NOT NULL,
    local_tag text NOT NULL,
    branch text NOT NULL,
    first_cseq bigint NOT NULL CHECK (first_cseq BETWEEN 0 AND 4294967295),
    request_uri text NOT NULL,
    from_header text NOT NULL,
    to_header text NOT NULL,
    transport text NOT NULL CHECK (transport IN ('udp', 'tcp', 'tls')),
    gateway text NOT NULL,
    remote_tag text,
    remote_target text,
    route_set text[] NOT NULL DEFAULT '{}',
    local_cseq bigint NOT NULL CHECK (local_cseq BETWEEN 0 AND 4294967295),
    PRIMARY KEY (call_id, leg),
    CHECK (state <> 'dialling' OR (rang_at IS NULL AND answered_at IS NULL)),
    CHECK (state <> 'ringing' OR (rang_at IS NOT NULL AND answered_at IS NULL)),
    CHECK (state <> 'connected' OR answered_at IS NOT NULL)
) WITH (fillfactor = 70);

CREATE INDEX call_legs_live ON call_legs (owner, call_id) WHERE state <> 'ended';

-- The counted lines of a trunk; a call holds one from acceptance to end.
CREATE TABLE trunk_lines (
    trunk_id uuid NOT NULL REFERENCES trunks,
    line bigint NOT NULL CHECK (line >= 1),
    call_id uuid REFERENCES outbound_calls,
    PRIMARY KEY (trunk_id, line)
) WITH (fillfactor = 50);

CREATE INDEX trunk_lines_free ON trunk_lines (trunk_id, line) WHERE call_id IS NULL;
CREATE UNIQUE INDEX trunk_lines_taken ON trunk_lines (call_id) WHERE call_id IS NOT NULL;

-- Append-only deltas from which exact totals are made; folded in the background.
CREATE TABLE call_counts (
    organization_id uuid NOT NULL,
    hour timestamptz NOT NULL,
    call_type text NOT NULL CHECK (call_type IN ('Inbound', 'Outbound', 'Web')),
    calls bigint NOT NULL
);

CREATE INDEX call_counts_by_hour ON call_counts (organization_id, call_type, hour) INCLUDE (calls);
