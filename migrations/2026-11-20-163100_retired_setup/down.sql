DROP INDEX numbers_of_organization;
DROP INDEX trunks_of_tenant;
ALTER TABLE assistants DROP COLUMN retired_at;
ALTER TABLE numbers DROP COLUMN retired_at;
ALTER TABLE trunks DROP COLUMN retired_at;
