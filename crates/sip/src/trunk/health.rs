//! What is known about one trunk, from its pings and its registration.

use std::net::SocketAddr;
use std::time::Duration;

use domain::call::FinalAnswer;
use domain::ports::{NoAnswer, PingReport, RegistrationReport, Standing, TrunkReport, TrunkState};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::ping::Pinged;

/// So many pings in a row must fail before a trunk is down: one alone may be our own hiccup.
const FAILURES: u32 = 2;

/// What is known about one trunk. Only pings mark it down, never the answer to a call.
#[derive(Default)]
pub(crate) struct Health(Mutex<Known>);

#[derive(Default)]
struct Known {
    pinged: Option<(Pinged, Instant)>,
    /// Whether a ping was ever answered.
    answers: bool,
    failures: u32,
    registration: Option<Registration>,
}

/// How the registration stands.
#[derive(Clone, Debug)]
pub(super) enum Registration {
    Pending,
    Until(Instant),
    Refused(FinalAnswer),
    Unanswered(NoAnswer),
}

impl Health {
    pub(super) fn registered(&self, registration: Registration) {
        self.0.lock().registration = Some(registration);
    }

    /// Takes a ping's result and tells whether the trunk is up.
    pub(super) fn pinged(&self, pinged: Pinged) -> bool {
        let mut known = self.0.lock();
        known.answers |= pinged.alive();
        // Some carriers drop every OPTIONS: silence says something only of a trunk that has answered.
        let failed = !pinged.alive() && (known.answers || !pinged.silent);
        known.failures = if failed { known.failures.saturating_add(1) } else { 0 };
        known.pinged = Some((pinged, Instant::now()));
        known.is_up()
    }

    /// How it stands for whoever sends calls to it.
    pub(super) fn state(&self) -> TrunkState {
        let known = self.0.lock();
        TrunkState {
            up: known.is_up(),
            last_ping: known.pinged.as_ref().map(|(pinged, _)| pinged.said.clone()),
            registered: known
                .registration
                .as_ref()
                .map(|registration| matches!(registration, Registration::Until(_))),
        }
    }

    /// How it stands for people; of live calls nothing is known here.
    pub(super) fn report(&self) -> TrunkReport {
        let (known, now) = (self.0.lock(), Instant::now());
        let standing = match &known.pinged {
            None => Standing::NeverAsked,
            Some(_) if known.is_up() => Standing::Up,
            Some(_) => Standing::Down,
        };
        let last_ping = known.pinged.as_ref().map(|(pinged, at)| PingReport {
            ago: now.saturating_duration_since(*at),
            round_trip: pinged.answer.as_ref().ok().map(|(_, took)| *took),
            answer: pinged.answer.clone().map(|(answer, _)| answer),
        });
        let registration = known.registration.as_ref().map(|registration| registration.report(now));
        TrunkReport { standing, last_ping, registration, live_calls: 0 }
    }

    /// Whether a gateway gave no answer when it was asked last.
    pub(super) fn dead(&self, gateway: SocketAddr) -> bool {
        let known = self.0.lock();
        known.pinged.as_ref().is_some_and(|(pinged, _)| pinged.dead.contains(&gateway))
    }
}

impl Known {
    const fn is_up(&self) -> bool {
        self.failures < FAILURES
    }
}

impl Registration {
    /// It stands for so long from now on.
    pub(super) fn standing(granted: Duration) -> Self {
        Self::Until(Instant::now() + granted)
    }

    fn report(&self, now: Instant) -> RegistrationReport {
        match self {
            Self::Pending => RegistrationReport::Pending,
            Self::Until(until) => RegistrationReport::Stands { left: until.saturating_duration_since(now) },
            Self::Refused(answer) => RegistrationReport::Refused(answer.clone()),
            Self::Unanswered(why) => RegistrationReport::Unanswered(*why),
        }
    }
}
