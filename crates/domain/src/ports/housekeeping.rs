//! What the store does for itself, now and then.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::StoreUnavailable;

/// Upkeep. Any node may do it at any time, several at once too; each step is small.
#[async_trait]
pub trait Housekeeping: Send + Sync {
    /// Folds the deltas that exact totals are made of; `true` when more are left to fold.
    async fn fold_call_counts(&self) -> Result<bool, StoreUnavailable>;

    /// Forgets idempotency keys of requests before `before`; `true` when more are left.
    async fn forget_idempotency_keys(&self, before: OffsetDateTime) -> Result<bool, StoreUnavailable>;

    /// Forgets sessions and one-time links that are over at `now`, and failed sign-ins that count no
    /// more; `true` when more are left.
    async fn forget_sign_ins(&self, now: OffsetDateTime) -> Result<bool, StoreUnavailable>;
}
