//! Metadata records and their schemas in memory.

use async_trait::async_trait;
use serde_json::Value;

use super::{InMemory, State};
use crate::audit::{Action, Deed};
use crate::ids::{OrganizationId, SchemaId, TenantId};
use crate::metadata::{MetadataRecord, SchemaOwner, StoredSchema};
use crate::ports::{
    MetadataRecords, Replaced, Replacement, ReviseError, Seen, SetupError, StoreUnavailable, StoredSchemas,
};
use crate::scope::{Reach, Scope};

#[async_trait]
impl MetadataRecords for InMemory {
    async fn read_metadata(
        &self,
        scope: Scope,
        organization: OrganizationId,
    ) -> Result<Option<MetadataRecord>, StoreUnavailable> {
        let mut state = self.reach()?;
        Ok(state.live_entry(Reach::Within(scope), organization).map(|entry| entry.metadata.clone()))
    }

    async fn schema(
        &self,
        scope: Scope,
        organization: OrganizationId,
    ) -> Result<Option<StoredSchema>, StoreUnavailable> {
        let state = self.reach()?;
        let live = state.live_organization(organization).filter(|own| scope.covers(own.tenant, own.id));
        Ok(live.map(|own| state.schema_of(own.tenant, own.id)))
    }

    async fn replace(&self, scope: Scope, replacement: Replacement) -> Result<Replaced, StoreUnavailable> {
        let mut state = self.reach()?;
        let Replacement { organization, metadata, judged_by, seen, deed } = replacement;
        let in_force = state.schema_of(scope.tenant(), organization).id;
        let Some(entry) = state.live_entry(Reach::Within(scope), organization) else {
            return Ok(Replaced::Unknown);
        };
        if seen.is_some_and(|seen| seen != entry.metadata.version) {
            return Ok(Replaced::Overtaken);
        }
        if in_force != judged_by {
            return Ok(Replaced::SchemaChanged);
        }
        entry.metadata = MetadataRecord {
            id: entry.metadata.id,
            organization,
            version: entry.metadata.version + 1,
            metadata,
            created_at: deed.at,
            created_by: deed.actor.id(),
        };
        let (record, name) = (entry.metadata.clone(), entry.organization.profile.name.clone());
        let within = Scope::Organization(scope.tenant(), organization);
        state.note(&deed, within, Action::MetadataReplace, organization, Some(&name));
        Ok(Replaced::Done(record))
    }
}

#[async_trait]
impl StoredSchemas for InMemory {
    async fn put(
        &self,
        reach: Reach,
        owner: SchemaOwner,
        id: SchemaId,
        document: Value,
        seen: Option<Seen<Value>>,
        deed: Deed,
    ) -> Result<(), ReviseError> {
        let mut state = self.reach()?;
        let (within, name) = state.schema_owner(reach, owner).map_err(ReviseError::Unknown)?;
        let stands = state.schema_for(owner, within).document;
        if seen.is_some_and(|seen| seen.misses(&stands, Some(&document))) {
            return Err(ReviseError::Overtaken);
        }
        if state.schemas.values().any(|schema| schema.id == Some(id)) {
            return Err(StoreUnavailable::because("the id is known already").into());
        }
        state.schemas.insert(owner, StoredSchema { id: Some(id), document });
        state.note(&deed, within, Action::SchemaPut, id, Some(&name));
        Ok(())
    }

    async fn get(&self, reach: Reach, owner: SchemaOwner) -> Result<StoredSchema, SetupError> {
        let state = self.reach()?;
        let (within, _) = state.schema_owner(reach, owner).map_err(SetupError::Unknown)?;
        Ok(state.schema_for(owner, within))
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

    /// The schema in force for an owner.
    fn schema_for(&self, owner: SchemaOwner, within: Scope) -> StoredSchema {
        match owner {
            SchemaOwner::Tenant(_) => self.schema(owner).unwrap_or_else(StoredSchema::any_object),
            SchemaOwner::Organization(id) => self.schema_of(within.tenant(), id),
        }
    }

    /// What a schema's owner is, and what it is called; or what is unknown.
    fn schema_owner(&self, reach: Reach, owner: SchemaOwner) -> Result<(Scope, String), &'static str> {
        match owner {
            SchemaOwner::Tenant(id) => {
                let found = self.tenants.get(&id).filter(|_| reach.covers_tenant(id));
                let tenant = found.ok_or("tenant")?;
                Ok((Scope::Tenant(id), tenant.name.clone()))
            }
            SchemaOwner::Organization(id) => {
                let found = self.live_organization(id).filter(|own| reach.covers(own.tenant, id));
                let own = found.ok_or("organization")?;
                Ok((Scope::Organization(own.tenant, id), own.profile.name.clone()))
            }
        }
    }
}
