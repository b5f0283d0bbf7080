//! The machine's clock and randomness, behind the domain's ports.

use std::time::Duration;

use domain::ports::{Clock, Entropy};
use domain::timestamp::to_millis;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
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

/// Open files that suffice for as many calls as there are usual ports: a call has two sockets, two
/// files and its provider's connection.
const OPEN_FILES: u64 = 65_536;

/// With fewer than this, some hundred calls at a time are too many.
const FEW_FILES: u64 = 4_096;

/// Lets this process have as many files open as it may. What systems give at first, often 1,024, is
/// meant for programs that cannot count beyond.
pub fn raise_open_files() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // None is no limit.
    let wanted = maximum.map_or(OPEN_FILES, |maximum| maximum.min(OPEN_FILES));
    let Some(mut open_files) = current else { return };
    if open_files < wanted && setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }).is_ok() {
        open_files = wanted;
    }
    if open_files < FEW_FILES {
        tracing::warn!(open_files, "few files may be open at a time: calls beyond some hundred will fail");
    }
}

/// How many files this process may have open now.
pub fn open_files() -> u64 {
    // None is no limit.
    getrlimit(Resource::Nofile).current.unwrap_or(OPEN_FILES)
}

/// The most TCP connections that SIP accepts without a setting: more peers have no trunks here.
const MOST_CONNECTIONS: u64 = 1_024;

/// How many TCP connections SIP may accept: a sixteenth of the open files, or what the operator set,
/// but never more than a quarter. The rest is for HTTP, the sockets and files of calls, and the
/// database.
pub fn sip_connections(open_files: u64, set: Option<usize>) -> usize {
    let count = |share: u64| usize::try_from(share.max(1)).unwrap_or(usize::MAX);
    let most = count(open_files / 4);
    match set {
        Some(set) if set > most => {
            tracing::warn!(set, most, open_files, "SIP__MAX_CONNECTIONS is more than the open files allow");
            most
        }
        Some(set) => set,
        None => count((open_files / 16).min(MOST_CONNECTIONS)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_files_may_be_open_as_the_system_allows() {
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let most = maximum.map_or(OPEN_FILES, |maximum| maximum.min(OPEN_FILES));
        // One less harms no test beside this one.
        let lowered = Rlimit { current: current.map(|current| current.min(most) - 1), maximum };
        setrlimit(Resource::Nofile, lowered).unwrap();
        raise_open_files();
        assert_eq!(getrlimit(Resource::Nofile), Rlimit { current: Some(most), maximum });
    }

    #[test]
    fn sip_connections_leave_most_open_files_to_the_rest() {
        for (open_files, set, connections) in [
            (65_536, None, 1_024),
            (4_096, None, 256),
            (1_024, None, 64),
            (8, None, 1),
            (1_024, Some(100), 100),
            (1_024, Some(2_000), 256),
            (65_536, Some(2_000), 2_000),
        ] {
            assert_eq!(sip_connections(open_files, set), connections, "{open_files} {set:?}");
        }
    }

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
