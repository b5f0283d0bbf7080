DROP INDEX calls_by_duration;
CREATE INDEX calls_by_duration ON calls (organization_id, duration_seconds, id);
DROP INDEX calls_by_intent;
CREATE INDEX calls_by_intent ON calls (organization_id, lower(user_primary_intent), created_at, id)
    WHERE user_primary_intent IS NOT NULL;
DROP INDEX calls_by_assistant;
CREATE INDEX calls_by_assistant ON calls (organization_id, assistant_id, created_at, id);

ALTER TABLE call_counts RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold,
    autovacuum_vacuum_insert_scale_factor, autovacuum_vacuum_insert_threshold);

-- Unfolded again: the hours say it all.
INSERT INTO call_counts (organization_id, hour, call_type, calls)
    SELECT organization_id, starts, call_type, calls FROM call_totals WHERE span = 'hour';
DROP TABLE call_totals;
