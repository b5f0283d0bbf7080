//! Metadata records and their schemas in memory.

use async_trait::async_trait;
use serde_json::Value;
use time::OffsetDateTime;

use super::{InMemory, State};
use crate::ids::{OrganizationId, SchemaId, TenantId};
use crate::metadata::{MetadataRecord, SchemaOwner, StoredSchema};
use crate::ports::{
    MetadataRecords, ProvisioningError, Replaced, Replacement, StoreUnavailable, StoredSchemas,
};

#[async_trait]
impl MetadataRecords for InMemory {
    async fn schema(
        &self,
        tenant: TenantId,
        organization: OrganizationId,
    ) -> Result<Option<StoredSchema>, StoreUnavailable> {
        let state = self.reach()?;
        let live = state.live_organization(organization).filter(|own| own.tenant == tenant);
        Ok(live.map(|own| state.schema_of(own.tenant, own.id)))
    }

    async fn replace(
        &self,
        tenant: TenantId,
        replacement: Replacement,
    ) -> Result<Replaced, StoreUnavailable> {
        let mut state = self.reach()?;
        let Replacement { organization, metadata, judged_by, by, at } = replacement;
        let in_force = state.schema_of(tenant, organization).id;
        let Some(entry) = state.live_entry(tenant, organization) else { return Ok(Replaced::Unknown) };
        if in_force != judged_by {
            return Ok(Replaced::SchemaChanged);
        }
        entry.metadata = MetadataRecord {
            id: entry.metadata.id,
            organization,
            version: entry.metadata.version + 1,
            metadata,
            created_at: at,
            created_by: by,
        };
        Ok(Replaced::Done(entry.metadata.clone()))
    }
}

#[async_trait]
impl StoredSchemas for InMemory {
    async fn put(
        &self,
        owner: SchemaOwner,
        id: SchemaId,
        document: Value,
        at: OffsetDateTime,
    ) -> Result<(), ProvisioningError> {
        // When it was put in force is for whoever looks into a database.
        let _ = at;
        let mut state = self.reach()?;
        state.check_owner(owner)?;
        if state.schemas.values().any(|schema| schema.id == Some(id)) {
            return Err(StoreUnavailable::because("the id is known already").into());
        }
        state.schemas.insert(owner, StoredSchema { id: Some(id), document });
        Ok(())
    }

    async fn get(&self, owner: SchemaOwner) -> Result<StoredSchema, ProvisioningError> {
        let state = self.reach()?;
        state.check_owner(owner)?;
        Ok(match owner {
            SchemaOwner::Tenant(_) => state.schema(owner).unwrap_or_else(StoredSchema::any_object),
            SchemaOwner::Organization(id) => {
                let own = state.live_organization(id).ok_or(ProvisioningError::Unknown("organization"))?;
                state.schema_of(own.tenant, id)
            }
        })
    }
}

impl State {
    fn schema(&self, owner: SchemaOwner) -> Option<StoredSchema> {
        self.schemas.get(&owner).cloned()
    }

    /// The schema in force for an organization.
    fn schema_of(&self, tenant: TenantId, organization: OrganizationId) -> StoredSchema {
        self.schema(SchemaOwner::Organization(organization))
            .or_else(|| self.schema(SchemaOwner::Tenant(tenant)))
            .unwrap_or_else(StoredSchema::any_object)
    }

    fn check_owner(&self, owner: SchemaOwner) -> Result<(), ProvisioningError> {
        match owner {
            SchemaOwner::Tenant(id) if !self.tenants.contains_key(&id) => {
                Err(ProvisioningError::Unknown("tenant"))
            }
            SchemaOwner::Organization(id) if self.live_organization(id).is_none() => {
                Err(ProvisioningError::Unknown("organization"))
            }
            _ => Ok(()),
        }
    }
}
