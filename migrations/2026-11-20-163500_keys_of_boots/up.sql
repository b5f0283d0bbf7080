-- Which keys a boot seals and opens secrets with, by fingerprint: none is taken away that one still
-- seals with, none is put in force that one cannot open. Null for a boot that does not tell.
ALTER TABLE boots
    ADD COLUMN seals_with text,
    ADD COLUMN opens_with text[],
    ADD COLUMN keys_since timestamptz;
