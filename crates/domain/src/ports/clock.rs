//! Time and randomness, so that everything inside can be simulated.

use std::time::Duration;

use time::OffsetDateTime;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The wall clock, UTC, cut to milliseconds.
    fn now(&self) -> OffsetDateTime;

    /// Time since the machine started, counting sleep (`CLOCK_BOOTTIME`); never goes back.
    fn since_boot(&self) -> Duration;
}

/// Gives unpredictable bytes.
pub trait Entropy: Send + Sync {
    /// Fills `bytes` from a cryptographically secure source.
    fn fill(&self, bytes: &mut [u8]);
}
