//! The life of outbound calls in memory.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{CallEntry, CallbackEntry, Claim, Delivery, InMemory, Stage, State};
use crate::audit::Action;
use crate::call::{CallStatus, Ended, EndedReason, Live, OutboundCall, OutboundStatus};
use crate::callback::FIRST_LEASE;
use crate::idempotency::{Earlier, Once};
use crate::ids::CallId;
use crate::ports::{
    Acceptance, Accepted, Concluded, Conclusion, Dispatch, Fence, OutboundCalls, Recorded, SavedLeg,
    StoreUnavailable,
};
use crate::scope::Scope;

#[async_trait]
impl OutboundCalls for InMemory {
    async fn accept(&self, acceptance: Acceptance) -> Result<Accepted, StoreUnavailable> {
        let mut state = self.reach()?;
        let Acceptance { call, dispatch, once, by } = acceptance;
        let earlier = once.as_ref().and_then(|once| state.placed.earlier(once, call.created_at));
        if let Some(earlier) = earlier {
            return Ok(Accepted::Earlier(earlier));
        }
        state.check_references(&call)?;
        let mut recorded = Recorded { call: call.id, contact: call.contact, failed: None };
        let (accepted, standing) = match dispatch {
            Dispatch::Refuse { reason } => (Accepted::Failed(reason), over(&call, reason)),
            Dispatch::Dial { owner, intent, max_calls } => {
                if intent.trunk != call.trunk {
                    return Err(StoreUnavailable::because("the call is prepared for another trunk"));
                }
                if state.boots.get(&owner).is_none_or(|boot| boot.gone) {
                    return Err(StoreUnavailable::because("the boot has not joined, or was struck off"));
                }
                if state.take_line(&call, max_calls) {
                    let leg = SavedLeg {
                        local_cseq: intent.cseq,
                        intent: *intent,
                        remote_tag: None,
                        remote_target: None,
                        route_set: Vec::new(),
                    };
                    let standing =
                        Stage::Live { owner, epoch: 1, live: Live::dialling(), leg: Box::new(leg) };
                    (Accepted::Calling(Fence { call: call.id, owner, epoch: 1 }), standing)
                } else {
                    let reason = EndedReason::CapacityExceeded;
                    (Accepted::Failed(reason), over(&call, reason))
                }
            }
        };
        if let Accepted::Failed(reason) = accepted {
            recorded.failed = Some(reason);
        }
        if let Some(once) = once {
            state.placed.keep(once, call.created_at, recorded);
        }
        if let Some(deed) = by {
            let within = Scope::Organization(call.tenant, call.organization);
            state.note(&deed, within, Action::CallPlace, call.id, Some(call.destination.as_str()));
        }
        let dialled = matches!(standing, Stage::Live { .. });
        state.calls.insert(call.id, CallEntry { call, dialled, rang_at: None, stage: standing });
        Ok(accepted)
    }

    async fn earlier(
        &self,
        once: &Once,
        now: OffsetDateTime,
    ) -> Result<Option<Earlier<Recorded>>, StoreUnavailable> {
        Ok(self.reach()?.placed.earlier(once, now))
    }

    async fn ringing(&self, fence: Fence, at: OffsetDateTime) -> Result<bool, StoreUnavailable> {
        let mut state = self.reach()?;
        let Some((live, _)) = state.held(fence) else { return Ok(false) };
        let first = matches!(live, Live::Dialling(_));
        *live = live.ring(at);
        if first && let Some(entry) = state.calls.get_mut(&fence.call) {
            entry.rang_at = Some(at);
        }
        Ok(true)
    }

    async fn answered(
        &self,
        fence: Fence,
        saved: SavedLeg,
        at: OffsetDateTime,
    ) -> Result<bool, StoreUnavailable> {
        let mut state = self.reach()?;
        let Some((live, leg)) = state.held(fence) else { return Ok(false) };
        *live = live.answer(at);
        *leg = saved;
        Ok(true)
    }

