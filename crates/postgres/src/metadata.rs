//! Metadata records: every version stays.

use async_trait::async_trait;
use diesel_async::AsyncConnection;
use domain::audit::Action;
use domain::ids::{MetadataId, OrganizationId, SchemaId};
use domain::metadata::{MetadataRecord, StoredSchema};
use domain::ports::{MetadataRecords, Replaced, Replacement, StoreUnavailable};
use domain::scope::{Reach, Scope};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::audit::entry;
use crate::failure::Failure;
use crate::schemas;
use crate::setup::Found;
use crate::statement::{reached, row, statement};
use crate::store::Store;

// Whoever replaces the same record waits here, and then reads what was written meanwhile.
const LOCK: &str = "
SELECT id, tenant_id, name FROM organizations
WHERE id = $1 AND tenant_id = $2 AND ($3 IS NULL OR id = $3) AND deleted_at IS NULL
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
    WHERE in_force.id IS NOT DISTINCT FROM $3 AND ($7 IS NULL OR latest.version = $7)
    RETURNING version
)
SELECT latest.id AS metadata_id, latest.version AS latest, (SELECT version FROM added) AS added FROM latest";

const LATEST: &str = "
SELECT m.id AS record_id, m.version, m.metadata, m.created_at, m.created_by
FROM organizations o JOIN organization_metadata m ON m.organization_id = o.id
WHERE o.id = $1 AND o.tenant_id = $2 AND ($3 IS NULL OR o.id = $3) AND o.deleted_at IS NULL
ORDER BY m.version DESC LIMIT 1";

row! {
    /// The newest version of a record.
    LatestRow {
        record_id: Uuid,
        version: i32,
        metadata: Value,
        created_at: OffsetDateTime,
        created_by: String,
    }
}

row! {
    /// The record, its version before, and the version that was added to it, if any was.
    AddedRow { metadata_id: Uuid, latest: i32, added: Option<i32> }
}

#[async_trait]
impl MetadataRecords for Store {
    async fn read_metadata(
        &self,
        scope: Scope,
        organization: OrganizationId,
    ) -> Result<Option<MetadataRecord>, StoreUnavailable> {
        let asking = || reached(statement(LATEST).bind(organization.uuid()), Reach::Within(scope));
        let row = self.read::<LatestRow>(asking).await?.into_iter().next();
        Ok(row.map(|row| row.into_record(organization)).transpose()?)
    }

    async fn schema(
        &self,
        scope: Scope,
        organization: OrganizationId,
    ) -> Result<Option<StoredSchema>, StoreUnavailable> {
        Ok(schemas::of_organization(self, organization, Reach::Within(scope)).await?)
    }

    async fn replace(&self, scope: Scope, replacement: Replacement) -> Result<Replaced, StoreUnavailable> {
        Ok(replace(self, scope, replacement).await?)
    }
}

async fn replace(store: &Store, scope: Scope, replacement: Replacement) -> Result<Replaced, Failure> {
    let (tenant, id) = (scope.tenant(), replacement.organization.uuid());
    let deed = &replacement.deed;
    let by = deed.actor.id();
    // No record has so many versions as to be beyond.
    let seen = replacement.seen.map(|seen| i32::try_from(seen).unwrap_or(i32::MAX));
    let adding = statement(ADD_VERSION)
        .bind(id)
        .bind(tenant.uuid())
        .bind(replacement.judged_by.map(SchemaId::uuid))
        .bind(Value::Object(replacement.metadata.clone()))
        .bind(by.clone())
        .bind(deed.at)
        .bind(seen);
    let added = store
        .with(async |connection| {
            connection
                .transaction::<_, Failure, _>(async |connection| {
                    let locking = reached(statement(LOCK).bind(id), Reach::Within(scope));
                    let found = locking.rows::<Found>(connection).await?.into_iter().next();
                    let Some(owner) = found else { return Ok(None) };
                    let rows = adding.rows::<AddedRow>(connection).await?;
                    let broken = || Failure::impossible("organizations", id, "no metadata record");
                    let added = rows.into_iter().next().ok_or_else(broken)?;
                    if added.added.is_some() {
                        let (action, name) = (Action::MetadataReplace, Some(owner.name.as_str()));
                        entry(deed, owner.scope(), action, id, name)?.run(connection).await?;
                    }
                    Ok(Some(added))
                })
                .await
        })
        .await?;
    let Some(AddedRow { metadata_id, latest, added }) = added else { return Ok(Replaced::Unknown) };
    let Some(version) = added else {
        let overtaken = seen.is_some_and(|seen| seen != latest);
        return Ok(if overtaken { Replaced::Overtaken } else { Replaced::SchemaChanged });
    };
    let impossible = |_| Failure::impossible("organization_metadata", metadata_id, "a negative version");
    Ok(Replaced::Done(MetadataRecord {
        id: MetadataId::from_uuid(metadata_id),
        organization: replacement.organization,
        version: u32::try_from(version).map_err(impossible)?,
        metadata: replacement.metadata,
        created_at: replacement.deed.at,
        created_by: by,
    }))
}

impl LatestRow {
    fn into_record(self, organization: OrganizationId) -> Result<MetadataRecord, Failure> {
        let broken = |why| Failure::impossible("organization_metadata", self.record_id, why);
        let Value::Object(metadata) = self.metadata else { return Err(broken("the metadata is no object")) };
        Ok(MetadataRecord {
            id: MetadataId::from_uuid(self.record_id),
            organization,
            version: u32::try_from(self.version).map_err(|_| broken("a negative version"))?,
            metadata,
            created_at: self.created_at,
            created_by: self.created_by,
        })
    }
}
