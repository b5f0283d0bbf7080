//! A clock that tests move, and randomness that repeats itself.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use domain::ports::{Clock, Entropy};
use time::OffsetDateTime;
use time::macros::datetime;

/// A clock that stands still until it is moved.
#[derive(Default)]
pub(crate) struct TestClock(AtomicI64);

impl TestClock {
    pub(crate) fn advance(&self, by: Duration) {
        self.0.fetch_add(i64::try_from(by.as_millis()).unwrap(), Ordering::Relaxed);
    }
}

impl Clock for TestClock {
    fn now(&self) -> OffsetDateTime {
        datetime!(2026-11-20 16:05 UTC) + time::Duration::milliseconds(self.0.load(Ordering::Relaxed))
    }

    fn since_boot(&self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.load(Ordering::Relaxed)).unwrap())
    }
}

/// Bytes that are never the same twice.
#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Entropy for Counter {
    fn fill(&self, bytes: &mut [u8]) {
        let count = self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        bytes.fill(0xA5);
        for (place, byte) in bytes.iter_mut().rev().zip(count.iter().rev()) {
            *place = *byte;
        }
    }
}
