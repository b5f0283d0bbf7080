//! Delivering callbacks: fresh ones at once, failed ones on schedule, orphaned ones after a crash, and
//! any once more by hand.

mod destinations;
mod redeliver;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::Duration;

use domain::callback::{CallbackUrl, TRY_LIMIT, wait_after};
use domain::ids::{BootId, CallId};
use domain::ports::{
    CallbackSender, Callbacks, ClaimedCallback, Clock, Settled, StoreUnavailable, TryOutcome, TryRecord,
};
use domain::timestamp::rfc3339;
use parking_lot::Mutex;
use time::OffsetDateTime;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio_util::task::TaskTracker;

use self::destinations::{Destinations, Waiting};
pub use self::redeliver::Redelivery;
use crate::causes::causes;
use crate::crash_point::crash_point;

/// A claim outlives its try by far, so that only a crash lets it lapse.
const LEASE: Duration = Duration::from_secs(20);

/// The queue is looked at this often, whatever the hints say.
const POLL: Duration = Duration::from_secs(1);

/// Between two attempts to record a try.
const RECORD_AGAIN: Duration = Duration::from_secs(1);

/// Known moments of retries; beyond these the poll alone finds them, at most a second late.
const RETRIES: usize = 4096;

/// Delivers queued callbacks.
pub struct DeliverCallbacks {
    callbacks: Arc<dyn Callbacks>,
    sender: Arc<dyn CallbackSender>,
    clock: Arc<dyn Clock>,
    boot: BootId,
    control: Handle,
    destinations: Mutex<Destinations>,
    retries: Mutex<BinaryHeap<Reverse<OffsetDateTime>>>,
    hint: Notify,
    tasks: TaskTracker,
}

impl DeliverCallbacks {
    /// Builds the use case from its ports; tries run on `control`.
    pub fn new(
        callbacks: Arc<dyn Callbacks>,
        sender: Arc<dyn CallbackSender>,
        clock: Arc<dyn Clock>,
        boot: BootId,
        control: Handle,
    ) -> Self {
        Self {
            callbacks,
            sender,
            clock,
            boot,
            control,
            destinations: Mutex::default(),
            retries: Mutex::default(),
            hint: Notify::new(),
            tasks: TaskTracker::new(),
        }
    }

    /// Delivers a callback that this boot has just queued and already holds the claim of.
    pub fn fresh(self: &Arc<Self>, call: CallId, url: &CallbackUrl) {
        self.start(url.destination(), Waiting::Fresh(call));
    }

    /// Begins a try when there is a free place for it, else lets it wait for one.
    fn start(self: &Arc<Self>, address: String, next: Waiting) {
        let Some(admitted) = self.destinations.lock().admit(address, next) else { return };
        let this = Arc::clone(self);
        self.tasks.spawn_on(async move { this.deliver(admitted).await }, &self.control);
    }

    /// Looks for due callbacks until the task is dropped.
    pub async fn run(self: &Arc<Self>) {
        let mut failing = false;
        loop {
            match self.claim_due().await {
                Ok(()) => failing = false,
                Err(error) => {
                    if !failing {
                        tracing::error!(error = causes(&error), "callbacks cannot be claimed");
                    }
                    failing = true;
                }
            }
            let _ = tokio::time::timeout(self.idle(), self.hint.notified()).await;
        }
    }

    /// Waits until no try is under way, or `limit` is over.
    pub async fn flushed(&self, limit: Duration) {
        self.tasks.close();
        if tokio::time::timeout(limit, self.tasks.wait()).await.is_err() {
            tracing::warn!("callback tries were cut off; the next start repeats them");
        }
    }

    async fn claim_due(self: &Arc<Self>) -> Result<(), StoreUnavailable> {
        loop {
            let (room, full) = {
                let destinations = self.destinations.lock();
                (destinations.room(), destinations.full())
            };
            let room = u32::try_from(room.min(32)).unwrap_or(0);
            if room == 0 {
                return Ok(());
            }
            let claimed = self.callbacks.claim(self.boot, self.clock.now(), LEASE, &full, room).await?;
            if claimed.is_empty() {
                return Ok(());
            }
            let leased = self.clock.since_boot();
            for callback in claimed {
                self.start(callback.draft.url.destination(), Waiting::Claimed(Box::new(callback), leased));
            }
        }
    }

