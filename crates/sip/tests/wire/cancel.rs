//! CANCEL and its races, silence, and the watchdogs of dialling.

use std::time::Duration;

use domain::call::FinalAnswer;
use domain::ports::{HangUp, LegEnd};
use tokio::time::Instant;

use crate::support::peer::Peer;
use test_ports::free_port;

use crate::support::{Caller, trunk};

#[tokio::test]
async fn a_200_that_crosses_our_cancel_is_acknowledged_and_hung_up() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    peer.reply(&invite, "180 Ringing", &[], "").await;
    line.ringing().await;
    line.hang_up(HangUp::RingLimit);
    let cancel = peer.request("CANCEL").await;
    peer.answer(&invite).await;
    peer.reply(&cancel, "481 Call/Transaction Does Not Exist", &[], "").await;
    assert_eq!(peer.request("ACK").await.callee_tag(), Some("callee"));
    peer.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
    caller.forgets_all().await;
}

#[tokio::test]
async fn a_487_that_never_comes_does_not_hold_the_leg() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    peer.reply(&invite, "183 Session Progress", &[], "").await;
    line.ringing().await;
    let start = Instant::now();
    line.hang_up(HangUp::RingLimit);
    let cancel = peer.request("CANCEL").await;
    peer.reply(&cancel, "200 OK", &[], "").await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    // An answer that comes still later finds somebody to take it.
    peer.answer(&invite).await;
    peer.request("ACK").await;
    peer.take_bye().await;
    caller.forgets_all().await;
}

#[tokio::test]
async fn a_cancel_waits_for_the_first_provisional_answer() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    line.hang_up(HangUp::Forced);
    assert!(peer.listen(Duration::from_millis(150)).await.is_empty(), "RFC 3261 §9.1");
    peer.reply(&invite, "100 Trying", &[], "").await;
    let cancel = peer.request("CANCEL").await;
    peer.reply(&cancel, "200 OK", &[], "").await;
    peer.reply(&invite, "487 Request Terminated", &[], "").await;
    peer.request("ACK").await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
    caller.forgets_all().await;
}

#[tokio::test]
async fn hanging_up_on_a_silent_peer_ends_soon() {
    let caller = Caller::start().await;
    let mut line = caller.dial(&trunk(free_port())).await;
    let start = Instant::now();
    line.hang_up(HangUp::Forced);
    assert_eq!(line.ended().await, LegEnd::ByUs);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    caller.forgets_all().await;
}

#[tokio::test]
async fn silence_is_unreachable_but_a_real_408_is_a_failure() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let start = Instant::now();
    let mut silent = caller.dial(&trunk(free_port())).await;
    let mut timed_out = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    peer.reply(&invite, "408 Request Timeout", &[], "").await;
    let answer = FinalAnswer { code: 408, phrase: "Request Timeout".to_owned() };
    assert_eq!(timed_out.ended().await, LegEnd::Failed(answer));
    assert_eq!(silent.ended().await, LegEnd::Unreachable);
    // 64 × T1, here a tenth of the true 32 s.
    let waited = start.elapsed();
    assert!(waited > Duration::from_secs(3) && waited < Duration::from_secs(5), "{waited:?}");
    caller.forgets_all().await;
}

#[tokio::test]
async fn a_100_alone_keeps_the_call_dialling_beyond_the_limit_for_silence() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    peer.reply(&invite, "100 Trying", &[], "").await;
    // Neither a retransmission nor an end.
    assert!(peer.listen(Duration::from_millis(3_500)).await.is_empty());
    peer.answer(&invite).await;
    line.answered().await;
    assert!(line.rang.is_empty(), "100 is no ringing");
    drop(line);
}

#[tokio::test]
async fn a_bye_that_nobody_answers_does_not_hold_the_leg() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    peer.take_call().await;
    line.answered().await;
    let start = Instant::now();
    line.hang_up(HangUp::Normal);
    peer.request("BYE").await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[tokio::test]
async fn byes_that_cross_are_both_answered() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.take_call().await;
    line.answered().await;
    line.hang_up(HangUp::Normal);
    let ours = peer.request("BYE").await;
    peer.ask(&invite, "BYE", 7, &[], "").await;
    peer.response(200).await;
    peer.reply(&ours, "200 OK", &[], "").await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
    caller.forgets_all().await;
}
