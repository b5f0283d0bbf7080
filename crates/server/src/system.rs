//! The machine's clock and randomness, behind the domain's ports.

use std::time::Duration;

use domain::ports::{Clock, Entropy};
use domain::timestamp::to_millis;
use rustix::time::{ClockId, clock_gettime};
use time::OffsetDateTime;

/// The machine's wall clock and its time since boot.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where the wall clock is read")]
    fn now(&self) -> OffsetDateTime {
        to_millis(OffsetDateTime::now_utc())
    }

    fn since_boot(&self) -> Duration {
        // CLOCK_BOOTTIME goes on while the machine sleeps, so that a fence cannot outlive a nap.
        #[cfg(target_os = "linux")]
        let elapsed = clock_gettime(ClockId::Boottime);
        #[cfg(not(target_os = "linux"))]
        let elapsed = clock_gettime(ClockId::Monotonic);
        Duration::new(
            u64::try_from(elapsed.tv_sec).unwrap_or_default(),
            u32::try_from(elapsed.tv_nsec).unwrap_or_default(),
        )
    }
}

/// The operating system's random source.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        if let Err(cause) = getrandom::fill(bytes) {
            // Keys from a broken source would be worse than no process at all.
            tracing::error!(%cause, "the operating system gives no random bytes");
            std::process::abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wall_clock_is_cut_to_milliseconds_and_the_boot_clock_never_goes_back() {
        let first = SystemClock.since_boot();
        assert_eq!(SystemClock.now().nanosecond() % 1_000_000, 0);
        assert!(first > Duration::ZERO && SystemClock.since_boot() >= first);
    }

    #[test]
    fn two_draws_of_randomness_differ() {
        let (mut one, mut other) = ([0; 32], [0; 32]);
        SystemEntropy.fill(&mut one);
        SystemEntropy.fill(&mut other);
        assert_ne!(one, other);
    }
}
