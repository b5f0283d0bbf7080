//! Assistants in memory.

use async_trait::async_trait;

use super::{cut, within};
use crate::assistant::{Assistant, ProviderRole};
use crate::audit::{Action, Deed};
use crate::ids::{AssistantId, OrganizationId};
use crate::page::PageRequest;
use crate::ports::{Added, Assistants, ReviseError, Seen, SetupError, StoreUnavailable};
use crate::scope::{Reach, Scope};
use crate::secret::Secret;
use crate::testing::InMemory;
use crate::testing::fixtures::fresh;
use crate::testing::in_memory::State;

#[async_trait]
impl Assistants for InMemory {
    async fn add_assistant(
        &self,
        reach: Reach,
        assistant: Assistant,
        deed: Deed,
    ) -> Result<Added, SetupError> {
        let mut state = self.reach()?;
        let owner = within(state.reached_live(reach, assistant.organization)?);
        if state.assistants.contains_key(&assistant.id) {
            return Ok(Added::Repeated);
        }
        state.put_assistant(
            Assistant { tenant: owner.tenant(), ..assistant },
            Action::AssistantCreate,
            &deed,
        );
        Ok(Added::Fresh)
    }

    async fn assistant(&self, reach: Reach, id: AssistantId) -> Result<Option<Assistant>, StoreUnavailable> {
        Ok(self.reach()?.own_assistant(reach, id).cloned())
    }

    async fn assistants_of(
        &self,
        reach: Reach,
        organization: OrganizationId,
        page: PageRequest,
    ) -> Result<Vec<Assistant>, SetupError> {
        let state = self.reach()?;
        state.reached(reach, organization)?;
        let in_use = state.assistants.values().filter(|own| !state.retired_assistants.contains(&own.id));
        let mut found: Vec<_> = in_use.filter(|own| own.organization == organization).cloned().collect();
        found.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        Ok(cut(found, page))
    }

    async fn revise_assistant(
        &self,
        reach: Reach,
        mut revised: Assistant,
        seen: Option<Seen<Assistant>>,
        deed: Deed,
    ) -> Result<Assistant, ReviseError> {
        let mut state = self.reach()?;
        let found = state.living_assistant(reach, revised.id);
        let earlier = found.ok_or(ReviseError::Unknown("assistant"))?;
        revised.succeed(&earlier);
        if seen.is_some_and(|seen| seen.misses(&earlier, Some(&revised))) {
            return Err(ReviseError::Overtaken);
        }
        state.put_assistant(revised.clone(), Action::AssistantUpdate, &deed);
        Ok(revised)
    }

    async fn set_provider_key(
        &self,
        reach: Reach,
        id: AssistantId,
        role: Option<ProviderRole>,
        key: Option<Secret<String>>,
        deed: Deed,
    ) -> Result<Assistant, SetupError> {
        let mut state = self.reach()?;
        let found = state.living_assistant(reach, id);
        let mut assistant = found.ok_or(SetupError::Unknown("assistant"))?;
        if !assistant.set_provider_key(role, key.as_ref()) {
            return Err(SetupError::Unknown("provider"));
        }
        state.put_assistant(assistant.clone(), Action::ProviderKeySet, &deed);
        Ok(assistant)
    }

    async fn retire_assistant(
        &self,
        reach: Reach,
        id: AssistantId,
        deed: Deed,
    ) -> Result<bool, StoreUnavailable> {
        let mut state = self.reach()?;
        let Some(own) = state.own_assistant(reach, id).cloned() else { return Ok(false) };
        state.retired_assistants.insert(id);
        let owner = Scope::Organization(own.tenant, own.organization);
        state.note(&deed, owner, Action::AssistantDelete, id, Some(&own.name));
        Ok(true)
    }
}

impl State {
    fn put_assistant(&mut self, assistant: Assistant, action: Action, deed: &Deed) {
        if let Some(team) = &assistant.team {
            let known = self.teams.entry((assistant.organization, team.clone()));
            known.or_insert_with(|| fresh().into());
        }
        let owner = Scope::Organization(assistant.tenant, assistant.organization);
        self.note(deed, owner, action, assistant.id, Some(&assistant.name));
        self.assistants.insert(assistant.id, assistant);
    }

    fn own_assistant(&self, reach: Reach, id: AssistantId) -> Option<&Assistant> {
        let found = self.assistants.get(&id).filter(|own| reach.covers(own.tenant, own.organization));
        found.filter(|own| !self.retired_assistants.contains(&own.id))
    }

    fn living_assistant(&self, reach: Reach, id: AssistantId) -> Option<Assistant> {
        let found = self.own_assistant(reach, id);
        found.filter(|own| self.live_organization(own.organization).is_some()).cloned()
    }
}