    /// Makes one try, and then those of whoever waits, in the same place.
    async fn deliver(self: Arc<Self>, first: (String, Waiting)) {
        let mut next = Some(first);
        while let Some((address, waiting)) = next {
            match waiting {
                Waiting::Fresh(call) => self.try_fresh(call).await,
                Waiting::Claimed(callback, leased) => {
                    // One that waited for too long is found again when its lease is over.
                    if self.clock.since_boot().saturating_sub(leased) < LEASE.saturating_sub(TRY_LIMIT) {
                        self.try_once(*callback).await;
                    }
                }
                Waiting::ByHand(by_hand) => self.try_by_hand(*by_hand).await,
            }
            next = self.destinations.lock().give_back(&address);
        }
    }

    async fn try_fresh(&self, call: CallId) {
        match self.callbacks.claim_fresh(self.boot, call, self.clock.now(), LEASE).await {
            Ok(Some(callback)) => self.try_once(callback).await,
            // Somebody else has it, or it was settled meanwhile.
            Ok(None) => {}
            // Its lease runs out, and the poll finds it.
            Err(error) => tracing::warn!(%call, error = causes(&error), "a fresh callback cannot be claimed"),
        }
    }

    async fn try_once(&self, callback: ClaimedCallback) {
        let call = callback.call;
        crash_point("callback-claimed");
        let began_at = self.clock.now();
        let began = self.clock.since_boot();
        let outcome = self.sender.send(&callback).await;
        crash_point("callback-sent");
        let took = self.clock.since_boot().saturating_sub(began).min(TRY_LIMIT * 2);
        let tries = callback.tries_before.saturating_add(1);
        let settled = if outcome.confirmed() {
            Settled::Delivered
        } else {
            wait_after(tries).map_or(Settled::GivenUp, |wait| Settled::Again(self.clock.now() + wait))
        };
        log_try(call, tries, &outcome, settled, took);
        let record = TryRecord { began_at, took, outcome };
        self.record(call, callback.tries_before, record, settled, began + LEASE).await;
        crash_point("callback-settled");
        if let Settled::Again(at) = settled {
            self.wake_at(at);
        }
    }

    /// Records a try, as soon as the store is there but no later than `until`: the receiver should
    /// not hear again what it has confirmed.
    async fn record(
        &self,
        call: CallId,
        tries_before: u16,
        record: TryRecord,
        settled: Settled,
        until: Duration,
    ) {
        loop {
            match self.callbacks.settle(self.boot, call, tries_before, record.clone(), settled).await {
                Ok(true) => return,
                Ok(false) => {
                    return tracing::warn!(%call, "a callback's claim was lost before it was settled");
                }
                Err(error) if self.clock.since_boot() >= until => {
                    return tracing::error!(%call, error = causes(&error), "a callback's try was not recorded; it is repeated");
                }
                Err(_) => tokio::time::sleep(RECORD_AGAIN).await,
            }
        }
    }

    /// Wakes the poll when a retry falls due, so that the schedule is kept to the moment.
    fn wake_at(&self, at: OffsetDateTime) {
        let mut retries = self.retries.lock();
        if retries.len() < RETRIES {
            retries.push(Reverse(at));
            drop(retries);
            self.hint.notify_one();
        }
    }

    /// How long the poll may sleep: until the next retry that is known here.
    fn idle(&self) -> Duration {
        let now = self.clock.now();
        let mut retries = self.retries.lock();
        let known = retries.len();
        while retries.peek().is_some_and(|Reverse(at)| *at <= now) {
            retries.pop();
        }
        if retries.len() < known {
            return Duration::ZERO;
        }
        let next = retries.peek().and_then(|Reverse(at)| Duration::try_from(*at - now).ok());
        next.map_or(POLL, |wait| wait.min(POLL))
    }
}

fn log_try(call: CallId, number: u16, outcome: &TryOutcome, settled: Settled, took: Duration) {
    let took_ms = took.as_millis();
    match settled {
        Settled::Delivered => {
            tracing::info!(%call, try_number = number, ?outcome, took_ms, "callback delivered");
        }
        Settled::Again(at) => {
            tracing::info!(%call, try_number = number, ?outcome, took_ms, next = rfc3339(at), "callback failed");
        }
        Settled::GivenUp => {
            tracing::warn!(%call, try_number = number, ?outcome, took_ms, "callback given up");
        }
    }
}
