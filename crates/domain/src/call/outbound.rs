//! The outbound call as a state machine: each state holds its own data, and a move consumes it.

use time::OffsetDateTime;

use super::{CallDetails, CallStatus, EndedReason};

/// The INVITE is prepared or under way, and nothing has rung yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialling;

/// The other side is being alerted (a 18x came; RFC 3261 §21.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ringing {
    /// When it began to ring.
    pub since: OffsetDateTime,
}

/// The callee answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connected {
    /// The moment of the answer: from here the call has a length.
    pub since: OffsetDateTime,
}

/// A live outbound call; outside, all of these are `calling`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Live {
    /// Nothing has rung yet.
    Dialling(Dialling),
    /// It rings.
    Ringing(Ringing),
    /// The two are talking.
    Connected(Connected),
}

/// A call that is over; nothing leads out of here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Why it ended.
    pub reason: EndedReason,
    /// The moment of the answer, if there was one.
    pub started_at: Option<OffsetDateTime>,
    /// The moment of the end.
    pub ended_at: OffsetDateTime,
}

impl Dialling {
    /// The other side began to ring.
    pub fn ring(self, at: OffsetDateTime) -> Ringing {
        Ringing { since: at }
    }

    /// The callee answered without ringing first.
    pub fn answer(self, at: OffsetDateTime) -> Connected {
        Connected { since: at }
    }

    /// The attempt is over.
    pub fn end(self, reason: EndedReason, at: OffsetDateTime) -> Ended {
        Ended { reason, started_at: None, ended_at: at }
    }
}

impl Ringing {
    /// The callee answered (RFC 3261 §13.2.2.4).
    pub fn answer(self, at: OffsetDateTime) -> Connected {
        Connected { since: at }
    }

    /// Nobody will answer any more.
    pub fn end(self, reason: EndedReason, at: OffsetDateTime) -> Ended {
        Ended { reason, started_at: None, ended_at: at }
    }
}

impl Connected {
    /// One side, a limit or a fault ended the conversation; it never ends before it began.
    pub fn end(self, reason: EndedReason, at: OffsetDateTime) -> Ended {
        Ended { reason, started_at: Some(self.since), ended_at: at.max(self.since) }
    }
}

impl Live {
    /// A call at its very beginning.
    pub const fn dialling() -> Self {
        Self::Dialling(Dialling)
    }

    /// A 18x came; only the first one makes a difference, and none does after the answer.
    #[must_use]
    pub fn ring(self, at: OffsetDateTime) -> Self {
        match self {
            Self::Dialling(call) => Self::Ringing(call.ring(at)),
            Self::Ringing(_) | Self::Connected(_) => self,
        }
    }

    /// A 200 came; a repeated one changes nothing.
    #[must_use]
    pub fn answer(self, at: OffsetDateTime) -> Self {
        match self {
            Self::Dialling(call) => Self::Connected(call.answer(at)),
            Self::Ringing(call) => Self::Connected(call.answer(at)),
            Self::Connected(_) => self,
        }
    }

    /// The call is over.
    pub fn end(self, reason: EndedReason, at: OffsetDateTime) -> Ended {
        match self {
            Self::Dialling(call) => call.end(reason, at),
            Self::Ringing(call) => call.end(reason, at),
            Self::Connected(call) => call.end(reason, at),
        }
    }

    /// Whether the other side has been alerted.
    pub const fn has_rung(self) -> bool {
        matches!(self, Self::Ringing(_) | Self::Connected(_))
    }

    /// Whether the callee has answered.
    pub const fn is_connected(self) -> bool {
        matches!(self, Self::Connected(_))
    }
}

impl Ended {
    /// The final status.
    pub const fn status(&self) -> CallStatus {
        self.reason.status(self.started_at.is_some())
    }

    /// Whole seconds between answer and end; none when there was no answer.
    pub fn duration(&self) -> Option<u64> {
        let started_at = self.started_at?;
        u64::try_from((self.ended_at - started_at).whole_seconds()).ok()
    }

    /// What the status endpoint and the record show.
    pub fn details(&self) -> CallDetails {
        CallDetails {
            started_at: self.started_at,
            ended_at: self.ended_at,
            duration: self.duration(),
            reason: self.reason,
        }
    }
}
