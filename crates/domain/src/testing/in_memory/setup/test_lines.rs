//! Lines to the built-in phone, in memory.

use async_trait::async_trait;

use super::within;
use crate::audit::{Action, Deed};
use crate::ids::{NumberId, OrganizationId};
use crate::ports::{FreshTestLine, SetupError, StoreUnavailable, TestLines};
use crate::scope::{Reach, Scope};
use crate::test_line::calling_number;
use crate::testing::InMemory;
use crate::testing::in_memory::TrunkEntry;
use crate::trunk::{Number, Trunk};

#[async_trait]
impl TestLines for InMemory {
    async fn set_up_test_line(
        &self,
        reach: Reach,
        organization: OrganizationId,
        fresh: FreshTestLine,
        deed: Deed,
    ) -> Result<NumberId, SetupError> {
        let mut state = self.reach()?;
        let owner = within(state.reached_live(reach, organization)?);
        let tenant = owner.tenant();
        let leads_there = |trunk: &&Trunk| trunk.tenant == tenant && trunk.leads_to_built_in_phone();
        let trunks: Vec<_> = state.trunks_in_use().filter(leads_there).map(|trunk| trunk.id).collect();
        let own = |number: &&Number| number.organization == organization && trunks.contains(&number.trunk);
        let oldest = state.numbers_in_use().filter(own).min_by_key(|number| (number.created_at, number.id));
        if let Some(number) = oldest {
            return Ok(number.id);
        }
        let trunk = if let Some(trunk) = trunks.first() {
            *trunk
        } else {
            let trunk = Trunk::to_built_in_phone(fresh.trunk, tenant, deed.at);
            state.note(&deed, Scope::Tenant(tenant), Action::TrunkCreate, trunk.id, Some(&trunk.name));
            let mut entry = TrunkEntry { trunk, lines: Vec::new(), retired: false };
            entry.string_lines();
            state.trunks.insert(fresh.trunk, entry);
            fresh.trunk
        };
        let number =
            calling_number().ok_or_else(|| StoreUnavailable::because("the calling number is none"))?;
        state.note(&deed, owner, Action::NumberCreate, fresh.number, Some(number.as_str()));
        let id = fresh.number;
        state.numbers.insert(id, Number { id, tenant, organization, trunk, number, created_at: deed.at });
        Ok(id)
    }
}
