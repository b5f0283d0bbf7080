//! How trunks stand, as this node sees them, for people.

use std::time::Duration;

use crate::call::FinalAnswer;
use crate::ids::TrunkId;
use crate::network::Refused;

/// What is known of trunks. Each node asks for itself, so another one may see another picture.
pub trait TrunkReports: Send + Sync {
    /// How a trunk stands now; one that this node does not know was never asked.
    fn report(&self, trunk: TrunkId) -> TrunkReport;
}

/// How one trunk stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrunkReport {
    /// Whether it takes calls.
    pub standing: Standing,
    /// The last OPTIONS; none before its outcome is known.
    pub last_ping: Option<PingReport>,
    /// Our registration; none where none is wanted.
    pub registration: Option<RegistrationReport>,
    /// Calls of this node that it carries now, ringing ones included.
    pub live_calls: usize,
}

/// Whether a trunk takes calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// It was not asked yet; calls go to it.
    #[default]
    NeverAsked,
    /// It answers, or is one that never answers OPTIONS; calls go to it.
    Up,
    /// Several OPTIONS in a row failed; calls are refused.
    Down,
    /// It leads to the telephone inside the service, which is not asked.
    BuiltIn,
}

/// One OPTIONS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PingReport {
    /// How long ago its outcome was known.
    pub ago: Duration,
    /// From the request to the answer; none without one.
    pub round_trip: Option<Duration>,
    /// The answer, of any code, or why there was none.
    pub answer: Result<FinalAnswer, NoAnswer>,
}

/// Why a trunk gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoAnswer {
    /// Its name leads to no address.
    NoAddress,
    /// Its name leads to an address that the address guard refuses.
    Guarded(Refused),
    /// No connection came about: refused, unreachable, or TLS failed.
    NoConnection,
    /// It said nothing in time.
    Silent,
}

impl NoAnswer {
    /// Names the reason for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoAddress => "the name has no address",
            Self::Guarded(refused) => refused.as_str(),
            Self::NoConnection => "no connection",
            Self::Silent => "no answer",
        }
    }
}

/// Our registration with a trunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegistrationReport {
    /// The first answer is awaited.
    Pending,
    /// It stands, and is renewed before it runs out in so long.
    Stands {
        /// What is left of what the registrar granted.
        left: Duration,
    },
    /// The registrar refused it; it is tried again.
    Refused(FinalAnswer),
    /// The registrar could not be asked; it is tried again.
    Unanswered(NoAnswer),
}
