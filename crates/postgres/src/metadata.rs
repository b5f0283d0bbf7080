//! Metadata records: every version stays.

use async_trait::async_trait;
use diesel_async::AsyncConnection;
use domain::ids::{MetadataId, OrganizationId, SchemaId, TenantId};
use domain::metadata::{MetadataRecord, StoredSchema};
use domain::ports::{MetadataRecords, Replaced, Replacement, StoreUnavailable};
use domain::scope::{Reach, Scope};
use serde_json::Value;
use uuid::Uuid;

use crate::failure::Failure;
use crate::provisioning::Found;
use crate::schemas;
use crate::statement::{row, statement};
use crate::store::Store;

// Whoever replaces the same record waits here, and then reads what was written meanwhile.
const LOCK: &str = "
SELECT id, tenant_id FROM organizations WHERE id = $1 AND tenant_id = $2 AND deleted_at IS NULL
FOR NO KEY UPDATE";

const ADD_VERSION: &str = "
WITH latest AS (
    SELECT id, version FROM organization_metadata WHERE organization_id = $1 ORDER BY version DESC LIMIT 1
), in_force AS (
    SELECT COALESCE(
        (SELECT id FROM metadata_schemas WHERE tenant_id = $2 AND organization_id = $1),
        (SELECT id FROM metadata_schemas WHERE tenant_id = $2 AND organization_id IS NULL)) AS id
), added AS (
    INSERT INTO organization_metadata (organization_id, version, id, tenant_id, metadata, created_at,
        created_by)
    SELECT $1, latest.version + 1, latest.id, $2, $4, $6, $5 FROM latest, in_force
    WHERE in_force.id IS NOT DISTINCT FROM $3
    RETURNING version
)
SELECT latest.id AS metadata_id, (SELECT version FROM added) AS added FROM latest";

row! {
    /// The record, and the version that was added to it, if any was.
    AddedRow { metadata_id: Uuid, added: Option<i32> }
}

#[async_trait]
impl MetadataRecords for Store {
    async fn schema(
        &self,
        tenant: TenantId,
        organization: OrganizationId,
    ) -> Result<Option<StoredSchema>, StoreUnavailable> {
        Ok(schemas::of_organization(self, organization, Reach::Within(Scope::Tenant(tenant))).await?)
    }

    async fn replace(
        &self,
        tenant: TenantId,
        replacement: Replacement,
    ) -> Result<Replaced, StoreUnavailable> {
        Ok(replace(self, tenant, replacement).await?)
    }
}

async fn replace(store: &Store, tenant: TenantId, replacement: Replacement) -> Result<Replaced, Failure> {
    let id = replacement.organization.uuid();
    let adding = statement(ADD_VERSION)
        .bind(id)
        .bind(tenant.uuid())
        .bind(replacement.judged_by.map(SchemaId::uuid))
        .bind(Value::Object(replacement.metadata.clone()))
        .bind(replacement.by.clone())
        .bind(replacement.at);
    let added = store
        .with(async |connection| {
            connection
                .transaction::<_, Failure, _>(async |connection| {
                    let locking = statement(LOCK).bind(id).bind(tenant.uuid());
                    if locking.rows::<Found>(connection).await?.is_empty() {
                        return Ok(None);
                    }
                    let rows = adding.rows::<AddedRow>(connection).await?;
                    let broken = || Failure::impossible("organizations", id, "no metadata record");
                    rows.into_iter().next().map(Some).ok_or_else(broken)
                })
                .await
        })
        .await?;
    let Some(AddedRow { metadata_id, added }) = added else { return Ok(Replaced::Unknown) };
    let Some(version) = added else { return Ok(Replaced::SchemaChanged) };
    let impossible = |_| Failure::impossible("organization_metadata", metadata_id, "a negative version");
    Ok(Replaced::Done(MetadataRecord {
        id: MetadataId::from_uuid(metadata_id),
        organization: replacement.organization,
        version: u32::try_from(version).map_err(impossible)?,
        metadata: replacement.metadata,
        created_at: replacement.at,
        created_by: replacement.by,
    }))
}
