ALTER TABLE trunks DROP COLUMN nat, DROP COLUMN media_networks, DROP COLUMN inbound_from, DROP COLUMN realms;
