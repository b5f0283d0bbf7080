-- The set-up of an empty installation has one link at a time.
CREATE UNIQUE INDEX one_time_links_of_set_up ON one_time_links ((user_id IS NULL)) WHERE user_id IS NULL;
CREATE INDEX one_time_links_by_expiry ON one_time_links (expires_at);

-- A success takes the failure back that its try was counted as.
ALTER TABLE sign_in_failures
    DROP CONSTRAINT sign_in_failures_failures_check,
    ADD CONSTRAINT sign_in_failures_failures_check CHECK (failures >= 0);
