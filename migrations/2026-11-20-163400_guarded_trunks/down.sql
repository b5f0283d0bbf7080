ALTER TABLE trunks DROP COLUMN guarded;
