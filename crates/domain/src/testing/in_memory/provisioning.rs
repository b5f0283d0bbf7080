//! What the operator sets up, in memory.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{InMemory, State, TrunkEntry};
use crate::assistant::{Assistant, ProviderKey, ProviderRole};
use crate::callback::SigningSecrets;
use crate::ids::{AssistantId, OrganizationId};
use crate::organization::Tenant;
use crate::ports::{Provisioning, ProvisioningError, StoreUnavailable};
use crate::secret::Secret;
use crate::testing::fixtures::fresh;
use crate::trunk::{Number, Trunk};

fn known() -> ProvisioningError {
    StoreUnavailable::because("the id is known already").into()
}

#[async_trait]
impl Provisioning for InMemory {
    async fn add_tenant(&self, tenant: Tenant) -> Result<(), ProvisioningError> {
        let mut state = self.reach()?;
        if state.tenants.contains_key(&tenant.id) {
            return Err(known());
        }
        state.tenants.insert(tenant.id, tenant);
        Ok(())
    }

    async fn delete_organization(
        &self,
        id: OrganizationId,
        at: OffsetDateTime,
    ) -> Result<(), ProvisioningError> {
        let mut state = self.reach()?;
        let live = state.organizations.get_mut(&id).filter(|entry| entry.organization.is_active());
        let entry = live.ok_or(ProvisioningError::Unknown("organization"))?;
        entry.organization.deleted_at = Some(at);
        entry.organization.updated_at = at;
        Ok(())
    }

    async fn add_trunk(&self, trunk: Trunk) -> Result<(), ProvisioningError> {
        let mut state = self.reach()?;
        if !state.tenants.contains_key(&trunk.tenant) {
            return Err(ProvisioningError::Unknown("tenant"));
        }
        if state.trunks.contains_key(&trunk.id) {
            return Err(known());
        }
        let count = usize::try_from(trunk.max_calls.unwrap_or(0)).unwrap_or(usize::MAX);
        let lines = std::iter::repeat_n(None, count).collect();
        state.trunks.insert(trunk.id, TrunkEntry { trunk, lines });
        Ok(())
    }

    async fn add_number(&self, number: Number) -> Result<(), ProvisioningError> {
        let mut state = self.reach()?;
        let owner = state.live_organization(number.organization);
        let tenant = owner.ok_or(ProvisioningError::Unknown("organization"))?.tenant;
        if state.trunks.get(&number.trunk).is_none_or(|entry| entry.trunk.tenant != tenant) {
            return Err(ProvisioningError::Unknown("trunk"));
        }
        if state.numbers.contains_key(&number.id) {
            return Err(known());
        }
        state.numbers.insert(number.id, Number { tenant, ..number });
        Ok(())
    }

    async fn add_assistant(&self, assistant: Assistant) -> Result<(), ProvisioningError> {
        let mut state = self.reach()?;
        let owner = state.live_organization(assistant.organization);
        let tenant = owner.ok_or(ProvisioningError::Unknown("organization"))?.tenant;
        if state.assistants.contains_key(&assistant.id) {
            return Err(known());
        }
        state.put_assistant(Assistant { tenant, ..assistant });
        Ok(())
    }

    async fn assistant(&self, id: AssistantId) -> Result<Option<Assistant>, StoreUnavailable> {
        Ok(self.reach()?.assistants.get(&id).cloned())
    }

    async fn assistants_of(&self, organization: OrganizationId) -> Result<Vec<Assistant>, ProvisioningError> {
        let state = self.reach()?;
        if !state.organizations.contains_key(&organization) {
            return Err(ProvisioningError::Unknown("organization"));
        }
        let own = state.assistants.values().filter(|own| own.organization == organization);
        let mut found: Vec<_> = own.cloned().collect();
        found.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        Ok(found)
    }

    async fn revise_assistant(&self, mut revised: Assistant) -> Result<Assistant, ProvisioningError> {
        let mut state = self.reach()?;
        let earlier = state.living_assistant(revised.id)?;
        revised.succeed(&earlier);
        state.put_assistant(revised.clone());
        Ok(revised)
    }

    async fn set_provider_key(
        &self,
        id: AssistantId,
        role: Option<ProviderRole>,
        key: ProviderKey,
    ) -> Result<Assistant, ProvisioningError> {
        let mut state = self.reach()?;
        let mut assistant = state.living_assistant(id)?;
        if !assistant.set_provider_key(role, &key) {
            return Err(ProvisioningError::Unknown("provider"));
        }
        state.put_assistant(assistant.clone());
        Ok(assistant)
    }

    async fn signing_secrets(
        &self,
        id: OrganizationId,
        now: OffsetDateTime,
    ) -> Result<SigningSecrets, ProvisioningError> {
        let state = self.reach()?;
        let entry = state.organizations.get(&id).ok_or(ProvisioningError::Unknown("organization"))?;
        Ok(entry.secrets_at(now))
    }

    async fn rotate_signing_secret(
        &self,
        id: OrganizationId,
        fresh: Secret<Vec<u8>>,
        overlap_until: OffsetDateTime,
    ) -> Result<(), ProvisioningError> {
        let mut state = self.reach()?;
        let entry = state.organizations.get_mut(&id).ok_or(ProvisioningError::Unknown("organization"))?;
        let old = std::mem::replace(&mut entry.secret, fresh);
        entry.previous = Some((old, overlap_until));
        Ok(())
    }
}

impl State {
    fn put_assistant(&mut self, assistant: Assistant) {
        if let Some(team) = &assistant.team {
            let known = self.teams.entry((assistant.organization, team.clone()));
            known.or_insert_with(|| fresh().into());
        }
        self.assistants.insert(assistant.id, assistant);
    }

    fn living_assistant(&self, id: AssistantId) -> Result<Assistant, ProvisioningError> {
        let found = self.assistants.get(&id);
        let found = found.filter(|own| self.live_organization(own.organization).is_some());
        found.cloned().ok_or(ProvisioningError::Unknown("assistant"))
    }
}
