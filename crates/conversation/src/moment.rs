//! Time within a call.

use std::fmt;
use std::ops::Add;
use std::time::Duration;

/// A moment of a call: whole milliseconds since the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub u64);

impl Millis {
    /// The moment of the answer.
    pub const ANSWER: Self = Self(0);

    /// The time from an earlier moment to this one; zero when that one is later.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// The moment that is so much earlier, at most the answer.
    #[must_use]
    pub fn before(self, by: Duration) -> Self {
        Self(self.0.saturating_sub(whole_millis(by)))
    }
}

impl Add<Duration> for Millis {
    type Output = Self;

    fn add(self, length: Duration) -> Self {
        Self(self.0.saturating_add(whole_millis(length)))
    }
}

/// The clock of a transcript: `mm:ss`.
impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0 / 1000;
        write!(f, "{:02}:{:02}", seconds / 60, seconds % 60)
    }
}

fn whole_millis(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}
