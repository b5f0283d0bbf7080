//! The life of outbound calls.

mod accept;
mod conclude;
mod earlier;
mod progress;
mod recording;
mod status;
mod uncertain;

#[cfg(feature = "sql")]
pub(crate) use {conclude::CONCLUDE, recording::DIAL, status::STATUS};

use async_trait::async_trait;
use domain::call::OutboundStatus;
use domain::idempotency::{Earlier, Once};
use domain::ids::CallId;
use domain::ports::{
    Acceptance, Accepted, Concluded, Conclusion, Fence, OutboundCalls, Recorded, SavedLeg, StoreUnavailable,
};
use domain::scope::Scope;
use time::OffsetDateTime;

use crate::store::Store;

#[async_trait]
impl OutboundCalls for Store {
    async fn accept(&self, acceptance: Acceptance) -> Result<Accepted, StoreUnavailable> {
        Ok(accept::accept(self, acceptance).await?)
    }

    async fn earlier(
        &self,
        once: &Once,
        now: OffsetDateTime,
    ) -> Result<Option<Earlier<Recorded>>, StoreUnavailable> {
        Ok(earlier::earlier(self, once, now).await?)
    }

    async fn ringing(&self, fence: Fence, at: OffsetDateTime) -> Result<bool, StoreUnavailable> {
        Ok(progress::ringing(self, fence, at).await?)
    }

    async fn answered(
        &self,
        fence: Fence,
        leg: SavedLeg,
        at: OffsetDateTime,
    ) -> Result<bool, StoreUnavailable> {
        Ok(progress::answered(self, fence, leg, at).await?)
    }

    async fn conclude(&self, conclusion: Conclusion) -> Result<Concluded, StoreUnavailable> {
        Ok(conclude::conclude(self, conclusion).await?)
    }

    async fn status(&self, scope: Scope, call: CallId) -> Result<Option<OutboundStatus>, StoreUnavailable> {
        Ok(status::status(self, scope, call).await?)
    }
}
