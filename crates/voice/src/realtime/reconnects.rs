//! How often a lost connection is made anew.

use std::time::Duration;

/// So many connections may follow one another without one that held.
const MOST: u32 = 3;
/// A connection that lasted for so long did hold: providers end every session some day, and a call of
/// four hours outlives several.
const HELD: Duration = Duration::from_mins(10);

/// The connections that were made anew since one held.
#[derive(Debug, Default)]
pub(super) struct Reconnects(u32);

impl Reconnects {
    /// Whether another connection may follow one that `lasted` so long; once one has followed, each must
    /// last for at least `least`.
    pub(super) fn may_follow(&mut self, lasted: Duration, least: Duration) -> bool {
        if lasted >= HELD {
            self.0 = 0;
        }
        let too_soon = self.0 > 0 && lasted < least;
        if too_soon || self.0 == MOST {
            return false;
        }
        self.0 += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: Duration = Duration::from_secs(5);

    #[test]
    fn three_follow_the_first_unless_one_is_lost_at_once() {
        let mut reconnects = Reconnects::default();
        let lasted = [0, 5, 60, 60].map(Duration::from_secs);
        let may = lasted.map(|lasted| reconnects.may_follow(lasted, LEAST));
        assert_eq!(may, [true, true, true, false]);
        let mut reconnects = Reconnects::default();
        let may = [9, 4].map(|lasted| reconnects.may_follow(Duration::from_secs(lasted), LEAST));
        assert_eq!(may, [true, false]);
    }

    #[test]
    fn sessions_that_end_every_hour_carry_the_longest_call() {
        let mut reconnects = Reconnects::default();
        for lasted in [60, 60, 1, 59, 60, 60].map(Duration::from_mins) {
            assert!(reconnects.may_follow(lasted, LEAST));
        }
    }
}
