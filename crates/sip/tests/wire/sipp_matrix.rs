//! The matrix against SIPp, a peer that shares nothing with us: every row of answers and ends.

use std::time::Duration;

use domain::audio::AudioFormat;
use domain::call::EndedReason;
use domain::ports::{HangUp, LegEnd};

use crate::support::sipp::Sipp;
use crate::support::{Caller, trunk, with_credentials};

#[tokio::test]
async fn sipp_rings_answers_and_hangs_up() {
    let caller = Caller::start().await;
    let sipp = Sipp::start("callee_hangs_up", &[]).await;
    let mut line = caller.dial(&trunk(sipp.address)).await;
    assert_eq!(line.answered().await.format, AudioFormat::Pcma);
    assert_eq!(line.ended().await, LegEnd::ByPeer);
    assert_eq!(line.rang, [180]);
    sipp.succeeds().await;
}

#[tokio::test]
async fn sipp_answers_and_is_hung_up_on() {
    let caller = Caller::start().await;
    let sipp = Sipp::start("caller_hangs_up", &[]).await;
    let mut line = caller.dial(&trunk(sipp.address)).await;
    line.answered().await;
    line.hang_up(HangUp::Normal);
    assert_eq!(line.ended().await, LegEnd::ByUs);
    sipp.succeeds().await;
}

#[tokio::test]
async fn early_media_is_no_answer() {
    let caller = Caller::start().await;
    let sipp = Sipp::start("early_media", &[]).await;
    let mut line = caller.dial(&trunk(sipp.address)).await;
    assert_eq!(line.ringing().await, 183);
    line.answered().await;
    line.hang_up(HangUp::Normal);
    assert_eq!(line.ended().await, LegEnd::ByUs);
    sipp.succeeds().await;
}

#[tokio::test]
async fn a_reliable_183_gets_its_prack() {
    let caller = Caller::start().await;
    let sipp = Sipp::start("prack", &[]).await;
    let mut line = caller.dial(&trunk(sipp.address)).await;
    line.answered().await;
    line.hang_up(HangUp::Normal);
    assert_eq!(line.ended().await, LegEnd::ByUs);
    sipp.succeeds().await;
}

#[tokio::test]
async fn every_refusal_has_its_reason() {
    use EndedReason::{CustomerBusy, CustomerDeclined, InvalidNumber, NoAnswer, TrunkError, TrunkRejected};
    let caller = Caller::start().await;
    let rows = [
        (486, "Busy Here", CustomerBusy, CustomerBusy),
        (600, "Busy Everywhere", CustomerBusy, CustomerBusy),
        (603, "Decline", CustomerDeclined, CustomerDeclined),
        (607, "Unwanted", CustomerDeclined, CustomerDeclined),
        (608, "Rejected", CustomerDeclined, CustomerDeclined),
        (408, "Request Timeout", TrunkError, NoAnswer),
        (480, "Temporarily Unavailable", TrunkError, NoAnswer),
        (487, "Request Terminated", TrunkError, NoAnswer),
        (404, "Not Found", InvalidNumber, InvalidNumber),
        (410, "Gone", InvalidNumber, InvalidNumber),
        (484, "Address Incomplete", InvalidNumber, InvalidNumber),
        (604, "Does Not Exist Anywhere", InvalidNumber, InvalidNumber),
        (403, "Your Account Is Closed", TrunkRejected, TrunkRejected),
        (500, "Server Internal Error", TrunkError, TrunkError),
        (503, "Service Unavailable", TrunkError, TrunkError),
        (488, "Not Acceptable Here", TrunkError, TrunkError),
        (606, "Not Acceptable", TrunkError, TrunkError),
        (302, "Moved Temporarily", TrunkError, TrunkError),
    ];
    let calls = rows.iter().flat_map(|row| [(row, false), (row, true)]);
    for ((code, phrase, silent, rung), rings) in calls {
        let scenario = if rings { "rings_then_refused" } else { "refused" };
        let sipp = Sipp::start(scenario, &[("code", &code.to_string()), ("phrase", phrase)]).await;
        let mut line = caller.dial(&trunk(sipp.address)).await;
        let end = line.ended().await;
        let LegEnd::Failed(answer) = end else { panic!("{code} is a failure, not {end:?}") };
        assert_eq!((answer.code, answer.phrase.as_str()), (*code, *phrase));
        let rang = !line.rang.is_empty();
        assert_eq!(rang, rings);
        assert_eq!(answer.reason(rang), if rings { *rung } else { *silent }, "{code}, rang: {rang}");
        sipp.succeeds().await;
    }
    caller.forgets_all().await;
}

#[tokio::test]
async fn the_ring_limit_cancels() {
    let caller = Caller::start().await;
    let sipp = Sipp::start("cancelled", &[]).await;
    let mut line = caller.dial(&trunk(sipp.address)).await;
    line.ringing().await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    line.hang_up(HangUp::RingLimit);
    assert_eq!(line.ended().await, LegEnd::ByUs);
    sipp.succeeds().await;
}

#[tokio::test]
async fn sipp_verifies_our_credentials() {
    let caller = Caller::start().await;
    let sipp = Sipp::start("authenticates", &[]).await;
    let mut line = caller.dial(&with_credentials(trunk(sipp.address))).await;
    line.answered().await;
    line.hang_up(HangUp::Normal);
    assert_eq!(line.ended().await, LegEnd::ByUs);
    sipp.succeeds().await;
}

#[tokio::test]
async fn sipp_asks_in_the_dialog_and_holds() {
    let caller = Caller::start().await;
    let sipp = Sipp::start("in_dialog", &[]).await;
    let mut line = caller.dial(&trunk(sipp.address)).await;
    line.answered().await;
    assert_eq!(line.ended().await, LegEnd::ByPeer);
    sipp.succeeds().await;
}

#[tokio::test]
async fn sipp_wants_a_longer_interval() {
    let caller = Caller::start().await;
    let sipp = Sipp::start("interval", &[]).await;
    let mut line = caller.dial(&trunk(sipp.address)).await;
    line.answered().await;
    line.hang_up(HangUp::Normal);
    assert_eq!(line.ended().await, LegEnd::ByUs);
    sipp.succeeds().await;
}
