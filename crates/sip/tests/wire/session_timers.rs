//! RFC 4028: intervals, refreshes by either side, and what happens without them.

use std::time::Duration;

use domain::ports::{HangUp, LegEnd};
use sip::{Settings, Timers};

use crate::support::message::Message;
use crate::support::peer::Peer;
use crate::support::{Caller, fast, settings, trunk, with_credentials};

/// Asks for 2 s, so that a refresh is due after one.
async fn caller() -> Caller {
    let timers =
        Timers { session: Duration::from_secs(2), session_minimum: Duration::from_secs(1), ..fast() };
    Caller::with(Settings { timers, ..settings() }).await
}

async fn answer_with(peer: &mut Peer, extra: &[&str]) -> Message {
    let invite = peer.request("INVITE").await;
    let contact = peer.contact();
    let mut all = vec![contact.as_str()];
    all.extend(extra);
    peer.reply(&invite, "200 OK", &all, &peer.sdp()).await;
    peer.request("ACK").await;
    invite
}

#[tokio::test]
async fn an_interval_that_is_too_small_is_raised() {
    let (caller, mut peer) = (caller().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let first = peer.request("INVITE").await;
    assert_eq!((first.header("Session-Expires"), first.header("Min-SE")), ("2", "1"));
    assert!(first.header("Supported").contains("timer"));
    peer.reply(&first, "422 Session Interval Too Small", &["Min-SE: 300"], "").await;
    peer.request("ACK").await;
    let second = peer.request("INVITE").await;
    assert_eq!((second.header("Session-Expires"), second.header("Min-SE")), ("300", "300"));
    assert_eq!(second.header("Call-ID"), first.header("Call-ID"));
    // A second 422 with the same minimum would be a loop.
    peer.reply(&second, "422 Session Interval Too Small", &["Min-SE: 300"], "").await;
    assert!(matches!(line.ended().await, LegEnd::Failed(answer) if answer.code == 422));
}

#[tokio::test]
async fn we_refresh_by_update_when_the_callee_takes_it() {
    let (caller, mut peer) = (caller().await, Peer::bind().await);
    let mut line = caller.dial(&with_credentials(trunk(peer.address()))).await;
    let agreed = ["Session-Expires: 2;refresher=uac", "Require: timer", "Allow: INVITE, UPDATE, BYE"];
    answer_with(&mut peer, &agreed).await;
    line.answered().await;
    let update = peer.request("UPDATE").await;
    assert_eq!(update.header("Session-Expires"), "2;refresher=uac");
    assert_eq!(update.body(), "");
    let ask = "Proxy-Authenticate: Digest realm=\"r\", nonce=\"n\"";
    peer.reply(&update, "407 Proxy Authentication Required", &[ask], "").await;
    let update = peer.request("UPDATE").await;
    assert!(update.find("Proxy-Authorization").is_some());
    peer.reply(&update, "200 OK", &["Session-Expires: 2;refresher=uac"], "").await;
    let again = peer.request("UPDATE").await;
    assert!(again.cseq() > update.cseq());
    peer.reply(&again, "481 Call/Transaction Does Not Exist", &[], "").await;
    peer.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::Lost);
}

#[tokio::test]
async fn we_refresh_by_reinvite_when_update_is_not_taken() {
    let (caller, mut peer) = (caller().await, Peer::bind().await);
    let mut line = caller.dial(&with_credentials(trunk(peer.address()))).await;
    let invite = answer_with(&mut peer, &["Session-Expires: 2;refresher=uac"]).await;
    line.answered().await;
    let first = peer.request("INVITE").await;
    assert_eq!((first.callee_tag(), first.header("Call-ID")), (Some("callee"), invite.header("Call-ID")));
    assert!(first.body().contains("RTP/AVP 0 101"));
    let ask = "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"";
    peer.reply(&first, "401 Unauthorized", &[ask], "").await;
    peer.request("ACK").await;
    let second = peer.request("INVITE").await;
    assert!(second.find("Authorization").is_some() && second.cseq() > first.cseq());
    peer.reply(&second, "200 OK", &[&peer.contact(), "Session-Expires: 90;refresher=uas"], &peer.sdp()).await;
    assert_eq!(peer.request("ACK").await.cseq(), second.cseq());
    line.hang_up(HangUp::Normal);
    assert!(peer.take_bye().await.cseq() > second.cseq());
    assert_eq!(line.ended().await, LegEnd::ByUs);
}

#[tokio::test]
async fn a_callee_that_never_refreshes_is_hung_up_on() {
    let (caller, mut peer) = (caller().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    answer_with(&mut peer, &["Session-Expires: 2;refresher=uas"]).await;
    line.answered().await;
    peer.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::Lost);
}

#[tokio::test]
async fn a_callee_that_refreshes_keeps_the_call() {
    let (caller, mut peer) = (caller().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = answer_with(&mut peer, &["Session-Expires: 2;refresher=uas"]).await;
    line.answered().await;
    for number in 1..=3 {
        assert!(peer.listen(Duration::from_millis(700)).await.is_empty(), "no BYE yet");
        let wish = ["Session-Expires: 2;refresher=uac", "Supported: timer"];
        peer.ask(&invite, "UPDATE", number, &wish, "").await;
        let answer = peer.response(200).await;
        assert_eq!(answer.header("Session-Expires"), "2;refresher=uac");
        assert_eq!(answer.header("Require"), "timer");
    }
    line.hang_up(HangUp::Normal);
    peer.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
}

#[tokio::test]
async fn a_refresh_that_asks_for_too_little_is_refused() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.take_call().await;
    line.answered().await;
    peer.ask(&invite, "UPDATE", 1, &["Session-Expires: 30", "Supported: timer"], "").await;
    assert_eq!(peer.response(422).await.header("Min-SE"), "90");
    drop(line);
    peer.take_bye().await;
}

#[tokio::test]
async fn a_callee_that_falls_silent_is_found_out_by_the_refresh() {
    let (caller, mut peer) = (caller().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    answer_with(&mut peer, &["Session-Expires: 2;refresher=uac", "Allow: UPDATE"]).await;
    line.answered().await;
    peer.request("UPDATE").await;
    assert_eq!(line.ended().await, LegEnd::Lost);
}
