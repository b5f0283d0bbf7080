-- Tries by hand, beside those of the schedule: counted when they are begun, one at a time.
ALTER TABLE callbacks
    ADD COLUMN manual_tries smallint NOT NULL DEFAULT 0 CHECK (manual_tries BETWEEN 0 AND 20),
    ADD COLUMN manual_by uuid,
    -- Whoever has not told by then how it went makes room for another.
    ADD COLUMN manual_until timestamptz,
    ADD CONSTRAINT callbacks_manual_claim CHECK ((manual_by IS NULL) = (manual_until IS NULL)),
    ADD CONSTRAINT callbacks_manual_after_schedule CHECK (state <> 'pending' OR manual_tries = 0);

ALTER TABLE callback_tries
    DROP CONSTRAINT callback_tries_try_check,
    ADD CONSTRAINT callback_tries_try_check CHECK (try BETWEEN 1 AND 24),
    ADD COLUMN manual boolean NOT NULL DEFAULT false,
    -- Who made it by hand.
    ADD COLUMN actor text CHECK (actor IN ('user', 'key', 'operator')),
    ADD COLUMN actor_id uuid,
    ADD COLUMN actor_name text,
    ADD CONSTRAINT callback_tries_manual CHECK (manual = (actor IS NOT NULL));

-- An organization's callbacks, the newest call first, all or of one state.
CREATE INDEX callbacks_of_organization ON callbacks (organization_id, call_id);
CREATE INDEX callbacks_by_state ON callbacks (organization_id, state, call_id);
