//! Trunks in memory.

use async_trait::async_trait;

use super::cut;
use crate::audit::{Action, Deed};
use crate::ids::{TenantId, TrunkId};
use crate::page::PageRequest;
use crate::ports::{Added, ReviseTrunkError, Seen, SetupError, StoreUnavailable, Trunks};
use crate::scope::{Reach, Scope};
use crate::testing::InMemory;
use crate::testing::in_memory::{State, TrunkEntry};
use crate::trunk::{Trunk, TrunkRevision};

/// Whether the trunks of a tenant may be seen: also by whoever has but one organization of it.
fn sees(reach: Reach, tenant: TenantId) -> bool {
    reach.tenant().is_none_or(|own| own == tenant)
}

#[async_trait]
impl Trunks for InMemory {
    async fn add_trunk(&self, reach: Reach, trunk: Trunk, deed: Deed) -> Result<Added, SetupError> {
        let mut state = self.reach()?;
        if !state.tenants.contains_key(&trunk.tenant) || !reach.covers_tenant(trunk.tenant) {
            return Err(SetupError::Unknown("tenant"));
        }
        if state.trunks.contains_key(&trunk.id) {
            return Ok(Added::Repeated);
        }
        state.note(&deed, Scope::Tenant(trunk.tenant), Action::TrunkCreate, trunk.id, Some(&trunk.name));
        let mut entry = TrunkEntry { trunk, lines: Vec::new(), retired: false };
        entry.string_lines();
        state.trunks.insert(entry.trunk.id, entry);
        Ok(Added::Fresh)
    }

    async fn trunks_of(
        &self,
        reach: Reach,
        tenant: TenantId,
        page: PageRequest,
    ) -> Result<Vec<Trunk>, StoreUnavailable> {
        let state = self.reach()?;
        let own = |trunk: &&Trunk| trunk.tenant == tenant && sees(reach, tenant);
        Ok(cut(state.trunks_in_use().filter(own).cloned().collect(), page))
    }

    async fn trunk(&self, reach: Reach, id: TrunkId) -> Result<Option<Trunk>, StoreUnavailable> {
        let state = self.reach()?;
        let found = state.trunks_in_use().find(|trunk| trunk.id == id && sees(reach, trunk.tenant));
        Ok(found.cloned())
    }

    async fn revise_trunk(
        &self,
        reach: Reach,
        id: TrunkId,
        revision: TrunkRevision,
        seen: Option<Seen<Trunk>>,
        deed: Deed,
    ) -> Result<Trunk, ReviseTrunkError> {
        let mut state = self.reach()?;
        let entry = state.own_trunk(reach, id).ok_or(ReviseTrunkError::Unknown)?;
        let revised = entry.trunk.revised(revision);
        if seen.is_some_and(|seen| seen.misses(&entry.trunk, revised.as_ref().ok())) {
            return Err(ReviseTrunkError::Overtaken);
        }
        let revised = revised?;
        entry.trunk = revised.clone();
        entry.string_lines();
        state.note(&deed, Scope::Tenant(revised.tenant), Action::TrunkUpdate, id, Some(&revised.name));
        Ok(revised)
    }

    async fn retire_trunk(&self, reach: Reach, id: TrunkId, deed: Deed) -> Result<bool, StoreUnavailable> {
        let mut state = self.reach()?;
        let Some(entry) = state.own_trunk(reach, id) else { return Ok(false) };
        entry.retired = true;
        let trunk = entry.trunk.clone();
        state.note(&deed, Scope::Tenant(trunk.tenant), Action::TrunkDelete, id, Some(&trunk.name));
        Ok(true)
    }
}

impl TrunkEntry {
    /// Lines are added, never taken away: a lower limit counts by itself.
    pub(super) fn string_lines(&mut self) {
        let count = usize::try_from(self.trunk.max_calls.unwrap_or(0)).unwrap_or(usize::MAX);
        let missing = count.saturating_sub(self.lines.len());
        self.lines.extend(std::iter::repeat_n(None, missing));
    }
}

impl State {
    /// The trunks of all tenants, oldest first.
    pub(in crate::testing::in_memory) fn trunks_in_use(&self) -> impl Iterator<Item = &Trunk> {
        let in_use = self.trunks.values().filter(|entry| !entry.retired);
        let mut found: Vec<_> = in_use.map(|entry| &entry.trunk).collect();
        found.sort_by_key(|trunk| (trunk.created_at, trunk.id));
        found.into_iter()
    }

    fn own_trunk(&mut self, reach: Reach, id: TrunkId) -> Option<&mut TrunkEntry> {
        let found = self.trunks.get_mut(&id);
        found.filter(|entry| !entry.retired && reach.covers_tenant(entry.trunk.tenant))
    }
}
