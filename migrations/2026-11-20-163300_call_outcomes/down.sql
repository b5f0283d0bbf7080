DROP TRIGGER calls_count_outcome ON calls;
DROP TRIGGER calls_count_outcome_later ON calls;
DROP FUNCTION count_call_outcome;
DROP TABLE call_outcome_totals;
DROP TABLE call_outcomes;
DROP INDEX calls_by_duration;
CREATE INDEX calls_by_duration ON calls (organization_id, duration_seconds, id) INCLUDE (call_type, created_at);
DROP INDEX calls_by_standing;
ALTER TABLE calls DROP COLUMN standing;
