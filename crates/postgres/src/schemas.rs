//! The schemas that metadata records have to match.

use async_trait::async_trait;
use diesel_async::AsyncConnection;
use domain::audit::{Action, Deed};
use domain::ids::{OrganizationId, SchemaId, TenantId};
use domain::metadata::{SchemaOwner, StoredSchema};
use domain::ports::{ReviseError, Seen, SetupError, StoreUnavailable, StoredSchemas};
use domain::scope::{Reach, Scope};
use serde_json::Value;
use uuid::Uuid;

use crate::audit::entry;
use crate::failure::Failure;
use crate::statement::{Statement, reached, row, statement};
use crate::store::Store;

const OF_ORGANIZATION: &str = "
SELECT COALESCE(own.id, general.id) AS schema_id, COALESCE(own.document, general.document) AS document
FROM organizations o
LEFT JOIN metadata_schemas own ON own.tenant_id = o.tenant_id AND own.organization_id = o.id
LEFT JOIN metadata_schemas general ON general.tenant_id = o.tenant_id AND general.organization_id IS NULL
WHERE o.id = $1 AND ($2 IS NULL OR o.tenant_id = $2) AND ($3 IS NULL OR o.id = $3) AND o.deleted_at IS NULL";

const OF_TENANT: &str = "
SELECT s.id AS schema_id, s.document FROM tenants t
LEFT JOIN metadata_schemas s ON s.tenant_id = t.id AND s.organization_id IS NULL
WHERE t.id = $1 AND ($2 IS NULL OR t.id = $2) AND $3 IS NULL";

// Whoever puts a schema of the same owner waits here, and then reads what was put meanwhile.
const LOCK_TENANT: &str = "
SELECT id AS owner_tenant_id, name AS owner_name FROM tenants
WHERE id = $1 AND ($2 IS NULL OR id = $2) AND $3 IS NULL
FOR NO KEY UPDATE";

const LOCK_ORGANIZATION: &str = "
SELECT tenant_id AS owner_tenant_id, name AS owner_name FROM organizations
WHERE id = $1 AND ($2 IS NULL OR tenant_id = $2) AND ($3 IS NULL OR id = $3) AND deleted_at IS NULL
FOR NO KEY UPDATE";

const PUT: &str = "
INSERT INTO metadata_schemas (id, tenant_id, organization_id, document, created_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (tenant_id, organization_id) DO UPDATE
SET id = EXCLUDED.id, document = EXCLUDED.document, created_at = EXCLUDED.created_at";

row! {
    SchemaRow { schema_id: Option<Uuid>, document: Option<Value> }
}

row! {
    OwnerRow { owner_tenant_id: Uuid, owner_name: String }
}

#[async_trait]
impl StoredSchemas for Store {
    async fn put(
        &self,
        reach: Reach,
        owner: SchemaOwner,
        id: SchemaId,
        document: Value,
        seen: Option<Seen<Value>>,
        deed: Deed,
    ) -> Result<(), ReviseError> {
        let (lock, read, of, what) = match owner {
            SchemaOwner::Tenant(id) => (LOCK_TENANT, OF_TENANT, id.uuid(), "tenant"),
            SchemaOwner::Organization(id) => (LOCK_ORGANIZATION, OF_ORGANIZATION, id.uuid(), "organization"),
        };
        let put = self
            .with(async |connection| {
                connection
                    .transaction::<_, Failure, _>(async |connection| {
                        let locking = reached(statement(lock).bind(of), reach);
                        let found = locking.rows::<OwnerRow>(connection).await?.into_iter().next();
                        let Some(found) = found else { return Ok(Err(ReviseError::Unknown(what))) };
                        let reading = reached(statement(read).bind(of), reach);
                        let row = reading.rows::<SchemaRow>(connection).await?.into_iter().next();
                        let stands = row.map(SchemaRow::into_schema).map(|schema| schema.document);
                        if let (Some(seen), Some(stands)) = (seen, stands)
                            && seen.misses(&stands, Some(&document))
                        {
                            return Ok(Err(ReviseError::Overtaken));
                        }
                        let tenant = TenantId::from_uuid(found.owner_tenant_id);
                        let (within, organization) = match owner {
                            SchemaOwner::Tenant(_) => (Scope::Tenant(tenant), None),
                            SchemaOwner::Organization(id) => {
                                (Scope::Organization(tenant, id), Some(id.uuid()))
                            }
                        };
                        let putting = statement(PUT)
                            .bind(id.uuid())
                            .bind(tenant.uuid())
                            .bind(organization)
                            .bind(document)
                            .bind(deed.at);
                        putting.run(connection).await?;
                        let name = Some(found.owner_name.as_str());
                        entry(&deed, within, Action::SchemaPut, id, name)?.run(connection).await?;
                        Ok(Ok(()))
                    })
                    .await
            })
            .await;
        put.map_err(StoreUnavailable::from)?
    }

    async fn get(&self, reach: Reach, owner: SchemaOwner) -> Result<StoredSchema, SetupError> {
        let (schema, what) = match owner {
            SchemaOwner::Tenant(owner) => {
                let make = || reached(statement(OF_TENANT).bind(owner.uuid()), reach);
                (in_force(self, make).await, "tenant")
            }
            SchemaOwner::Organization(owner) => (of_organization(self, owner, reach).await, "organization"),
        };
        schema.map_err(StoreUnavailable::from)?.ok_or(SetupError::Unknown(what))
    }
}

/// The schema in force for a live organization within reach.
pub(crate) async fn of_organization(
    store: &Store,
    organization: OrganizationId,
    reach: Reach,
) -> Result<Option<StoredSchema>, Failure> {
    in_force(store, || reached(statement(OF_ORGANIZATION).bind(organization.uuid()), reach)).await
}

async fn in_force(
    store: &Store,
    make: impl Fn() -> Statement + Send,
) -> Result<Option<StoredSchema>, Failure> {
    let row = store.read::<SchemaRow>(make).await?.into_iter().next();
    Ok(row.map(SchemaRow::into_schema))
}

impl SchemaRow {
    fn into_schema(self) -> StoredSchema {
        match (self.schema_id, self.document) {
            (Some(id), Some(document)) => StoredSchema { id: Some(SchemaId::from_uuid(id)), document },
            _ => StoredSchema::any_object(),
        }
    }
}
