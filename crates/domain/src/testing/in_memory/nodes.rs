//! The register of nodes in memory.

use async_trait::async_trait;

use super::{BootEntry, CallEntry, InMemory, Stage};
use crate::audit::{Action, Deed};
use crate::ids::{BootId, CallId, NodeId};
use crate::ports::{Beat, Command, Fence, Nodes, ObservedNode, Orphan, StoreUnavailable};
use crate::scope::{Reach, Scope};

#[async_trait]
impl Nodes for InMemory {
    async fn join(&self, node: NodeId, boot: BootId) -> Result<Vec<BootId>, StoreUnavailable> {
        let mut state = self.reach()?;
        if state.boots.contains_key(&boot) {
            return Err(StoreUnavailable::because("the boot has joined already"));
        }
        let present = state.boots.iter().filter(|(_, entry)| entry.node == node && !entry.gone);
        let earlier = present.map(|(boot, _)| *boot).collect();
        let entry = BootEntry { node, counter: 0, gone: false, commands: Vec::new(), lost: Vec::new() };
        state.boots.insert(boot, entry);
        Ok(earlier)
    }

    async fn beat(&self, boot: BootId) -> Result<Beat, StoreUnavailable> {
        let mut state = self.reach()?;
        let others = state.boots.iter().filter(|(other, entry)| **other != boot && !entry.gone).count();
        let Some(entry) = state.boots.get_mut(&boot) else {
            return Err(StoreUnavailable::because("the boot has not joined"));
        };
        entry.counter += 1;
        entry.gone = false;
        Ok(Beat {
            commands: std::mem::take(&mut entry.commands),
            lost: std::mem::take(&mut entry.lost),
            live: u32::try_from(others + 1).unwrap_or(u32::MAX),
        })
    }

    async fn others(&self, boot: BootId) -> Result<Vec<ObservedNode>, StoreUnavailable> {
        let state = self.reach()?;
        let present = state.boots.iter().filter(|(other, entry)| **other != boot && !entry.gone);
        Ok(present
            .map(|(boot, entry)| ObservedNode { node: entry.node, boot: *boot, counter: entry.counter })
            .collect())
    }

    async fn take_over(
        &self,
        heir: BootId,
        dead: BootId,
        counter: Option<i64>,
        limit: u32,
    ) -> Result<Vec<Orphan>, StoreUnavailable> {
        let mut guard = self.reach()?;
        let state = &mut *guard;
        let still = |entry: &BootEntry| !entry.gone && counter.is_none_or(|own| own == entry.counter);
        let Some(boot) = state.boots.get_mut(&dead).filter(|entry| still(entry)) else {
            return Ok(Vec::new());
        };
        if heir == dead {
            return Ok(Vec::new());
        }
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut orphans = Vec::new();
        for (id, entry) in &mut state.calls {
            let Stage::Live { owner, epoch, live, leg } = &mut entry.stage else { continue };
            if *owner != dead {
                continue;
            }
            let Some(trunk) = state.trunks.get(&entry.call.trunk) else { continue };
            if orphans.len() == limit {
                break;
            }
            *owner = heir;
            *epoch += 1;
            boot.lost.push(*id);
            orphans.push(Orphan {
                fence: Fence { call: *id, owner: heir, epoch: *epoch },
                call: entry.call.clone(),
                live: *live,
                leg: (**leg).clone(),
                trunk: trunk.trunk.clone(),
            });
        }
        boot.gone = orphans.is_empty();
        Ok(orphans)
    }

    async fn request_hang_up(
        &self,
        reach: Reach,
        call: CallId,
        deed: Deed,
    ) -> Result<bool, StoreUnavailable> {
        let mut guard = self.reach()?;
        let state = &mut *guard;
        let found = state.calls.get(&call);
        let found = found.filter(|entry| reach.covers(entry.call.tenant, entry.call.organization));
        let Some(entry) = found else { return Ok(false) };
        let Stage::Live { owner, .. } = &entry.stage else { return Ok(false) };
        if let Some(boot) = state.boots.get_mut(owner) {
            boot.commands.push(Command::HangUp(call));
        }
        let within = Scope::Organization(entry.call.tenant, entry.call.organization);
        let name = entry.call.destination.as_str().to_owned();
        state.note(&deed, within, Action::CallHangUp, call, Some(&name));
        Ok(true)
    }

    async fn leave(&self, boot: BootId) -> Result<(), StoreUnavailable> {
        let mut guard = self.reach()?;
        let state = &mut *guard;
        let carries = |call: &CallEntry| matches!(call.stage, Stage::Live { owner, .. } if owner == boot);
        if let Some(entry) = state.boots.get_mut(&boot) {
            entry.gone = !state.calls.values().any(carries);
        }
        Ok(())
    }
}
