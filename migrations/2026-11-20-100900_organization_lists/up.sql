-- Lists sort texts by their bytes, whatever the database's collation.
DROP INDEX organizations_by_name, organizations_by_email, organizations_by_city, organizations_by_country;
CREATE INDEX organizations_by_name ON organizations (tenant_id, name COLLATE "C", id) WHERE deleted_at IS NULL;
CREATE INDEX organizations_by_email ON organizations (tenant_id, email COLLATE "C", id) WHERE deleted_at IS NULL;
CREATE INDEX organizations_by_city ON organizations (tenant_id, city COLLATE "C", id) WHERE deleted_at IS NULL;
CREATE INDEX organizations_by_country ON organizations (tenant_id, country COLLATE "C", id)
    WHERE deleted_at IS NULL;

-- The name as searches compare it: folded by the application, since which letters have two cases is
-- up to the database's locale. Null in rows of versions before this.
ALTER TABLE organizations ADD COLUMN name_folded text;
