//! The story of one call: all that was kept of it, and when each thing happened.

use time::OffsetDateTime;

use super::{
    ArtifactKey, ArtifactKind, BoardCall, CallFacts, CallType, EndedReason, FinalAnswer, TranscriptEntry,
};
use crate::ports::DeliveryTry;

/// Everything that is kept of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallStory {
    /// Its record and how it stands.
    pub call: BoardCall,
    /// How it was dialled; none of calls that came to us, or that were refused.
    pub dialled: Option<Dialled>,
    /// The final SIP answer, when the call did not come about.
    pub answer: Option<FinalAnswer>,
    /// The report of its end; none when nobody asked for one, or before the end.
    pub callback: Option<Report>,
    /// What was said and seen, once it is filed.
    pub account: Option<Account>,
    /// Where its analysis stands; none before it is due.
    pub analysis: Option<Provenance>,
}

impl CallStory {
    /// Its file of a kind, when it is stored.
    pub fn artifact(&self, kind: ArtifactKind) -> Option<&ArtifactKey> {
        self.call.log.artifacts.iter().find(|artifact| artifact.kind == kind)
    }
}

/// How a call was dialled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialled {
    /// The name of the trunk that carried it.
    pub trunk: String,
    /// When it began to ring.
    pub rang_at: Option<OffsetDateTime>,
}

/// The report of a call's end to its receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Where it goes.
    pub url: String,
    /// Where it stands.
    pub state: ReportState,
    /// Every try, in order.
    pub tries: Vec<DeliveryTry>,
}

/// Where the report of a call's end stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportState {
    /// It is tried at this time, or soon after.
    Due(OffsetDateTime),
    /// Its receiver confirmed it.
    Delivered,
    /// The last try failed.
    GivenUp,
}

/// What was said and seen on a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// What was said, in order.
    pub transcript: Vec<TranscriptEntry>,
    /// What was seen.
    pub facts: CallFacts,
}

