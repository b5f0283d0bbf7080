CREATE TABLE tenants (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE TABLE organizations (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    name text NOT NULL,
    email text NOT NULL,
    image text,
    address text NOT NULL,
    city text NOT NULL,
    state_province text NOT NULL,
    postal_code text NOT NULL,
    country text NOT NULL,
    phone_number text NOT NULL,
    timezone text NOT NULL,
    external_id text,
    owner_id text NOT NULL,
    created_by text NOT NULL,
    last_modified_by text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    UNIQUE (tenant_id, id)
);

-- One for each field that lists may be sorted by; ties go by id.
CREATE INDEX organizations_by_creation ON organizations (tenant_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX organizations_by_change ON organizations (tenant_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX organizations_by_name ON organizations (tenant_id, name, id) WHERE deleted_at IS NULL;
CREATE INDEX organizations_by_email ON organizations (tenant_id, email, id) WHERE deleted_at IS NULL;
CREATE INDEX organizations_by_city ON organizations (tenant_id, city, id) WHERE deleted_at IS NULL;
CREATE INDEX organizations_by_country ON organizations (tenant_id, country, id) WHERE deleted_at IS NULL;

-- Every replace adds a version; the record's own id stays.
CREATE TABLE organization_metadata (
    organization_id uuid NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    metadata jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    created_by text NOT NULL,
    PRIMARY KEY (organization_id, version),
    FOREIGN KEY (tenant_id, organization_id) REFERENCES organizations (tenant_id, id)
);
