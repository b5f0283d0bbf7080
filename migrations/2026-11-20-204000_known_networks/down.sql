DROP INDEX sign_in_failures_by_age;
ALTER TABLE sign_in_failures DROP COLUMN known_until;
CREATE INDEX sign_in_failures_by_age ON sign_in_failures (last_at);
