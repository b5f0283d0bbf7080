//! Whether a connection still lives: what is owed is due in time, and a quiet one is asked.

use tokio::time::Instant;

use super::dialogue::Trouble;
use crate::settings::Timeouts;

/// What has to be done at [`Pulse::next`].
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Due {
    Nothing,
    /// Ask for a sign of life.
    Ping,
    /// Give the connection up.
    GiveUp(Trouble),
}

/// The signs of life of a connection.
#[derive(Debug)]
pub(super) struct Pulse {
    timeouts: Timeouts,
    /// The last that came in, whatever it was.
    last: Instant,
    pinged: bool,
    /// Since when our configuration waits for the provider's word.
    configured: Option<Instant>,
    /// When the server last told something, or came to owe us something.
    owed: Option<Instant>,
}

impl Pulse {
    pub(super) const fn new(timeouts: Timeouts, now: Instant) -> Self {
        Self { timeouts, last: now, pinged: false, configured: None, owed: None }
    }

    /// Something came in.
    pub(super) fn beat(&mut self, now: Instant) {
        self.last = now;
        self.pinged = false;
    }

    /// The server said something, and owes more or not.
    pub(super) fn event(&mut self, now: Instant, owes: bool) {
        self.owed = owes.then_some(now);
    }

    /// We said something, after which the server owes an answer or not.
    pub(super) fn ordered(&mut self, now: Instant, owes: bool) {
        self.owed = if owes { self.owed.or(Some(now)) } else { None };
    }

    /// Our configuration was sent.
    pub(super) const fn configured(&mut self, now: Instant) {
        self.configured = Some(now);
    }

    /// It holds.
    pub(super) const fn confirmed(&mut self) {
        self.configured = None;
    }

    /// When to look again.
    pub(super) fn next(&self) -> Instant {
        let Timeouts { ready, stall, quiet, .. } = self.timeouts;
        let life = self.last + if self.pinged { quiet + stall } else { quiet };
        let owed = self.owed.map(|since| since + stall);
        let configured = self.configured.map(|since| since + ready);
        [owed, configured].into_iter().flatten().fold(life, Instant::min)
    }

    /// What is due now.
    pub(super) fn look(&mut self, now: Instant) -> Due {
        let Timeouts { ready, stall, quiet, .. } = self.timeouts;
        let lost = |cause: &str| Due::GiveUp(Trouble::Lost(cause.to_owned()));
        if self.configured.is_some_and(|since| now >= since + ready) {
            return lost("the provider did not confirm the session in time");
        }
        if self.owed.is_some_and(|since| now >= since + stall) {
            return lost("the provider stalled in an answer");
        }
        if now >= self.last + quiet + stall {
            return lost("the provider gives no sign of life");
        }
        if now >= self.last + quiet && !self.pinged {
            self.pinged = true;
            return Due::Ping;
        }
        Due::Nothing
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn pulse() -> (Pulse, Instant) {
        let now = Instant::now();
        let seconds = Duration::from_secs;
        let timeouts =
            Timeouts { ready: seconds(8), stall: seconds(8), quiet: seconds(15), ..Timeouts::default() };
        (Pulse::new(timeouts, now), now)
    }

    fn given_up(due: &Due) -> bool {
        matches!(due, Due::GiveUp(Trouble::Lost(_)))
    }

    #[test]
    fn a_quiet_connection_is_asked_and_given_up_when_it_does_not_answer() {
        let (mut pulse, start) = pulse();
        let after = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(pulse.next(), after(15));
        assert_eq!(pulse.look(after(14)), Due::Nothing);
        assert_eq!(pulse.look(after(15)), Due::Ping);
        assert_eq!(pulse.look(after(16)), Due::Nothing, "it is asked once");
        assert_eq!(pulse.next(), after(23));
        assert!(given_up(&pulse.look(after(23))));
        pulse.beat(after(23));
        assert_eq!(pulse.look(after(37)), Due::Nothing);
    }

    #[test]
    fn an_answer_that_is_owed_must_show_progress() {
        let (mut pulse, start) = pulse();
        let after = |seconds| start + Duration::from_secs(seconds);
        pulse.ordered(start, true);
        pulse.ordered(after(3), true);
        assert_eq!(pulse.next(), after(8), "a second order does not help the first");
        pulse.event(after(7), true);
        assert_eq!(pulse.look(after(14)), Due::Nothing);
        assert!(given_up(&pulse.look(after(15))));
        pulse.event(after(15), false);
        pulse.beat(after(15));
        assert_eq!(pulse.look(after(29)), Due::Nothing);
    }

    #[test]
    fn a_configuration_must_be_confirmed() {
        let (mut pulse, start) = pulse();
        pulse.configured(start);
        assert!(given_up(&pulse.look(start + Duration::from_secs(8))));
        pulse.confirmed();
        assert_eq!(pulse.look(start + Duration::from_secs(8)), Due::Nothing);
    }
}
