DELETE FROM sign_in_failures WHERE failures < 1;
ALTER TABLE sign_in_failures
    DROP CONSTRAINT sign_in_failures_failures_check,
    ADD CONSTRAINT sign_in_failures_failures_check CHECK (failures >= 1);
DROP INDEX one_time_links_by_expiry;
DROP INDEX one_time_links_of_set_up;
