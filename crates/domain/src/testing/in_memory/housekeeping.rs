//! Upkeep in memory: nothing is ever left for a second step.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::InMemory;
use crate::ports::{Housekeeping, StoreUnavailable};

#[async_trait]
impl Housekeeping for InMemory {
    // Totals are counted from the calls themselves: there are no deltas to fold.
    async fn fold_call_counts(&self) -> Result<bool, StoreUnavailable> {
        self.reach().map(|_| false)
    }

    async fn forget_idempotency_keys(&self, before: OffsetDateTime) -> Result<bool, StoreUnavailable> {
        let mut state = self.reach()?;
        state.created.forget(before);
        state.placed.forget(before);
        Ok(false)
    }

    async fn forget_sign_ins(&self, now: OffsetDateTime) -> Result<bool, StoreUnavailable> {
        let people = &mut self.reach()?.people;
        people.sessions.retain(|_, (_, session)| session.expires_at > now);
        people.invitations.retain(|_, link| link.expires_at > now);
        people.set_up = people.set_up.filter(|link| link.expires_at > now);
        people.failures.retain(|_, failures| !failures.are_forgotten(now));
        people.known.retain(|_, known| known.until > now);
        Ok(false)
    }
}
