//! A store in which another node is always a moment faster.

use std::sync::Arc;

use async_trait::async_trait;
use domain::call::OutboundStatus;
use domain::idempotency::{Earlier, Once};
use domain::ids::CallId;
use domain::ports::{
    Acceptance, Accepted, Concluded, Conclusion, Fence, OutboundCalls, Recorded, SavedLeg, StoreUnavailable,
};
use domain::scope::Scope;
use time::OffsetDateTime;

/// Passes everything on, but sees no earlier request until it accepts.
pub struct Blind(pub Arc<dyn OutboundCalls>);

#[async_trait]
impl OutboundCalls for Blind {
    async fn accept(&self, acceptance: Acceptance) -> Result<Accepted, StoreUnavailable> {
        self.0.accept(acceptance).await
    }

    async fn earlier(
        &self,
        _once: &Once,
        _now: OffsetDateTime,
    ) -> Result<Option<Earlier<Recorded>>, StoreUnavailable> {
        Ok(None)
    }

    async fn ringing(&self, fence: Fence, at: OffsetDateTime) -> Result<bool, StoreUnavailable> {
        self.0.ringing(fence, at).await
    }

    async fn answered(
        &self,
        fence: Fence,
        leg: SavedLeg,
        at: OffsetDateTime,
    ) -> Result<bool, StoreUnavailable> {
        self.0.answered(fence, leg, at).await
    }

    async fn conclude(&self, conclusion: Conclusion) -> Result<Concluded, StoreUnavailable> {
        self.0.conclude(conclusion).await
    }

    async fn status(&self, scope: Scope, call: CallId) -> Result<Option<OutboundStatus>, StoreUnavailable> {
        self.0.status(scope, call).await
    }
}
