//! The upkeep of the store, in simulated time.

use std::sync::Arc;
use std::time::Duration;

use application::keep_house::KeepHouse;
use async_trait::async_trait;
use domain::ports::{Clock, Housekeeping, StoreUnavailable};
use time::OffsetDateTime;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use crate::support::SimulatedClock;

/// A step that was taken.
#[derive(Debug, PartialEq)]
enum Step {
    Fold,
    Forget { before: OffsetDateTime },
    ForgetSignIns { now: OffsetDateTime },
}

/// Tells each step, and has so many left of one kind; without any it is away.
struct House {
    steps: mpsc::UnboundedSender<Step>,
    folds_left: std::sync::Mutex<Option<u32>>,
}

#[async_trait]
impl Housekeeping for House {
    async fn fold_call_counts(&self) -> Result<bool, StoreUnavailable> {
        self.steps.send(Step::Fold).unwrap();
        let mut left = self.folds_left.lock().unwrap();
        let Some(count) = *left else { return Err(StoreUnavailable::because("away")) };
        *left = Some(count.saturating_sub(1));
        Ok(count > 0)
    }

    async fn forget_idempotency_keys(&self, before: OffsetDateTime) -> Result<bool, StoreUnavailable> {
        self.steps.send(Step::Forget { before }).unwrap();
        Ok(false)
    }

    async fn forget_sign_ins(&self, now: OffsetDateTime) -> Result<bool, StoreUnavailable> {
        self.steps.send(Step::ForgetSignIns { now }).unwrap();
        Ok(false)
    }
}

struct Kept {
    house: Arc<House>,
    clock: Arc<SimulatedClock>,
    steps: mpsc::UnboundedReceiver<Step>,
    _running: tokio_util::task::AbortOnDropHandle<()>,
}

fn keep(folds_left: Option<u32>) -> Kept {
    let (sender, steps) = mpsc::unbounded_channel();
    let house = Arc::new(House { steps: sender, folds_left: folds_left.into() });
    let clock = SimulatedClock::new();
    let keeping = KeepHouse { housekeeping: house.clone(), clock: clock.clone() };
    let running = tokio_util::task::AbortOnDropHandle::new(tokio::spawn(async move { keeping.run().await }));
    Kept { house, clock, steps, _running: running }
}

impl Kept {
    /// How many folds come within a time.
    async fn folds_within(&mut self, limit: Duration) -> usize {
        let until = Instant::now() + limit;
        let mut folds = 0;
        while let Ok(step) = timeout(until.saturating_duration_since(Instant::now()), self.steps.recv()).await
        {
            folds += usize::from(step == Some(Step::Fold));
        }
        folds
    }
}

#[tokio::test(start_paused = true)]
async fn counts_are_folded_every_two_seconds() {
    let mut kept = keep(Some(0));
    assert_eq!(kept.folds_within(Duration::from_millis(20_900)).await, 11);
}

#[tokio::test(start_paused = true)]
async fn what_is_left_is_folded_at_once_with_a_breath_between() {
    let mut kept = keep(Some(10));
    assert_eq!(kept.folds_within(Duration::from_millis(475)).await, 10);
    assert_eq!(kept.folds_within(Duration::from_millis(100)).await, 1);
    assert_eq!(kept.folds_within(Duration::from_secs(1)).await, 0);
}

#[tokio::test(start_paused = true)]
async fn keys_are_forgotten_a_day_after_their_request() {
    let mut kept = keep(Some(0));
    let mut seen = Vec::new();
    while seen.len() < 3 {
        if let Step::Forget { before } = kept.steps.recv().await.unwrap() {
            assert_eq!(before, kept.clock.now() - Duration::from_hours(24));
            seen.push(before);
        }
    }
    assert_eq!(seen[2] - seen[0], time::Duration::minutes(20));
}

#[tokio::test(start_paused = true)]
async fn sign_ins_that_are_over_are_forgotten_every_ten_minutes() {
    let mut kept = keep(Some(0));
    let mut seen = Vec::new();
    while seen.len() < 3 {
        if let Step::ForgetSignIns { now } = kept.steps.recv().await.unwrap() {
            assert_eq!(now, kept.clock.now());
            seen.push(now);
        }
    }
    assert_eq!(seen[2] - seen[0], time::Duration::minutes(20));
}

#[tokio::test(start_paused = true)]
async fn while_the_store_is_away_it_is_asked_no_more_often_and_then_goes_on() {
    let mut kept = keep(None);
    assert_eq!(kept.folds_within(Duration::from_millis(20_900)).await, 11);
    *kept.house.folds_left.lock().unwrap() = Some(5);
    assert_eq!(kept.folds_within(Duration::from_secs(2)).await, 6);
}
