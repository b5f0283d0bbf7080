DROP TRIGGER assistants_refuse_forgotten_keys ON assistants;
DROP TRIGGER trunks_refuse_forgotten_keys ON trunks;
DROP TRIGGER signing_secrets_refuse_forgotten_keys ON signing_secrets;
DROP FUNCTION refuse_forgotten_keys();
DROP TABLE forgotten_keys;
