//! The schemas that metadata records have to match.

use async_trait::async_trait;
use domain::audit::{Action, Deed};
use domain::ids::{OrganizationId, SchemaId, TenantId};
use domain::metadata::{SchemaOwner, StoredSchema};
use domain::ports::{SetupError, StoreUnavailable, StoredSchemas};
use domain::scope::{Reach, Scope};
use serde_json::Value;
use uuid::Uuid;

use crate::audit::entry;
use crate::failure::Failure;
use crate::setup::or_unknown;
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

macro_rules! put_text {
    ($owner:literal, $name:literal) => {
        concat!(
            "INSERT INTO metadata_schemas (id, tenant_id, organization_id, document, created_at) ",
            $owner,
            " ON CONFLICT (tenant_id, organization_id) DO UPDATE \
             SET id = EXCLUDED.id, document = EXCLUDED.document, created_at = EXCLUDED.created_at \
             RETURNING tenant_id AS owner_tenant_id, ",
            $name,
            " AS owner_name"
        )
    };
}

const PUT_OF_TENANT: &str = put_text!(
    "SELECT $2, id, NULL, $3, $4 FROM tenants WHERE id = $1 AND ($5 IS NULL OR id = $5) AND $6 IS NULL",
    "(SELECT name FROM tenants WHERE id = $1)"
);

const PUT_OF_ORGANIZATION: &str = put_text!(
    "SELECT $2, tenant_id, id, $3, $4 FROM organizations \
     WHERE id = $1 AND ($5 IS NULL OR tenant_id = $5) AND ($6 IS NULL OR id = $6) AND deleted_at IS NULL",
    "(SELECT name FROM organizations WHERE id = $1)"
);

row! {
    SchemaRow { schema_id: Option<Uuid>, document: Option<Value> }
}

row! {
    Put { owner_tenant_id: Uuid, owner_name: String }
}

#[async_trait]
impl StoredSchemas for Store {
    async fn put(
        &self,
        reach: Reach,
        owner: SchemaOwner,
        id: SchemaId,
        document: Value,
        deed: Deed,
    ) -> Result<(), SetupError> {
        let (text, of, what) = match owner {
            SchemaOwner::Tenant(id) => (PUT_OF_TENANT, id.uuid(), "tenant"),
            SchemaOwner::Organization(id) => (PUT_OF_ORGANIZATION, id.uuid(), "organization"),
        };
        let putting = statement(text).bind(of).bind(id.uuid()).bind(document).bind(deed.at);
        let note = |put: &Put| {
            let tenant = TenantId::from_uuid(put.owner_tenant_id);
            let within = match owner {
                SchemaOwner::Tenant(_) => Scope::Tenant(tenant),
                SchemaOwner::Organization(id) => Scope::Organization(tenant, id),
            };
            entry(&deed, within, Action::SchemaPut, id, Some(&put.owner_name))
        };
        let stored = self.audited(reached(putting, reach), note).await;
        or_unknown(stored.map(|row| row.is_some()), what)
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
    Ok(row.map(|row| match (row.schema_id, row.document) {
        (Some(id), Some(document)) => StoredSchema { id: Some(SchemaId::from_uuid(id)), document },
        _ => StoredSchema::any_object(),
    }))
}
