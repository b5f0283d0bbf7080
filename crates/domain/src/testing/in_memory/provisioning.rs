//! What the operator sets up, in memory.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{InMemory, TrunkEntry};
use crate::assistant::Assistant;
use crate::callback::SigningSecrets;
use crate::ids::OrganizationId;
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
        if let Some(team) = &assistant.team {
            let known = state.teams.entry((assistant.organization, team.clone()));
            known.or_insert_with(|| fresh().into());
        }
        state.assistants.insert(assistant.id, Assistant { tenant, ..assistant });
        Ok(())
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
