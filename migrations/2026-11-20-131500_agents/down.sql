-- Fails while there are AI assistants: an older release has no place for them, and their calls name them.
ALTER TABLE assistants
    DROP CONSTRAINT assistants_cascade_keys,
    DROP CONSTRAINT assistants_realtime_key,
    DROP CONSTRAINT assistants_script_or_agent,
    DROP COLUMN speech_key,
    DROP COLUMN transcription_key,
    DROP COLUMN chat_key,
    DROP COLUMN realtime_key,
    DROP COLUMN variables,
    DROP COLUMN conduct,
    DROP COLUMN agent;
ALTER TABLE assistants ALTER COLUMN script SET NOT NULL;
ALTER TABLE assistants DROP CONSTRAINT assistants_engine_check;
ALTER TABLE assistants ADD CONSTRAINT assistants_engine_check CHECK (engine IN ('builtin'));
