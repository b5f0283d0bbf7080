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
}
