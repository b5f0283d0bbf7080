ALTER TABLE organizations DROP COLUMN name_folded;

DROP INDEX organizations_by_name, organizations_by_email, organizations_by_city, organizations_by_country;
CREATE INDEX organizations_by_name ON organizations (tenant_id, name, id) WHERE deleted_at IS NULL;
CREATE INDEX organizations_by_email ON organizations (tenant_id, email, id) WHERE deleted_at IS NULL;
CREATE INDEX organizations_by_city ON organizations (tenant_id, city, id) WHERE deleted_at IS NULL;
CREATE INDEX organizations_by_country ON organizations (tenant_id, country, id) WHERE deleted_at IS NULL;
