//! Every move of an outbound call, every reason's status, every final SIP answer.

#![allow(clippy::unwrap_used, reason = "tests fail by panic")]

use std::time::Duration;

use domain::call::{CallStatus, Connected, Dialling, Ended, EndedReason, FinalAnswer, Live, Ringing};
use domain::callback::wait_after;
use time::OffsetDateTime;
use time::macros::datetime;

fn at(seconds: u64) -> OffsetDateTime {
    datetime!(2026-03-01 09:30 UTC) + Duration::from_secs(seconds)
}

#[test]
fn every_state_moves_as_the_table_says() {
    let dialling = Live::dialling();
    let ringing = Live::Ringing(Ringing { since: at(1) });
    let connected = Live::Connected(Connected { since: at(2) });
    for (before, after_ring, after_answer) in [
        (dialling, Live::Ringing(Ringing { since: at(5) }), Live::Connected(Connected { since: at(5) })),
        (ringing, ringing, Live::Connected(Connected { since: at(5) })),
        (connected, connected, connected),
    ] {
        assert_eq!(before.ring(at(5)), after_ring);
        assert_eq!(before.answer(at(5)), after_answer);
    }
    assert_eq!(
        [dialling, ringing, connected].map(|live| (live.has_rung(), live.is_connected())),
        [(false, false), (true, false), (true, true)]
    );
}

#[test]
fn only_a_connected_call_ends_with_a_start() {
    let reason = EndedReason::TrunkError;
    for (live, started_at) in [
        (Live::Dialling(Dialling), None),
        (Live::Ringing(Ringing { since: at(1) }), None),
        (Live::Connected(Connected { since: at(2) }), Some(at(2))),
    ] {
        assert_eq!(live.end(reason, at(9)), Ended { reason, started_at, ended_at: at(9) });
    }
}

#[test]
fn a_call_never_ends_before_it_began_and_its_length_is_in_whole_seconds() {
    let connected = Connected { since: at(10) };
    let early = connected.end(EndedReason::CustomerEndedCall, at(9));
    assert_eq!((early.ended_at, early.duration()), (at(10), Some(0)));
    let late = connected.end(EndedReason::CustomerEndedCall, at(12) + Duration::from_millis(999));
    assert_eq!(late.duration(), Some(2));
    assert_eq!(Dialling.end(EndedReason::TrunkError, at(1)).duration(), None);
    let details = late.details();
    assert_eq!((details.started_at, details.ended_at), (Some(at(10)), late.ended_at));
    assert_eq!((details.duration, details.reason), (Some(2), EndedReason::CustomerEndedCall));
}

/// Design, state machine: reason, status when it was never connected, status when it was.
const REASONS: [(&str, CallStatus, CallStatus); 18] = [
    ("customer-ended-call", CallStatus::Completed, CallStatus::Completed),
    ("assistant-ended-call", CallStatus::Completed, CallStatus::Completed),
    ("assistant-forwarded-call", CallStatus::Completed, CallStatus::Completed),
    ("silence-timed-out", CallStatus::Completed, CallStatus::Completed),
    ("exceeded-max-duration", CallStatus::Completed, CallStatus::Completed),
    ("voicemail", CallStatus::Completed, CallStatus::Completed),
    ("customer-busy", CallStatus::Busy, CallStatus::Busy),
    ("customer-declined", CallStatus::Busy, CallStatus::Busy),
    ("no-answer", CallStatus::NoAnswer, CallStatus::NoAnswer),
    ("invalid-number", CallStatus::Failed, CallStatus::Failed),
    ("trunk-rejected", CallStatus::Failed, CallStatus::Failed),
    ("trunk-error", CallStatus::Failed, CallStatus::Failed),
    ("trunk-unreachable", CallStatus::Failed, CallStatus::Failed),
    ("capacity-exceeded", CallStatus::Failed, CallStatus::Failed),
    ("assistant-error", CallStatus::Failed, CallStatus::Failed),
    ("media-timeout", CallStatus::Failed, CallStatus::Failed),
    ("service-interrupted", CallStatus::Failed, CallStatus::Failed),
    ("manually-ended", CallStatus::Failed, CallStatus::Completed),
];

#[test]
fn every_reason_has_its_name_and_its_status() {
    assert_eq!(EndedReason::ALL.map(EndedReason::as_str), REASONS.map(|(name, ..)| name));
    for (name, unconnected, connected) in REASONS {
        let reason = EndedReason::parse(name).unwrap();
        assert_eq!((reason.status(false), reason.status(true)), (unconnected, connected), "{name}");
        let ended = Ended { reason, started_at: None, ended_at: at(1) };
        assert_eq!(ended.status(), unconnected);
        assert_eq!(Ended { started_at: Some(at(0)), ..ended }.status(), connected);
    }
    assert_eq!(EndedReason::parse("Customer-Busy"), None);
    for status in CallStatus::ALL {
        assert_eq!(CallStatus::parse(status.as_str()), Some(status));
    }
    assert_eq!(
        CallStatus::ALL.map(CallStatus::as_str),
        ["calling", "completed", "failed", "busy", "no-answer"]
    );
}

/// What the table says of a code: before any ringing, and after.
fn expected(code: u16) -> (EndedReason, EndedReason) {
    let same = |reason| (reason, reason);
    match code {
        486 | 600 => same(EndedReason::CustomerBusy),
        603 | 607 | 608 => same(EndedReason::CustomerDeclined),
        408 | 480 | 487 => (EndedReason::TrunkError, EndedReason::NoAnswer),
        404 | 410 | 484 | 604 => same(EndedReason::InvalidNumber),
        401 | 403 | 407 => same(EndedReason::TrunkRejected),
        _ => same(EndedReason::TrunkError),
    }
}

#[test]
fn every_final_sip_answer_has_its_reason() {
    for code in 300..=699 {
        let answer = FinalAnswer { code, phrase: "whatever".to_owned() };
        assert_eq!((answer.reason(false), answer.reason(true)), expected(code), "{code}");
    }
}

#[test]
fn tries_wait_one_five_and_thirty_seconds_and_then_no_more() {
    let waits: Vec<_> = (0..6).map(|failed| wait_after(failed).map(|wait| wait.as_secs())).collect();
    assert_eq!(waits, [None, Some(1), Some(5), Some(30), None, None]);
}
