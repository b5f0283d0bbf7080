-- Assistants that are an AI: who they play and which providers they are made of, without a key in it.
ALTER TABLE assistants DROP CONSTRAINT assistants_engine_check;
ALTER TABLE assistants ADD CONSTRAINT assistants_engine_check CHECK (engine IN ('builtin', 'realtime', 'cascade'));
ALTER TABLE assistants ALTER COLUMN script DROP NOT NULL;
ALTER TABLE assistants
    ADD COLUMN agent jsonb,
    -- What an assistant does whatever its engine; an older node's inserts get what was usual then.
    ADD COLUMN conduct jsonb NOT NULL
        DEFAULT '{"records": true, "recording_notice": null, "voicemail": null, "outcomes": []}',
    ADD COLUMN variables jsonb NOT NULL DEFAULT '{}',
    -- Providers' keys: XChaCha20-Poly1305, each bound to this table, its column and id.
    ADD COLUMN realtime_key bytea,
    ADD COLUMN chat_key bytea,
    ADD COLUMN transcription_key bytea,
    ADD COLUMN speech_key bytea,
    ADD CONSTRAINT assistants_script_or_agent
        CHECK ((engine = 'builtin') = (script IS NOT NULL) AND (engine = 'builtin') = (agent IS NULL)),
    ADD CONSTRAINT assistants_realtime_key CHECK (engine = 'realtime' OR realtime_key IS NULL),
    ADD CONSTRAINT assistants_cascade_keys
        CHECK (engine = 'cascade' OR (chat_key IS NULL AND transcription_key IS NULL AND speech_key IS NULL));
