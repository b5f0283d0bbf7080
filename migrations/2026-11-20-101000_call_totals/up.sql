-- What the deltas in call_counts are folded into, so that a total over any span of time is a sum of few
-- rows. Calls that are in a delta are in no total, and the reverse; deltas from before are folded like
-- all others.
CREATE TABLE call_totals (
    organization_id uuid NOT NULL,
    span text NOT NULL CHECK (span IN ('hour', 'day', 'month', 'all')),
    call_type text NOT NULL CHECK (call_type IN ('Inbound', 'Outbound', 'Web')),
    -- The span's first moment (UTC); -infinity for 'all'.
    starts timestamptz NOT NULL,
    calls bigint NOT NULL,
    PRIMARY KEY (organization_id, span, call_type, starts)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Rows come and go: what is gone must not be read again and again.
ALTER TABLE call_counts SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 5000);

-- Every filter can be judged, and every match counted, from the index alone. Case is folded by ICU, because
-- a database may be in the locale "C"; the order stays bytewise, so that no version of ICU changes it.
DROP INDEX calls_by_assistant;
CREATE INDEX calls_by_assistant ON calls (organization_id, assistant_id, created_at, id)
    INCLUDE (call_type, duration_seconds);
DROP INDEX calls_by_intent;
CREATE INDEX calls_by_intent
    ON calls (organization_id, (upper(user_primary_intent COLLATE "und-x-icu")) COLLATE "C", created_at, id)
    INCLUDE (user_primary_intent, call_type, assistant_id, duration_seconds)
    WHERE user_primary_intent IS NOT NULL;
DROP INDEX calls_by_duration;
CREATE INDEX calls_by_duration ON calls (organization_id, duration_seconds, id) INCLUDE (call_type, created_at);