    async fn conclude(&self, conclusion: Conclusion) -> Result<Concluded, StoreUnavailable> {
        let mut state = self.reach()?;
        let Conclusion { fence, ended, answer, callback } = conclusion;
        if state.held(fence).is_none() {
            return Ok(Concluded::Superseded);
        }
        let Some(entry) = state.calls.get_mut(&fence.call) else { return Ok(Concluded::Superseded) };
        entry.stage = Stage::Over { ended, answer };
        let organization = entry.call.organization;
        for line in state.trunks.values_mut().flat_map(|entry| &mut entry.lines) {
            if *line == Some(fence.call) {
                *line = None;
            }
        }
        if let Some(draft) = callback {
            let lease_until = draft.prepared_at + FIRST_LEASE;
            let claim = Some(Claim { boot: fence.owner, lease_until, taken_up: false });
            let state_of = Delivery::Pending { due_at: draft.prepared_at, claim };
            let queued = CallbackEntry {
                organization,
                draft,
                state: state_of,
                tries: Vec::new(),
                by_hand: Vec::new(),
                manual_tries: 0,
                manual_claim: None,
            };
            state.callbacks.insert(fence.call, queued);
        }
        Ok(Concluded::Final)
    }

    async fn status(&self, scope: Scope, call: CallId) -> Result<Option<OutboundStatus>, StoreUnavailable> {
        let state = self.reach()?;
        let entry = state.calls.get(&call);
        let seen = entry.filter(|entry| scope.covers(entry.call.tenant, entry.call.organization));
        Ok(seen.map(|entry| {
            let (status, details) = match &entry.stage {
                Stage::Live { .. } => (CallStatus::Calling, None),
                Stage::Over { ended, .. } => (ended.status(), Some(ended.details())),
            };
            OutboundStatus { call, contact: entry.call.contact, status, details }
        }))
    }
}

fn over(call: &OutboundCall, reason: EndedReason) -> Stage {
    Stage::Over { ended: Ended { reason, started_at: None, ended_at: call.created_at }, answer: None }
}

impl State {
    /// What a database's foreign and unique keys would refuse.
    fn check_references(&self, call: &OutboundCall) -> Result<(), StoreUnavailable> {
        let own = (call.tenant, call.organization);
        let mut contacts = self.calls.values().map(|entry| (entry.call.organization, entry.call.contact));
        let fits = !self.calls.contains_key(&call.id)
            && !contacts.any(|known| known == (call.organization, call.contact))
            && self
                .assistants
                .get(&call.assistant)
                .is_some_and(|assistant| (assistant.tenant, assistant.organization) == own)
            && self
                .numbers
                .get(&call.number)
                .is_some_and(|number| (number.tenant, number.organization) == own)
            && self.trunks.get(&call.trunk).is_some_and(|entry| entry.trunk.tenant == call.tenant);
        if fits {
            Ok(())
        } else {
            Err(StoreUnavailable::because("the call is known already, or refers to what is not there"))
        }
    }

    /// Takes a line for the call; true also when lines are not counted.
    fn take_line(&mut self, call: &OutboundCall, max_calls: Option<u32>) -> bool {
        let Some(max_calls) = max_calls else { return true };
        let allowed = usize::try_from(max_calls).unwrap_or(usize::MAX);
        let free = self
            .trunks
            .get_mut(&call.trunk)
            .and_then(|entry| entry.lines.iter_mut().take(allowed).find(|line| line.is_none()));
        match free {
            Some(line) => {
                *line = Some(call.id);
                true
            }
            None => false,
        }
    }

    /// A live call's state, while the fence holds.
    fn held(&mut self, fence: Fence) -> Option<(&mut Live, &mut SavedLeg)> {
        match &mut self.calls.get_mut(&fence.call)?.stage {
            Stage::Live { owner, epoch, live, leg } if (*owner, *epoch) == (fence.owner, fence.epoch) => {
                Some((live, leg))
            }
            _ => None,
        }
    }
}
