//! The board of an organization's calls: how each stands, what they came to, and how many there were when.

use time::{Duration, OffsetDateTime, UtcOffset};

use super::{CallLog, CallQuery, CallStatus, EndedReason, Live};
use crate::ids::CallId;
use crate::page::Page;

/// How a call stands, or how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallState {
    /// Nothing has rung yet.
    Dialling,
    /// It rings.
    Ringing,
    /// The two are talking.
    Connected,
    /// Connected and ended normally.
    Completed,
    /// Rang and was not answered.
    NoAnswer,
    /// The destination was busy or declined.
    Busy,
    /// Could not be completed due to an error.
    Failed,
}

impl CallState {
    /// Every state, live ones first.
    pub const ALL: [Self; 7] = [
        Self::Dialling,
        Self::Ringing,
        Self::Connected,
        Self::Completed,
        Self::NoAnswer,
        Self::Busy,
        Self::Failed,
    ];

    /// Of a call that is over; `connected` if it ever was.
    pub const fn ended(reason: EndedReason, connected: bool) -> Self {
        match reason.status(connected) {
            CallStatus::Completed => Self::Completed,
            CallStatus::Busy => Self::Busy,
            CallStatus::NoAnswer => Self::NoAnswer,
            // No reason leads to `calling`.
            CallStatus::Failed | CallStatus::Calling => Self::Failed,
        }
    }

    /// Of a live call that no leg of ours carries: it came to us.
    pub const fn without_leg(answered: bool) -> Self {
        if answered { Self::Connected } else { Self::Ringing }
    }

    /// The state's written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dialling => "dialling",
            Self::Ringing => "ringing",
            Self::Connected => "connected",
            Self::Completed => "completed",
            Self::NoAnswer => "no-answer",
            Self::Busy => "busy",
            Self::Failed => "failed",
        }
    }

    /// Whether the call goes on.
    pub const fn is_live(self) -> bool {
        matches!(self, Self::Dialling | Self::Ringing | Self::Connected)
    }

    /// The status that the interface shows.
    pub const fn status(self) -> CallStatus {
        match self {
            Self::Dialling | Self::Ringing | Self::Connected => CallStatus::Calling,
            Self::Completed => CallStatus::Completed,
            Self::NoAnswer => CallStatus::NoAnswer,
            Self::Busy => CallStatus::Busy,
            Self::Failed => CallStatus::Failed,
        }
    }
}

impl From<Live> for CallState {
    fn from(live: Live) -> Self {
        match live {
            Live::Dialling(_) => Self::Dialling,
            Live::Ringing(_) => Self::Ringing,
            Live::Connected(_) => Self::Connected,
        }
    }
}

/// A call of the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardCall {
    /// All that is known of it.
    pub log: CallLog,
    /// How it stands.
    pub state: CallState,
}

impl BoardCall {
    /// Where a list by creation goes on after this call.
    pub const fn cursor(&self) -> CallCursor {
        CallCursor { created_at: self.log.listing.created_at, call: self.log.listing.id }
    }
}

/// A place in a list by creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallCursor {
    /// When the call there was made.
    pub created_at: OffsetDateTime,
    /// Its id, for several may be made at a moment.
    pub call: CallId,
}

/// Which calls the board shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardQuery {
    /// As lists have them.
    pub calls: CallQuery,
    /// With this status.
    pub status: Option<CallStatus>,
    /// Of which spans of time the calls are counted.
    pub chart: Option<ChartBounds>,
}

/// Where the bars of a chart begin, and where the last one ends: at whole half hours of UTC, at
/// which the days of all time zones begin that an organization may be in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartBounds(Vec<OffsetDateTime>);

impl ChartBounds {
    /// The most bars of a chart.
    pub const MOST: usize = 100;

    /// Takes 2 to [`Self::MOST`] + 1 rising moments; none when they are not at half hours.
    pub fn new(bounds: Vec<OffsetDateTime>) -> Option<Self> {
        let at_half_hour = |at: &OffsetDateTime| {
            at.checked_to_offset(UtcOffset::UTC).is_some_and(|utc| {
                utc.truncate_to_hour() == utc || utc.truncate_to_hour() + Duration::minutes(30) == utc
            })
        };
        let fits = (2..=Self::MOST + 1).contains(&bounds.len())
            && bounds.iter().all(at_half_hour)
            && bounds.is_sorted_by(|one, next| one < next);
        fits.then_some(Self(bounds))
    }

