-- Whether a trunk's addresses go through the address guard: those set up in the dashboard do.
ALTER TABLE trunks ADD COLUMN guarded boolean NOT NULL DEFAULT false;
