-- Of an account as it is tried from one address: until when it does not wait there for what fails elsewhere,
-- since it signed in there.
ALTER TABLE sign_in_failures ADD COLUMN known_until timestamptz;
DROP INDEX sign_in_failures_by_age;
CREATE INDEX sign_in_failures_by_age ON sign_in_failures (GREATEST(last_at, known_until));
