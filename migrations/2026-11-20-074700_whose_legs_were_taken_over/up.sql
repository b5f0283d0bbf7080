-- The boot that a leg was last taken over from, so that an heir that never got the answer to its
-- taking-over can be told again.
ALTER TABLE call_legs ADD COLUMN taken_from uuid;
