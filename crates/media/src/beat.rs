//! The 20 ms beat: absolute deadlines, so that lateness never adds up.

use std::time::Duration;

use domain::audio::FRAME;

/// How many beats may follow each other at once after a stall; older ones are left out.
const MOST_AT_ONCE: u32 = 3;

/// The beat of one session; times are counted from the session's beginning.
#[derive(Debug)]
pub(crate) struct Beat {
    next: Duration,
}

/// One beat that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    /// When it should have been.
    pub(crate) deadline: Duration,
    /// How many beats were left out before it.
    pub(crate) skipped: u32,
}

impl Beat {
    /// A beat whose first is due at `start`.
    pub(crate) fn new(start: Duration) -> Self {
        Self { next: start }
    }

    /// When the next beat is due.
    pub(crate) fn deadline(&self) -> Duration {
        self.next
    }

    /// Takes the beat that is due by `now`, if any.
    pub(crate) fn take(&mut self, now: Duration) -> Option<Due> {
        let late = now.checked_sub(self.next)?;
        let behind = u32::try_from(late.as_nanos() / FRAME.as_nanos()).unwrap_or(u32::MAX);
        let skipped = behind.saturating_sub(MOST_AT_ONCE - 1);
        let deadline = self.next + FRAME * skipped;
        self.next = deadline + FRAME;
        Some(Due { deadline, skipped })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn lateness_does_not_add_up() {
        let mut beat = Beat::new(ms(7));
        assert_eq!(beat.take(ms(6)), None);
        for count in 0..1_000 {
            let deadline = ms(7 + 20 * count);
            assert_eq!(beat.take(deadline + ms(3)), Some(Due { deadline, skipped: 0 }));
            assert_eq!(beat.take(deadline + ms(3)), None);
        }
    }

    #[test]
    fn a_short_stall_is_caught_up() {
        let mut beat = Beat::new(ms(0));
        let now = ms(45);
        for deadline in [0, 20, 40] {
            assert_eq!(beat.take(now), Some(Due { deadline: ms(deadline), skipped: 0 }));
        }
        assert_eq!(beat.take(now), None);
    }

    #[test]
    fn a_long_stall_leaves_beats_out_instead_of_bursting() {
        let mut beat = Beat::new(ms(0));
        let now = ms(1_010);
        assert_eq!(beat.take(now), Some(Due { deadline: ms(960), skipped: 48 }));
        assert_eq!(beat.take(now), Some(Due { deadline: ms(980), skipped: 0 }));
        assert_eq!(beat.take(now), Some(Due { deadline: ms(1_000), skipped: 0 }));
        assert_eq!(beat.take(now), None);
        assert_eq!(beat.deadline(), ms(1_020));
    }
}
