//! Sending a callback once more because somebody asked for it.

use std::sync::Arc;
use std::time::Duration;

use domain::audit::{Actor, Deed};
use domain::callback::TRY_LIMIT;
use domain::ids::CallId;
use domain::ports::{ClaimedAgain, ClaimedCallback, StoreUnavailable, TryOutcome, TryRecord};
use domain::scope::Scope;
use tokio::sync::oneshot;

use super::destinations::Waiting;
use super::{DeliverCallbacks, LEASE, RECORD_AGAIN};
use crate::causes::causes;
use crate::crash_point::crash_point;

/// What came of the wish to send a callback again.
#[derive(Debug)]
pub enum Redelivery {
    /// The try is under way; its outcome comes when it is recorded. Nothing comes when this server had no
    /// place for it, which is kept as a try that was not made.
    Begun(oneshot::Receiver<TryOutcome>),
    /// There is no such callback, or it is out of scope.
    Unknown,
    /// The schedule is not over: it is tried again without anybody's doing.
    Pending,
    /// Another try by hand is under way.
    UnderWay,
    /// It was sent by hand [`domain::callback::MANUAL_TRIES_MAX`] times.
    TooMany,
}

/// What is kept of a try by hand that was never made.
const NO_PLACE: &str = "this server had too many tries under way";

/// A claimed try by hand, and whoever waits for it.
pub(super) struct ByHand {
    callback: ClaimedCallback,
    by: Actor,
    leased: Duration,
    /// Tells that the try is being made: dropped without it, there was no place for it.
    making: oneshot::Sender<()>,
    told: oneshot::Sender<TryOutcome>,
}

impl DeliverCallbacks {
    /// Sends a callback whose schedule is over once more, with the bytes and to the address that it always
    /// had, signed with the secrets in force. It is claimed and noted before this returns; nothing of it
    /// depends on who asked being there still.
    pub async fn redeliver(
        self: &Arc<Self>,
        scope: Scope,
        call: CallId,
        deed: Deed,
    ) -> Result<Redelivery, StoreUnavailable> {
        let this = Arc::clone(self);
        let begun = self.control.spawn(async move { this.begin(scope, call, deed).await });
        begun.await.map_err(StoreUnavailable::because)?
    }

    async fn begin(
        self: Arc<Self>,
        scope: Scope,
        call: CallId,
        deed: Deed,
    ) -> Result<Redelivery, StoreUnavailable> {
        let leased = self.clock.since_boot();
        let callback = match self.callbacks.claim_again(scope, call, self.boot, LEASE, &deed).await? {
            ClaimedAgain::Claimed(callback) => *callback,
            ClaimedAgain::Unknown => return Ok(Redelivery::Unknown),
            ClaimedAgain::Pending => return Ok(Redelivery::Pending),
            ClaimedAgain::UnderWay => return Ok(Redelivery::UnderWay),
            ClaimedAgain::TooMany => return Ok(Redelivery::TooMany),
        };
        crash_point("callback-claimed-again");
        let (told, outcome) = oneshot::channel();
        let address = callback.draft.url.destination();
        let (making, made) = oneshot::channel();
        let (number, by) = (callback.tries_before, deed.actor.clone());
        let by_hand = ByHand { callback, by: deed.actor, leased, making, told };
        self.start(address, Waiting::ByHand(Box::new(by_hand)));
        let this = Arc::clone(&self);
        let unmade = async move {
            if made.await.is_err() {
                let outcome = TryOutcome::Refused(NO_PLACE.to_owned());
                let record = TryRecord { began_at: this.clock.now(), took: Duration::ZERO, outcome };
                this.record_by_hand(call, number, record, &by, leased + LEASE).await;
            }
        };
        self.tasks.spawn_on(unmade, &self.control);
        Ok(Redelivery::Begun(outcome))
    }

    /// Makes the try, unless it waited for a place until its claim may be another's.
    pub(super) async fn try_by_hand(&self, ByHand { callback, by, leased, making, told }: ByHand) {
        let began = self.clock.since_boot();
        if began.saturating_sub(leased) >= LEASE.saturating_sub(TRY_LIMIT) {
            return;
        }
        // Whoever is told ends with it.
        let _ = making.send(());
        let (call, number) = (callback.call, callback.tries_before.saturating_add(1));
        let began_at = self.clock.now();
        let outcome = self.sender.send(&callback).await;
        crash_point("callback-sent-again");
        let took = self.clock.since_boot().saturating_sub(began).min(TRY_LIMIT * 2);
        tracing::info!(%call, try_number = number, ?outcome, took_ms = took.as_millis(), by = by.kind(), "callback sent by hand");
        let record = TryRecord { began_at, took, outcome: outcome.clone() };
        if self.record_by_hand(call, callback.tries_before, record, &by, leased + LEASE).await {
            // Nobody may be waiting any more.
            let _ = told.send(outcome);
        }
    }

    async fn record_by_hand(
        &self,
        call: CallId,
        tries_before: u16,
        record: TryRecord,
        by: &Actor,
        until: Duration,
    ) -> bool {
        loop {
            let settled =
                self.callbacks.settle_again(self.boot, call, tries_before, record.clone(), by).await;
            match settled {
                Ok(true) => return true,
                Ok(false) => {
                    tracing::warn!(%call, "a try by hand came too late to be recorded");
                    return false;
                }
                Err(error) if self.clock.since_boot() >= until => {
                    tracing::error!(%call, error = causes(&error), "a try by hand was not recorded");
                    return false;
                }
                Err(_) => tokio::time::sleep(RECORD_AGAIN).await,
            }
        }
    }
}
