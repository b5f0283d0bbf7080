//! The queue of callbacks in memory.

use std::time::Duration;

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{Claim, Delivery, InMemory, State};
use crate::audit::{Action, Actor, Deed};
use crate::callback::{DeliveryState, MANUAL_TRIES_MAX, SigningSecrets};
use crate::ids::{BootId, CallId};
use crate::ports::{
    Callbacks, ClaimedAgain, ClaimedCallback, DeliveryTry, Settled, StoreUnavailable, TryRecord,
};
use crate::scope::Scope;

#[async_trait]
impl Callbacks for InMemory {
    async fn claim(
        &self,
        boot: BootId,
        now: OffsetDateTime,
        lease: Duration,
        excluded: &[String],
        limit: u32,
    ) -> Result<Vec<ClaimedCallback>, StoreUnavailable> {
        let mut state = self.reach()?;
        let mut due: Vec<_> = state
            .callbacks
            .iter()
            .filter(|(_, entry)| !excluded.contains(&entry.draft.url.destination()))
            .filter_map(|(call, entry)| Some((entry.state.ready_at()?, *call)))
            .filter(|(ready_at, _)| *ready_at <= now)
            .collect();
        due.sort_unstable();
        due.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        let mut claimed: Vec<_> =
            due.into_iter().filter_map(|(_, call)| state.claim_one(call, boot, now, lease)).collect();
        claimed.sort_unstable_by_key(|(due_at, callback)| (*due_at, callback.call));
        Ok(claimed.into_iter().map(|(_, callback)| callback).collect())
    }

    async fn claim_fresh(
        &self,
        boot: BootId,
        call: CallId,
        now: OffsetDateTime,
        lease: Duration,
    ) -> Result<Option<ClaimedCallback>, StoreUnavailable> {
        let mut state = self.reach()?;
        let ours = state.callbacks.get(&call).is_some_and(|entry| {
            let fresh = |claim: &Claim| claim.boot == boot && !claim.taken_up;
            entry.tries.is_empty()
                && matches!(&entry.state, Delivery::Pending { claim: Some(claim), .. } if fresh(claim))
        });
        if !ours {
            return Ok(None);
        }
        Ok(state.claim_one(call, boot, now, lease).map(|(_, callback)| callback))
    }

    async fn settle(
        &self,
        boot: BootId,
        call: CallId,
        tries_before: u16,
        record: TryRecord,
        settled: Settled,
    ) -> Result<bool, StoreUnavailable> {
        let mut state = self.reach()?;
        let Some(entry) = state.callbacks.get_mut(&call) else { return Ok(false) };
        let ours = matches!(&entry.state,
            Delivery::Pending { claim: Some(claim), .. } if claim.boot == boot);
        if !ours || entry.tries.len() != usize::from(tries_before) {
            return Ok(false);
        }
        entry.tries.push(record);
        entry.state = match settled {
            Settled::Again(due_at) => Delivery::Pending { due_at, claim: None },
            Settled::Delivered => Delivery::Settled(DeliveryState::Delivered),
            Settled::GivenUp => Delivery::Settled(DeliveryState::GivenUp),
        };
        Ok(true)
    }

    async fn claim_again(
        &self,
        scope: Scope,
        call: CallId,
        boot: BootId,
        lease: Duration,
        deed: &Deed,
    ) -> Result<ClaimedAgain, StoreUnavailable> {
        let mut state = self.reach()?;
        let Some(owner) = state.owner_of(scope, call) else { return Ok(ClaimedAgain::Unknown) };
        let secrets = state.organizations.get(&owner).map(|entry| entry.secrets_at(deed.at));
        let (Some(secrets), Some(entry)) = (secrets, state.callbacks.get_mut(&call)) else {
            return Ok(ClaimedAgain::Unknown);
        };
        if matches!(entry.state, Delivery::Pending { .. }) {
            return Ok(ClaimedAgain::Pending);
        }
        if entry.manual_claim.is_some_and(|(_, until)| until > deed.at) {
            return Ok(ClaimedAgain::UnderWay);
        }
        if entry.manual_tries >= MANUAL_TRIES_MAX {
            return Ok(ClaimedAgain::TooMany);
        }
        let tries_before = entry.tries_begun();
        entry.manual_tries += 1;
        entry.manual_claim = Some((boot, deed.at + lease));
        let draft = entry.draft.clone();
        let destination = draft.url.destination();
        let within = Scope::Organization(scope.tenant(), owner);
        state.note(deed, within, Action::CallbackRedeliver, call, Some(&destination));
        Ok(ClaimedAgain::Claimed(Box::new(ClaimedCallback { call, draft, tries_before, secrets })))
    }

    async fn settle_again(
        &self,
        boot: BootId,
        call: CallId,
        tries_before: u16,
        record: TryRecord,
        by: &Actor,
    ) -> Result<bool, StoreUnavailable> {
        let mut state = self.reach()?;
        let Some(entry) = state.callbacks.get_mut(&call) else { return Ok(false) };
        let number = entry.tries_begun();
        if entry.manual_claim.is_none_or(|(own, _)| own != boot) || tries_before + 1 != number {
            return Ok(false);
        }
        entry.manual_claim = None;
        if record.outcome.confirmed() {
            entry.state = Delivery::Settled(DeliveryState::Delivered);
        }
        entry.by_hand.push(DeliveryTry { number, record, by: Some(by.clone()) });
        Ok(true)
    }

    async fn release(&self, earlier_boots: &[BootId]) -> Result<u64, StoreUnavailable> {
        let mut released = 0;
        for entry in self.reach()?.callbacks.values_mut() {
            if let Delivery::Pending { claim, .. } = &mut entry.state
                && claim.as_ref().is_some_and(|claim| earlier_boots.contains(&claim.boot))
            {
                *claim = None;
                released += 1;
            }
        }
        Ok(released)
    }
}

impl Delivery {
    /// When it may be claimed: at its due time, or when the lease on it is over.
    fn ready_at(&self) -> Option<OffsetDateTime> {
        match self {
            Self::Pending { claim: Some(claim), .. } => Some(claim.lease_until),
            Self::Pending { due_at, claim: None } => Some(*due_at),
            Self::Settled(_) => None,
        }
    }
}

impl State {
    fn claim_one(
        &mut self,
        call: CallId,
        boot: BootId,
        now: OffsetDateTime,
        lease: Duration,
    ) -> Option<(OffsetDateTime, ClaimedCallback)> {
        let entry = self.callbacks.get_mut(&call)?;
        let secrets = self.organizations.get(&entry.organization)?.secrets_at(now);
        let Delivery::Pending { due_at, claim } = &mut entry.state else { return None };
        *claim = Some(Claim { boot, lease_until: now + lease, taken_up: true });
        let tries_before = u16::try_from(entry.tries.len()).ok()?;
        Some((*due_at, ClaimedCallback { call, draft: entry.draft.clone(), tries_before, secrets }))
    }
}

impl super::CallbackEntry {
    /// How many tries were begun, those by hand too.
    fn tries_begun(&self) -> u16 {
        u16::try_from(self.tries.len()).unwrap_or(u16::MAX).saturating_add(self.manual_tries)
    }
}

impl super::OrganizationEntry {
    pub(super) fn secrets_at(&self, now: OffsetDateTime) -> SigningSecrets {
        let previous = self.previous.as_ref().filter(|(_, until)| *until > now);
        SigningSecrets { current: self.secret.clone(), previous: previous.map(|(secret, _)| secret.clone()) }
    }
}
