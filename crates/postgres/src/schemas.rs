//! The schemas that metadata records have to match.

use async_trait::async_trait;
use domain::ids::{OrganizationId, SchemaId, TenantId};
use domain::metadata::{SchemaOwner, StoredSchema};
use domain::ports::{ProvisioningError, StoreUnavailable, StoredSchemas};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::provisioning::or_unknown;
use crate::statement::{Statement, row, statement};
use crate::store::Store;

const OF_ORGANIZATION: &str = "
SELECT COALESCE(own.id, general.id) AS schema_id, COALESCE(own.document, general.document) AS document
FROM organizations o
LEFT JOIN metadata_schemas own ON own.tenant_id = o.tenant_id AND own.organization_id = o.id
LEFT JOIN metadata_schemas general ON general.tenant_id = o.tenant_id AND general.organization_id IS NULL
WHERE o.id = $1 AND ($2 IS NULL OR o.tenant_id = $2) AND o.deleted_at IS NULL";

const OF_TENANT: &str = "
SELECT s.id AS schema_id, s.document FROM tenants t
LEFT JOIN metadata_schemas s ON s.tenant_id = t.id AND s.organization_id IS NULL
WHERE t.id = $1";

macro_rules! put_text {
    ($owner:literal) => {
        concat!(
            "INSERT INTO metadata_schemas (id, tenant_id, organization_id, document, created_at) ",
            $owner,
            " ON CONFLICT (tenant_id, organization_id) DO UPDATE \
             SET id = EXCLUDED.id, document = EXCLUDED.document, created_at = EXCLUDED.created_at \
             RETURNING true AS stored"
        )
    };
}

const PUT_OF_TENANT: &str = put_text!("SELECT $2, id, NULL, $3, $4 FROM tenants WHERE id = $1");

const PUT_OF_ORGANIZATION: &str =
    put_text!("SELECT $2, tenant_id, id, $3, $4 FROM organizations WHERE id = $1 AND deleted_at IS NULL");

row! {
    SchemaRow { schema_id: Option<Uuid>, document: Option<Value> }
}

row! {
    Put { stored: bool }
}

#[async_trait]
impl StoredSchemas for Store {
    async fn put(
        &self,
        owner: SchemaOwner,
        id: SchemaId,
        document: Value,
        at: OffsetDateTime,
    ) -> Result<(), ProvisioningError> {
        let (text, owner, what) = match owner {
            SchemaOwner::Tenant(owner) => (PUT_OF_TENANT, owner.uuid(), "tenant"),
            SchemaOwner::Organization(owner) => (PUT_OF_ORGANIZATION, owner.uuid(), "organization"),
        };
        let putting = statement(text).bind(owner).bind(id.uuid()).bind(document).bind(at);
        let stored = self.write::<Put>(putting).await;
        or_unknown(stored.map(|rows| rows.iter().any(|row| row.stored)), what)
    }

    async fn get(&self, owner: SchemaOwner) -> Result<StoredSchema, ProvisioningError> {
        let (schema, what) = match owner {
            SchemaOwner::Tenant(owner) => {
                (in_force(self, || statement(OF_TENANT).bind(owner.uuid())).await, "tenant")
            }
            SchemaOwner::Organization(owner) => (of_organization(self, owner, None).await, "organization"),
        };
        schema.map_err(StoreUnavailable::from)?.ok_or(ProvisioningError::Unknown(what))
    }
}

/// The schema in force for a live organization; of this tenant, when one is named.
pub(crate) async fn of_organization(
    store: &Store,
    organization: OrganizationId,
    tenant: Option<TenantId>,
) -> Result<Option<StoredSchema>, Failure> {
    let make = || statement(OF_ORGANIZATION).bind(organization.uuid()).bind(tenant.map(TenantId::uuid));
    in_force(store, make).await
}

async fn in_force(
    store: &Store,
    make: impl Fn() -> Statement + Send,
) -> Result<Option<StoredSchema>, Failure> {
    let row = store.read::<SchemaRow>(make).await?.into_iter().next();
    Ok(row.map(|row| match (row.schema_id, row.document) {
        (Some(id), Some(document)) => StoredSchema { id: Some(SchemaId::from_uuid(id)), document },
        _ => StoredSchema::any_object(),
    }))
}