    /// The moments.
    pub fn moments(&self) -> &[OffsetDateTime] {
        &self.0
    }

    /// Each bar's first moment, and the first one after it.
    pub fn bars(&self) -> impl Iterator<Item = (OffsetDateTime, OffsetDateTime)> {
        self.0.iter().copied().zip(self.0.iter().copied().skip(1))
    }
}

/// How many calls stand how, by status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// In progress.
    pub calling: u64,
    /// Connected and ended normally.
    pub completed: u64,
    /// Rang and were not answered.
    pub no_answer: u64,
    /// Busy or declined.
    pub busy: u64,
    /// Not completed due to an error.
    pub failed: u64,
}

impl Outcomes {
    /// How many have this status.
    pub const fn of(&self, status: CallStatus) -> u64 {
        match status {
            CallStatus::Calling => self.calling,
            CallStatus::Completed => self.completed,
            CallStatus::NoAnswer => self.no_answer,
            CallStatus::Busy => self.busy,
            CallStatus::Failed => self.failed,
        }
    }

    /// All of them.
    pub const fn total(&self) -> u64 {
        self.calling
            .saturating_add(self.completed)
            .saturating_add(self.no_answer)
            .saturating_add(self.busy)
            .saturating_add(self.failed)
    }

    /// Adds calls of a status.
    pub const fn add(&mut self, status: CallStatus, calls: u64) {
        let own = match status {
            CallStatus::Calling => &mut self.calling,
            CallStatus::Completed => &mut self.completed,
            CallStatus::NoAnswer => &mut self.no_answer,
            CallStatus::Busy => &mut self.busy,
            CallStatus::Failed => &mut self.failed,
        };
        *own = own.saturating_add(calls);
    }
}

/// A page of calls with what is counted beside it, all of the same moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// The page, and how many calls all filters leave.
    pub calls: Page<BoardCall>,
    /// The calls of the query's span and type by status, whatever their assistant, intent or status.
    pub outcomes: Outcomes,
    /// The same for each bar of the chart, of which the span plays no part.
    pub chart: Vec<Outcomes>,
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn every_reason_leads_to_the_state_of_its_status() {
        for reason in EndedReason::ALL {
            for connected in [false, true] {
                let state = CallState::ended(reason, connected);
                assert_eq!(state.status(), reason.status(connected), "{reason:?}");
                assert!(!state.is_live());
            }
        }
        let live = CallState::ALL.into_iter().filter(|state| state.is_live());
        assert_eq!(live.map(CallState::status).collect::<Vec<_>>(), [CallStatus::Calling; 3]);
    }

    #[test]
    fn bars_begin_at_half_hours_and_rise() {
        let (first, second) = (datetime!(2026-03-01 03:30 UTC), datetime!(2026-03-02 03:30 UTC));
        let bounds = ChartBounds::new(vec![first, second]).unwrap();
        assert_eq!(bounds.bars().collect::<Vec<_>>(), [(first, second)]);
        // The same moment, as Newfoundland has it.
        assert!(ChartBounds::new(vec![datetime!(2026-03-01 00:00 -3:30), second]).is_some());
        for bad in [
            vec![],
            vec![first],
            vec![first, first],
            vec![second, first],
            vec![first, datetime!(2026-03-01 03:45 UTC)],
            vec![first, datetime!(2026-03-01 04:00:00.001 UTC)],
        ] {
            assert_eq!(ChartBounds::new(bad.clone()), None, "{bad:?}");
        }
        let many = |count: i64| (0..count).map(|hours| first + Duration::hours(hours)).collect();
        assert!(ChartBounds::new(many(101)).is_some());
        assert_eq!(ChartBounds::new(many(102)), None);
    }

    #[test]
    fn outcomes_are_counted_by_status() {
        let mut outcomes = Outcomes::default();
        for (calls, status) in (1..).zip(CallStatus::ALL) {
            outcomes.add(status, calls);
            outcomes.add(status, calls);
        }
        for (calls, status) in (1..).zip(CallStatus::ALL) {
            assert_eq!(outcomes.of(status), 2 * calls);
        }
        assert_eq!(outcomes.total(), 30);
    }
}
