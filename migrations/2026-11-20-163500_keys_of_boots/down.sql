ALTER TABLE boots DROP COLUMN keys_since, DROP COLUMN opens_with, DROP COLUMN seals_with;
