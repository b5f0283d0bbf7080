-- Whether a trunk's calls may use G.722.
ALTER TABLE trunks ADD COLUMN wideband boolean NOT NULL DEFAULT false;
