//! Concluding a call: its final status and its callback together, now or as soon as the store is
//! back.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use domain::call::{Ended, FinalAnswer, OutboundCall};
use domain::callback::CallbackDraft;
use domain::ports::{Clock, Concluded, Conclusion, Fence, OutboundCalls, Spool, SpoolError};
use futures_util::FutureExt;
use tokio_util::task::TaskTracker;

use crate::causes::causes;
use crate::crash_point::crash_point;
use crate::deliver_callbacks::DeliverCallbacks;

/// How long to wait before the store is asked again.
const RETRY: Duration = Duration::from_secs(1);

/// How often a conclusion that breaks is tried.
const TRIES: usize = 2;

/// Ends calls in the store.
pub struct ConcludeCall {
    calls: Arc<dyn OutboundCalls>,
    spool: Arc<dyn Spool>,
    callbacks: Arc<DeliverCallbacks>,
    clock: Arc<dyn Clock>,
    retries: TaskTracker,
}

impl ConcludeCall {
    /// Builds the use case from its ports.
    pub fn new(
        calls: Arc<dyn OutboundCalls>,
        spool: Arc<dyn Spool>,
        callbacks: Arc<DeliverCallbacks>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { calls, spool, callbacks, clock, retries: TaskTracker::new() }
    }

    /// Records the end of `call`. When the store is away the conclusion is kept on this machine and
    /// handed over in the background; after a crash [`Self::replay`] does so. A fault on the way is
    /// logged, tried once more, and never reaches the caller, who has other calls to end.
    pub async fn conclude(
        self: &Arc<Self>,
        call: &OutboundCall,
        fence: Fence,
        ended: Ended,
        answer: Option<FinalAnswer>,
    ) {
        for _ in 0..TRIES {
            let concluding = self.conclude_once(call, fence, ended, answer.clone());
            if AssertUnwindSafe(concluding).catch_unwind().await.is_ok() {
                return;
            }
            tracing::error!(call = %call.id, "concluding a call broke");
        }
    }

    async fn conclude_once(
        self: &Arc<Self>,
        call: &OutboundCall,
        fence: Fence,
        ended: Ended,
        answer: Option<FinalAnswer>,
    ) {
        let callback = CallbackDraft::of(call, &ended, self.clock.now());
        let conclusion = Conclusion { fence, ended, answer, callback };
        crash_point("concluding");
        match self.commit(&conclusion).await {
            Ok(()) => {}
            Err(error) => {
                tracing::error!(call = %call.id, error = causes(&error), "the end of a call is spooled: the store is away");
                if let Err(error) = self.spool.keep(&conclusion).await {
                    tracing::error!(call = %call.id, error = causes(&error), "the end of a call could not be spooled");
                }
                let this = Arc::clone(self);
                self.retries.spawn(async move { this.retry(conclusion).await });
            }
        }
    }

    /// Hands over what earlier boots spooled. Runs before readiness; an error leaves the rest for
    /// the next start.
    pub async fn replay(&self) -> Result<usize, ReplayError> {
        let pending = self.spool.pending().await?;
        let count = pending.len();
        for conclusion in pending {
            self.commit(&conclusion).await?;
            self.spool.forget(conclusion.fence.call).await?;
        }
        Ok(count)
    }

    /// Waits until every spooled conclusion of this boot has reached the store, or `limit` is over.
    pub async fn settled(&self, limit: Duration) {
        self.retries.close();
        if tokio::time::timeout(limit, self.retries.wait()).await.is_err() {
            tracing::warn!("conclusions stay spooled for the next start");
        }
    }

    async fn retry(&self, conclusion: Conclusion) {
        loop {
            tokio::time::sleep(RETRY).await;
            if self.commit(&conclusion).await.is_ok() {
                break;
            }
        }
        if let Err(error) = self.spool.forget(conclusion.fence.call).await {
            // Handing it over twice changes nothing: the second time it is superseded.
            tracing::warn!(call = %conclusion.fence.call, error = causes(&error), "a spooled conclusion could not be removed");
        }
    }

    async fn commit(&self, conclusion: &Conclusion) -> Result<(), domain::ports::StoreUnavailable> {
        let concluded = self.calls.conclude(conclusion.clone()).await?;
        crash_point("concluded");
        let call = conclusion.fence.call;
        let ended = &conclusion.ended;
        match concluded {
            Concluded::Final => {
                let code = conclusion.answer.as_ref().map(|answer| answer.code);
                tracing::info!(%call, status = ended.status().as_str(), reason = ended.reason.as_str(), sip.code = code, "call ended");
                if let Some(callback) = &conclusion.callback {
                    self.callbacks.fresh(call, &callback.url);
                }
            }
            Concluded::Superseded => tracing::warn!(%call, "call was concluded by another node"),
        }
        Ok(())
    }
}

/// Why not all of the spool could be handed over.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// See [`SpoolError`].
    #[error(transparent)]
    Spool(#[from] SpoolError),
    /// The store is away.
    #[error(transparent)]
    Store(#[from] domain::ports::StoreUnavailable),
}
