//! A store in which one write breaks the task that asks for it, once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use domain::call::OutboundStatus;
use domain::idempotency::{Earlier, Once};
use domain::ids::CallId;
use domain::ports::{
    Acceptance, Accepted, Concluded, Conclusion, Fence, OutboundCalls, Recorded, SavedLeg, StoreUnavailable,
};
use domain::scope::Scope;
use time::OffsetDateTime;

/// The write that breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brittle {
    Ringing,
    Conclude,
}

impl Brittle {
    /// The store with this weakness.
    pub fn over(self, calls: Arc<dyn OutboundCalls>) -> Arc<dyn OutboundCalls> {
        Arc::new(Store { calls, breaks: self, broke: AtomicBool::new(false) })
    }
}

struct Store {
    calls: Arc<dyn OutboundCalls>,
    breaks: Brittle,
    broke: AtomicBool,
}

impl Store {
    fn pass(&self, write: Brittle) {
        assert!(self.breaks != write || self.broke.swap(true, Ordering::Relaxed), "{write:?} broke");
    }
}

#[async_trait]
impl OutboundCalls for Store {
    async fn accept(&self, acceptance: Acceptance) -> Result<Accepted, StoreUnavailable> {
        self.calls.accept(acceptance).await
    }

    async fn earlier(
        &self,
        once: &Once,
        now: OffsetDateTime,
    ) -> Result<Option<Earlier<Recorded>>, StoreUnavailable> {
        self.calls.earlier(once, now).await
    }

    async fn ringing(&self, fence: Fence, at: OffsetDateTime) -> Result<bool, StoreUnavailable> {
        self.pass(Brittle::Ringing);
        self.calls.ringing(fence, at).await
    }

    async fn answered(
        &self,
        fence: Fence,
        leg: SavedLeg,
        at: OffsetDateTime,
    ) -> Result<bool, StoreUnavailable> {
        self.calls.answered(fence, leg, at).await
    }

    async fn conclude(&self, conclusion: Conclusion) -> Result<Concluded, StoreUnavailable> {
        self.pass(Brittle::Conclude);
        self.calls.conclude(conclusion).await
    }

    async fn status(&self, scope: Scope, call: CallId) -> Result<Option<OutboundStatus>, StoreUnavailable> {
        self.calls.status(scope, call).await
    }
}
