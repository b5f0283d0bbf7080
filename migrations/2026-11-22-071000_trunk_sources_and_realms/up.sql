-- From where a trunk's audio and requests are accepted, and which digest realms its credentials answer.
-- Trunks that exist were used with audio from any address, and go on so.
ALTER TABLE trunks
    ADD COLUMN nat boolean NOT NULL DEFAULT true,
    ADD COLUMN media_networks text[] NOT NULL DEFAULT '{}'
        CHECK (cardinality(media_networks) <= 32 AND media_networks::inet[] IS NOT NULL
            AND array_position(media_networks, NULL) IS NULL),
    ADD COLUMN inbound_from text[] NOT NULL DEFAULT '{}'
        CHECK (cardinality(inbound_from) <= 32 AND inbound_from::inet[] IS NOT NULL
            AND array_position(inbound_from, NULL) IS NULL),
    ADD COLUMN realms text[] NOT NULL DEFAULT '{}'
        CHECK (cardinality(realms) <= 32 AND array_position(realms, NULL) IS NULL);
ALTER TABLE trunks ALTER COLUMN nat SET DEFAULT false;
