//! Looking up assistants, numbers and trunks in memory.

use async_trait::async_trait;

use super::InMemory;
use crate::assistant::{Assistant, Engine};
use crate::ids::{AssistantId, NumberId, OrganizationId, TenantId};
use crate::ports::{Directory, Placeable, StoreUnavailable};
use crate::scope::Scope;
use crate::trunk::Trunk;

#[async_trait]
impl Directory for InMemory {
    async fn placeable(
        &self,
        scope: Scope,
        assistant: AssistantId,
        number: NumberId,
    ) -> Result<Option<Placeable>, StoreUnavailable> {
        let state = self.reach()?;
        let found = || {
            let assistant = state.assistants.get(&assistant)?;
            let number = state.numbers.get(&number)?;
            let trunk = state.trunks_in_use().find(|trunk| trunk.id == number.trunk)?;
            if state.retired_assistants.contains(&assistant.id) || state.retired_numbers.contains(&number.id)
            {
                return None;
            }
            let owner = (assistant.tenant, assistant.organization);
            if !scope.covers(owner.0, owner.1) || (number.tenant, number.organization) != owner {
                return None;
            }
            Some(Placeable {
                assistant: assistant.clone(),
                number: number.clone(),
                trunk: trunk.clone(),
                organization_active: state.live_organization(owner.1).is_some(),
            })
        };
        Ok(found())
    }

    async fn trunks(&self) -> Result<Vec<Trunk>, StoreUnavailable> {
        Ok(self.reach()?.trunks_in_use().cloned().collect())
    }

    async fn tenant_of(&self, organization: OrganizationId) -> Result<Option<TenantId>, StoreUnavailable> {
        let state = self.reach()?;
        Ok(state.organizations.get(&organization).map(|entry| entry.organization.tenant))
    }

    async fn agents(
        &self,
        after: Option<AssistantId>,
        limit: u32,
    ) -> Result<Vec<Assistant>, StoreUnavailable> {
        let state = self.reach()?;
        let mut found: Vec<_> = state
            .assistants
            .values()
            .filter(|own| matches!(own.engine, Engine::Agent(_)) && after.is_none_or(|after| own.id > after))
            .filter(|own| !state.retired_assistants.contains(&own.id))
            .filter(|own| state.live_organization(own.organization).is_some())
            .cloned()
            .collect();
        found.sort_by_key(|own| own.id);
        found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(found)
    }
}
