DROP INDEX callbacks_by_state;
DROP INDEX callbacks_of_organization;

DELETE FROM callback_tries WHERE manual;
ALTER TABLE callback_tries
    DROP CONSTRAINT callback_tries_manual,
    DROP COLUMN actor_name,
    DROP COLUMN actor_id,
    DROP COLUMN actor,
    DROP COLUMN manual,
    DROP CONSTRAINT callback_tries_try_check,
    ADD CONSTRAINT callback_tries_try_check CHECK (try BETWEEN 1 AND 4);

ALTER TABLE callbacks
    DROP CONSTRAINT callbacks_manual_after_schedule,
    DROP CONSTRAINT callbacks_manual_claim,
    DROP COLUMN manual_until,
    DROP COLUMN manual_by,
    DROP COLUMN manual_tries;
