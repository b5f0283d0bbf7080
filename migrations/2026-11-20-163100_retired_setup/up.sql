-- What is taken out of use stays, since calls name it.
ALTER TABLE trunks ADD COLUMN retired_at timestamptz;
ALTER TABLE numbers ADD COLUMN retired_at timestamptz;
ALTER TABLE assistants ADD COLUMN retired_at timestamptz;

CREATE INDEX trunks_of_tenant ON trunks (tenant_id, created_at, id) WHERE retired_at IS NULL;
CREATE INDEX numbers_of_organization ON numbers (organization_id, created_at, id) WHERE retired_at IS NULL;
