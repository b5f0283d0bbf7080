-- How a call stands or ended, from its reason and its answer, so that nodes of earlier versions, which know
-- nothing of it, keep it right too; as the domain decides it (EndedReason::status).
ALTER TABLE calls ADD COLUMN standing text NOT NULL GENERATED ALWAYS AS (CASE
    WHEN ended_reason IS NULL THEN 'calling'
    WHEN ended_reason IN ('customer-ended-call', 'assistant-ended-call', 'assistant-forwarded-call',
        'silence-timed-out', 'exceeded-max-duration', 'voicemail') THEN 'completed'
    WHEN ended_reason = 'manually-ended' AND started_at IS NOT NULL THEN 'completed'
    WHEN ended_reason IN ('customer-busy', 'customer-declined') THEN 'busy'
    WHEN ended_reason = 'no-answer' THEN 'no-answer'
    ELSE 'failed'
END) STORED;

-- Lists by status, and the calls that are live.
CREATE INDEX calls_by_standing ON calls (organization_id, standing, created_at, id) INCLUDE (call_type, assistant_id);
-- By length, a status is passed over like a type.
DROP INDEX calls_by_duration;
CREATE INDEX calls_by_duration ON calls (organization_id, duration_seconds, id)
    INCLUDE (call_type, created_at, standing);

-- Append-only deltas of calls that are over, by half hours: with those the days of every zone can be summed
-- that an organization may be in, also where noon is at half past (America/St_Johns).
CREATE TABLE call_outcomes (
    organization_id uuid NOT NULL,
    half_hour timestamptz NOT NULL,
    call_type text NOT NULL CHECK (call_type IN ('Inbound', 'Outbound', 'Web')),
    status text NOT NULL CHECK (status IN ('completed', 'failed', 'busy', 'no-answer')),
    calls bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 5000);

CREATE INDEX call_outcomes_by_time ON call_outcomes (organization_id, half_hour) INCLUDE (call_type, status, calls);

-- What they are folded into. Calls that are in a delta are in no total, and the reverse.
CREATE TABLE call_outcome_totals (
    organization_id uuid NOT NULL,
    span text NOT NULL CHECK (span IN ('half', 'hour', 'day', 'month')),
    -- The span's first moment (UTC).
    starts timestamptz NOT NULL,
    call_type text NOT NULL CHECK (call_type IN ('Inbound', 'Outbound', 'Web')),
    status text NOT NULL CHECK (status IN ('completed', 'failed', 'busy', 'no-answer')),
    calls bigint NOT NULL,
    PRIMARY KEY (organization_id, span, starts, call_type, status) INCLUDE (calls)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Nobody ends a call between this and the triggers: the new column has locked the table.
INSERT INTO call_outcome_totals (organization_id, span, starts, call_type, status, calls)
SELECT organization_id, span, starts, call_type, status, sum(calls)
FROM (
    SELECT organization_id, date_bin('30 minutes', created_at, '2000-01-01Z') AS half_hour, call_type,
        standing AS status, count(*) AS calls
    FROM calls WHERE standing <> 'calling' GROUP BY 1, 2, 3, 4
) counted CROSS JOIN LATERAL (VALUES
    ('half', half_hour),
    ('hour', date_trunc('hour', half_hour, 'UTC')),
    ('day', date_trunc('day', half_hour, 'UTC')),
    ('month', date_trunc('month', half_hour, 'UTC'))
) AS part (span, starts)
GROUP BY 1, 2, 3, 4, 5;

-- The table counts its own ends: whoever ends a call, a node of an earlier version too, cannot leave the
-- count behind.
CREATE FUNCTION count_call_outcome() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO call_outcomes (organization_id, half_hour, call_type, status, calls)
    VALUES (NEW.organization_id, date_bin('30 minutes', NEW.created_at, '2000-01-01Z'), NEW.call_type,
        NEW.standing, 1);
    RETURN NULL;
END $$;

CREATE TRIGGER calls_count_outcome AFTER INSERT ON calls
    FOR EACH ROW WHEN (NEW.ended_reason IS NOT NULL) EXECUTE FUNCTION count_call_outcome();
CREATE TRIGGER calls_count_outcome_later AFTER UPDATE OF ended_reason ON calls
    FOR EACH ROW WHEN (OLD.ended_reason IS NULL AND NEW.ended_reason IS NOT NULL)
    EXECUTE FUNCTION count_call_outcome();
