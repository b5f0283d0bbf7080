DROP TABLE organization_metadata;
DROP TABLE organizations;
DROP TABLE tenants;
