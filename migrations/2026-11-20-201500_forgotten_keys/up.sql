-- Keys that were taken out of the key file: what comes under one of them would open with nothing.
CREATE TABLE forgotten_keys (
    number smallint PRIMARY KEY CHECK (number BETWEEN 1 AND 255),
    forgotten_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Whoever sealed a value and then was held up until its key was forgotten is refused. Which columns hold
-- sealed values, the trigger says.
CREATE FUNCTION refuse_forgotten_keys() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sealed bytea;
    forgotten smallint;
BEGIN
    FOR place IN 0 .. TG_NARGS - 1 LOOP
        EXECUTE format('SELECT ($1).%I', TG_ARGV[place]) INTO sealed USING NEW;
        SELECT number INTO forgotten FROM forgotten_keys
        WHERE octet_length(sealed) > 0 AND number = get_byte(sealed, 0);
        IF FOUND THEN
            RAISE EXCEPTION 'key % was taken out of the key file, but this was encrypted with it', forgotten;
        END IF;
    END LOOP;
    RETURN NEW;
END $$;

CREATE TRIGGER signing_secrets_refuse_forgotten_keys BEFORE INSERT OR UPDATE OF secret ON signing_secrets
    FOR EACH ROW EXECUTE FUNCTION refuse_forgotten_keys('secret');
CREATE TRIGGER trunks_refuse_forgotten_keys BEFORE INSERT OR UPDATE OF password ON trunks
    FOR EACH ROW EXECUTE FUNCTION refuse_forgotten_keys('password');
CREATE TRIGGER assistants_refuse_forgotten_keys
    BEFORE INSERT OR UPDATE OF realtime_key, chat_key, transcription_key, speech_key ON assistants
    FOR EACH ROW EXECUTE FUNCTION
        refuse_forgotten_keys('realtime_key', 'chat_key', 'transcription_key', 'speech_key');
