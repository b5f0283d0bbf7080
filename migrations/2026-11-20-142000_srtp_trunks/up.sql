-- Whether a trunk's sound is encrypted.
ALTER TABLE trunks ADD COLUMN srtp text NOT NULL DEFAULT 'off' CHECK (srtp IN ('off', 'required'));
