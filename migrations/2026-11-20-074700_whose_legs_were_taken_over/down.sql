ALTER TABLE call_legs DROP COLUMN taken_from;
