//! Numbers in memory.

use async_trait::async_trait;

use super::{cut, within};
use crate::audit::{Action, Deed, number_move};
use crate::ids::{NumberId, OrganizationId, TrunkId};
use crate::page::PageRequest;
use crate::ports::{Added, CarriedNumber, Numbers, SetupError, StoreUnavailable};
use crate::scope::{Reach, Scope};
use crate::testing::InMemory;
use crate::testing::in_memory::State;
use crate::trunk::{Number, Trunk};

#[async_trait]
impl Numbers for InMemory {
    async fn add_number(&self, reach: Reach, number: Number, deed: Deed) -> Result<Added, SetupError> {
        let mut state = self.reach()?;
        let owner = within(state.reached_live(reach, number.organization)?);
        let trunk = state.trunks_in_use().find(|trunk| trunk.id == number.trunk);
        if trunk.is_none_or(|trunk| trunk.tenant != owner.tenant()) {
            return Err(SetupError::Unknown("trunk"));
        }
        if state.numbers.contains_key(&number.id) {
            return Ok(Added::Repeated);
        }
        state.note(&deed, owner, Action::NumberCreate, number.id, Some(number.number.as_str()));
        state.numbers.insert(number.id, Number { tenant: owner.tenant(), ..number });
        Ok(Added::Fresh)
    }

    async fn numbers_of(
        &self,
        reach: Reach,
        organization: OrganizationId,
        page: PageRequest,
    ) -> Result<Vec<CarriedNumber>, SetupError> {
        let state = self.reach()?;
        state.reached(reach, organization)?;
        let own = state.numbers_in_use().filter(|number| number.organization == organization);
        let mut found: Vec<_> = own.filter_map(|number| state.carried(number)).collect();
        found.sort_by_key(|found| (found.number.created_at, found.number.id));
        Ok(cut(found, page))
    }

    async fn number(&self, reach: Reach, id: NumberId) -> Result<Option<CarriedNumber>, StoreUnavailable> {
        let state = self.reach()?;
        let found = state.numbers_in_use().find(|number| number.id == id);
        let found = found.filter(|number| reach.covers(number.tenant, number.organization));
        Ok(found.and_then(|number| state.carried(number)))
    }

    async fn move_number(
        &self,
        reach: Reach,
        id: NumberId,
        trunk: TrunkId,
        deed: Deed,
    ) -> Result<CarriedNumber, SetupError> {
        let mut state = self.reach()?;
        let found = state.numbers_in_use().find(|number| number.id == id);
        let found = found.filter(|number| reach.covers(number.tenant, number.organization)).cloned();
        let number = found.ok_or(SetupError::Unknown("number"))?;
        let own = |chosen: &&Trunk| chosen.id == trunk && chosen.tenant == number.tenant;
        let chosen = state.trunks_in_use().find(own).map(|chosen| chosen.name.clone());
        let trunk_name = chosen.ok_or(SetupError::Unknown("trunk"))?;
        if number.trunk != trunk {
            let owner = Scope::Organization(number.tenant, number.organization);
            let name = number_move(&number.number, &trunk_name);
            state.note(&deed, owner, Action::NumberMove, id, Some(&name));
        }
        let moved = Number { trunk, ..number };
        state.numbers.insert(id, moved.clone());
        Ok(CarriedNumber { number: moved, trunk_name, carried: true })
    }

    async fn retire_number(&self, reach: Reach, id: NumberId, deed: Deed) -> Result<bool, StoreUnavailable> {
        let mut state = self.reach()?;
        let found = state.numbers_in_use().find(|number| number.id == id);
        let found = found.filter(|number| reach.covers(number.tenant, number.organization)).cloned();
        let Some(number) = found else { return Ok(false) };
        state.retired_numbers.insert(id);
        let owner = Scope::Organization(number.tenant, number.organization);
        state.note(&deed, owner, Action::NumberDelete, id, Some(number.number.as_str()));
        Ok(true)
    }
}

impl State {
    pub(super) fn numbers_in_use(&self) -> impl Iterator<Item = &Number> {
        self.numbers.values().filter(|number| !self.retired_numbers.contains(&number.id))
    }

    fn carried(&self, number: &Number) -> Option<CarriedNumber> {
        let entry = self.trunks.get(&number.trunk)?;
        Some(CarriedNumber {
            number: number.clone(),
            trunk_name: entry.trunk.name.clone(),
            carried: !entry.retired,
        })
    }
}
