//! Looking up assistants, numbers and trunks in memory.

use async_trait::async_trait;

use super::InMemory;
use crate::ids::{AssistantId, NumberId};
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
}
