//! How many new calls a second a trunk takes from this node.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use domain::ids::TrunkId;
use parking_lot::Mutex;
use tokio::time::Instant;

/// A token bucket for each trunk that has a pace; the trunk's pace is shared by all live nodes.
pub(crate) struct Pace {
    live_nodes: AtomicU32,
    buckets: Mutex<HashMap<TrunkId, Bucket>>,
}

#[derive(Clone, Copy)]
struct Bucket {
    tokens: f64,
    filled: Instant,
}

impl Pace {
    /// A pace for one node.
    pub(crate) fn new() -> Self {
        Self { live_nodes: AtomicU32::new(1), buckets: Mutex::new(HashMap::new()) }
    }

    /// How many nodes share each pace, at least 1.
    pub(crate) fn share_among(&self, live_nodes: u32) {
        self.live_nodes.store(live_nodes.max(1), Ordering::Relaxed);
    }

    /// Takes one call's place at `now`; `false` when the pace is used up.
    pub(crate) fn take(&self, trunk: TrunkId, calls_per_second: Option<u32>, now: Instant) -> bool {
        let Some(whole) = calls_per_second else { return true };
        let rate = f64::from(whole) / f64::from(self.live_nodes.load(Ordering::Relaxed));
        // One second's worth at once, and never less than one call.
        let most = rate.max(1.0);
        let mut buckets = self.buckets.lock();
        let bucket = buckets.entry(trunk).or_insert(Bucket { tokens: most, filled: now });
        let gained = now.saturating_duration_since(bucket.filled).as_secs_f64() * rate;
        bucket.tokens = (bucket.tokens + gained).min(most);
        bucket.filled = now;
        if bucket.tokens < 1.0 {
            return false;
        }
        bucket.tokens -= 1.0;
        true
    }

    /// Forgets the trunks that `known` does not know.
    pub(crate) fn retain(&self, known: impl Fn(TrunkId) -> bool) {
        self.buckets.lock().retain(|trunk, _| known(*trunk));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn trunk() -> TrunkId {
        TrunkId::parse("01890000-0000-7000-8000-000000000001").unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_pace_lets_so_many_through_each_second() {
        let (pace, start) = (Pace::new(), Instant::now());
        let taken = |second: u64| {
            let now = start + Duration::from_secs(second);
            (0..20).filter(|_| pace.take(trunk(), Some(4), now)).count()
        };
        assert_eq!((taken(0), taken(1), taken(100)), (4, 4, 4));
        assert!(!pace.take(trunk(), Some(4), start + Duration::from_millis(100_200)));
        assert!(pace.take(trunk(), Some(4), start + Duration::from_millis(100_260)));
    }

    #[tokio::test(start_paused = true)]
    async fn nodes_share_a_pace_and_no_pace_is_no_limit() {
        let (pace, now) = (Pace::new(), Instant::now());
        pace.share_among(4);
        assert_eq!((0..10).filter(|_| pace.take(trunk(), Some(8), now)).count(), 2);
        assert_eq!((0..1000).filter(|_| pace.take(trunk(), None, now)).count(), 1000);
        pace.share_among(16);
        // Half a call a second: one every two seconds.
        let later = now + Duration::from_secs(100);
        assert!(pace.take(trunk(), Some(8), later));
        assert!(!pace.take(trunk(), Some(8), later + Duration::from_millis(1900)));
        assert!(pace.take(trunk(), Some(8), later + Duration::from_millis(2100)));
    }
}