/// Where the analysis of a call comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// It is still to be made.
    Due,
    /// From facts alone.
    Facts,
    /// This model wrote it.
    Model(String),
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening<'a> {
    /// The call was accepted, or came in.
    Accepted(CallType),
    /// It was dialled over the trunk of this name, at once.
    Dialled(&'a str),
    /// It began to ring.
    Rang,
    /// The callee answered.
    Answered,
    /// A machine had answered.
    MachineAnswered,
    /// A message was left after the beep.
    MessageLeft,
    /// It was handed to the assistant's target of this name.
    Forwarded(&'a str),
    /// It could not be handed to the target of this name.
    ForwardingFailed(&'a str),
    /// The key of the assistant's provider may not be sent there, and was not.
    CredentialRefused,
    /// The assistant broke.
    AssistantBroke,
    /// So many datagrams came from addresses whose audio is not accepted, and were dropped.
    ForeignAudio(u64),
    /// The assistant hung up and named this outcome.
    OutcomeNamed(&'a str),
    /// It ended.
    Ended {
        /// Why.
        reason: EndedReason,
        /// What the telephone network said.
        answer: Option<&'a FinalAnswer>,
    },
    /// Its end was reported, or not.
    Reported {
        /// Which try it was, and how it went.
        tried: &'a DeliveryTry,
    },
    /// The next try is due.
    ReportDue,
}

/// Something that happened on a call or because of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineEntry<'a> {
    /// When; none of what was seen between answer and end, at a moment that nobody noted.
    pub at: Option<OffsetDateTime>,
    /// What.
    pub what: Happening<'a>,
}

/// All that happened, in order. What bears the same moment comes in the order in which a call goes,
/// and what bears none between answer and end.
pub fn timeline(story: &CallStory) -> Vec<TimelineEntry<'_>> {
    let log = &story.call.log;
    let listing = &log.listing;
    let accepted = Some((listing.created_at, Happening::Accepted(listing.call_type)));
    let dialled = story.dialled.as_ref().map(|dialled| {
        let sent = (listing.created_at, Happening::Dialled(&dialled.trunk));
        (sent, dialled.rang_at.map(|at| (at, Happening::Rang)))
    });
    let answered = listing.started_at.map(|at| (at, Happening::Answered));
    let before = [accepted, dialled.map(|(sent, _)| sent), dialled.and_then(|(_, rang)| rang), answered];
    let seen = story.account.iter().flat_map(|account| seen(&account.facts));
    let end = listing.ended_at.zip(log.ended_reason);
    let ended = end.map(|(at, reason)| (at, Happening::Ended { reason, answer: story.answer.as_ref() }));
    let tries = story.callback.iter().flat_map(|report| &report.tries);
    let reported = tries.map(|tried| (tried.record.began_at, Happening::Reported { tried }));
    let due = story.callback.as_ref().and_then(|report| match report.state {
        ReportState::Due(at) => Some((at, Happening::ReportDue)),
        ReportState::Delivered | ReportState::GivenUp => None,
    });
    let timed = |(at, what)| TimelineEntry { at: Some(at), what };
    // Nodes' clocks differ a little: what comes after does not stand before.
    let mut entries: Vec<_> = before.into_iter().flatten().map(timed).collect();
    entries.sort_by_key(|entry| entry.at);
    entries.extend(seen.map(|what| TimelineEntry { at: None, what }));
    entries.extend(ended.map(timed));
    let mut after: Vec<_> = reported.chain(due).map(timed).collect();
    after.sort_by_key(|entry| entry.at);
    entries.extend(after);
    entries
}

/// What facts tell that somebody could have noted the time of.
fn seen(facts: &CallFacts) -> impl Iterator<Item = Happening<'_>> {
    [
        facts.machine_answered.then_some(Happening::MachineAnswered),
        facts.message_left.then_some(Happening::MessageLeft),
        facts.forwarding_failed.as_deref().map(Happening::ForwardingFailed),
        facts.forwarded_to.as_deref().map(Happening::Forwarded),
        facts.credential_refused.then_some(Happening::CredentialRefused),
        facts.assistant_broke.then_some(Happening::AssistantBroke),
        facts.outcome_named.as_deref().map(Happening::OutcomeNamed),
        (facts.foreign_packets > 0).then_some(Happening::ForeignAudio(facts.foreign_packets)),
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use time::macros::datetime;

    use super::*;
    use crate::call::{CallListing, CallLog, CallState};
    use crate::ids::{CallId, OrganizationId};
    use crate::ports::{TryOutcome, TryRecord};

    fn at(seconds: u64) -> OffsetDateTime {
        datetime!(2026-03-01 09:30 UTC) + Duration::from_secs(seconds)
    }

    /// A call as it is accepted.
    fn fresh() -> CallStory {
        let id = uuid::Uuid::from_u128;
        let listing = CallListing {
            id: CallId::from_uuid(id(1)),
            organization: OrganizationId::from_uuid(id(2)),
            call_type: CallType::Outbound,
            agent: None,
            team: None,
            number: None,
            started_at: None,
            ended_at: None,
            duration: None,
            user_number: None,
            created_at: at(0),
        };
        let log = CallLog {
            listing,
            ended_reason: None,
            user_name: None,
            user_primary_intent: None,
            user_sentiment: None,
            outcome: None,
            summary: None,
            summary_fr: None,
            artifacts: Vec::new(),
        };
        let call = BoardCall { log, state: CallState::Dialling };
        CallStory { call, dialled: None, answer: None, callback: None, account: None, analysis: None }
    }

    fn tried(number: u16, began_at: OffsetDateTime, outcome: TryOutcome) -> DeliveryTry {
        DeliveryTry {
            number,
            record: TryRecord { began_at, took: Duration::from_millis(5), outcome },
            by: None,
        }
    }

    #[test]
    fn a_whole_call_is_told_from_its_acceptance_to_the_last_try() {
        let mut story = fresh();
        story.dialled = Some(Dialled { trunk: "main".into(), rang_at: Some(at(2)) });
        story.call.log.listing.started_at = Some(at(5));
        story.call.log.listing.ended_at = Some(at(60));
        story.call.log.ended_reason = Some(EndedReason::AssistantForwardedCall);
        let facts = CallFacts {
            machine_answered: true,
            forwarded_to: Some("desk".into()),
            forwarding_failed: Some("sales".into()),
            outcome_named: Some("booked".into()),
            foreign_packets: 250,
            ..CallFacts::default()
        };
        story.account = Some(Account { transcript: Vec::new(), facts });
        let tries = vec![tried(1, at(60), TryOutcome::TimedOut), tried(2, at(71), TryOutcome::Answered(204))];
        story.callback = Some(Report { url: "https://a".into(), state: ReportState::Delivered, tries });
        let told = timeline(&story);
        let texts: Vec<_> = told
            .iter()
            .map(|entry| (entry.at.map(|moment| (moment - at(0)).whole_seconds()), entry.what))
            .collect();
        let tries = &story.callback.as_ref().unwrap().tries;
        let reason = EndedReason::AssistantForwardedCall;
        assert_eq!(
            texts,
            [
                (Some(0), Happening::Accepted(CallType::Outbound)),
                (Some(0), Happening::Dialled("main")),
                (Some(2), Happening::Rang),
                (Some(5), Happening::Answered),
                (None, Happening::MachineAnswered),
                (None, Happening::ForwardingFailed("sales")),
                (None, Happening::Forwarded("desk")),
                (None, Happening::OutcomeNamed("booked")),
                (None, Happening::ForeignAudio(250)),
                (Some(60), Happening::Ended { reason, answer: None }),
                (Some(60), Happening::Reported { tried: &tries[0] }),
                (Some(71), Happening::Reported { tried: &tries[1] }),
            ]
        );
    }

    #[test]
    fn a_busy_call_tells_what_the_network_said_and_what_is_due() {
        let mut story = fresh();
        story.dialled = Some(Dialled { trunk: "main".into(), rang_at: None });
        story.answer = Some(FinalAnswer { code: 486, phrase: "Busy Here".into() });
        story.call.log.listing.ended_at = Some(at(3));
        story.call.log.ended_reason = Some(EndedReason::CustomerBusy);
        let tries = vec![tried(1, at(4), TryOutcome::Answered(500))];
        story.callback = Some(Report { url: "https://a".into(), state: ReportState::Due(at(5)), tries });
        let told = timeline(&story);
        let whats: Vec<_> = told.iter().map(|entry| entry.what).collect();
        let first = &story.callback.as_ref().unwrap().tries[0];
        let answer = story.answer.as_ref();
        assert_eq!(
            whats,
            [
                Happening::Accepted(CallType::Outbound),
                Happening::Dialled("main"),
                Happening::Ended { reason: EndedReason::CustomerBusy, answer },
                Happening::Reported { tried: first },
                Happening::ReportDue,
            ]
        );
    }

    #[test]
    fn clocks_that_differ_do_not_put_the_report_before_the_end() {
        let mut story = fresh();
        story.call.log.listing.ended_at = Some(at(3));
        story.call.log.ended_reason = Some(EndedReason::NoAnswer);
        let tries = vec![tried(1, at(2), TryOutcome::Answered(200))];
        story.callback = Some(Report { url: "https://a".into(), state: ReportState::Delivered, tries });
        let told = timeline(&story);
        assert!(matches!(told.last().unwrap().what, Happening::Reported { .. }));
        assert_eq!(told.len(), 3);
    }

    #[test]
    fn a_call_that_came_to_us_was_not_dialled() {
        let mut story = fresh();
        story.call.log.listing.call_type = CallType::Inbound;
        let told = timeline(&story);
        assert_eq!(told, [TimelineEntry { at: Some(at(0)), what: Happening::Accepted(CallType::Inbound) }]);
    }
}
