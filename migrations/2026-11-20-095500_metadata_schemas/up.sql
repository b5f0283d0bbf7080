-- The schema that metadata records have to match: an organization's own, else its tenant's.
CREATE TABLE metadata_schemas (
    -- Changes with the document.
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    organization_id uuid,
    document jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations (tenant_id, id)
);

CREATE UNIQUE INDEX metadata_schemas_in_force ON metadata_schemas (tenant_id, organization_id) NULLS NOT DISTINCT;
