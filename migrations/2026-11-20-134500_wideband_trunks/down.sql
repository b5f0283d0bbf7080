ALTER TABLE trunks DROP COLUMN wideband;
