//! Upkeep of the store, a little at a time: on every node, for any of them may be the only one.

use std::sync::Arc;
use std::time::Duration;

use domain::idempotency::LIFETIME;
use domain::ports::{Clock, Housekeeping, StoreUnavailable};
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::causes::causes;

/// How often there is a look at what there is to do: totals are read together with what has
/// gathered since.
const EVERY: Duration = Duration::from_secs(2);

/// Between two steps while there is more to do, so that calls come first.
const PAUSE: Duration = Duration::from_millis(50);

/// How often idempotency keys, sessions and links are forgotten. Past their lifetime they do nothing
/// meanwhile.
const FORGET_EVERY: Duration = Duration::from_mins(10);

/// Keeps the store small and its totals quick.
pub struct KeepHouse {
    /// Does the work.
    pub housekeeping: Arc<dyn Housekeeping>,
    /// Tells which keys are past their lifetime.
    pub clock: Arc<dyn Clock>,
}

impl KeepHouse {
    /// Keeps house until the task is dropped.
    pub async fn run(&self) {
        tokio::join!(
            keep(EVERY, "counts are not folded", || self.housekeeping.fold_call_counts()),
            keep(FORGET_EVERY, "idempotency keys are not forgotten", || {
                self.housekeeping.forget_idempotency_keys(self.clock.now() - LIFETIME)
            }),
            keep(FORGET_EVERY, "sessions and links that are over are not forgotten", || {
                self.housekeeping.forget_sign_ins(self.clock.now())
            }),
        );
    }
}

/// Repeats a step until there is no more to do, at every tick; a failure waits for the next tick
/// and is told once.
async fn keep<F>(every: Duration, complaint: &'static str, step: impl Fn() -> F)
where
    F: Future<Output = Result<bool, StoreUnavailable>>,
{
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut failing = false;
    loop {
        ticks.tick().await;
        let done = finish(&step).await;
        if let Err(error) = &done
            && !failing
        {
            tracing::error!(error = causes(error), "{complaint}");
        }
        failing = done.is_err();
    }
}

async fn finish<F>(step: &impl Fn() -> F) -> Result<(), StoreUnavailable>
where
    F: Future<Output = Result<bool, StoreUnavailable>>,
{
    while step().await? {
        sleep(PAUSE).await;
    }
    Ok(())
}
