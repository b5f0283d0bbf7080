//! Handing a call over: REFER, what the callee's side says of it, and what it keeps to itself.

use domain::ports::{HangUp, LegEnd};

use crate::support::line::Line;
use crate::support::message::Message;
use crate::support::peer::Peer;
use crate::support::sipp::Sipp;
use crate::support::{Caller, trunk, with_credentials};

const TARGET: &str = "+14155550177";

/// A standing call whose transfer was asked for; its INVITE and its REFER.
async fn transferring(caller: &Caller, peer: &mut Peer) -> (Line, Message, Message) {
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.take_call().await;
    line.answered().await;
    line.refer(TARGET);
    let refer = peer.request("REFER").await;
    (line, invite, refer)
}

/// The callee's side tells how it goes.
async fn notify(peer: &mut Peer, invite: &Message, number: u32, state: &str, fragment: &str) -> Option<u16> {
    let state = format!("Subscription-State: {state}");
    let extra = ["Event: refer", &state, "Content-Type: message/sipfrag;version=2.0", &peer.contact()];
    peer.ask_with(invite, "NOTIFY", number, &extra, fragment).await;
    peer.next().await.code()
}

#[tokio::test]
async fn a_transfer_names_its_target_and_is_told_when_the_target_answers() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let (mut line, invite, refer) = transferring(&caller, &mut peer).await;
    assert_eq!(refer.header("Refer-To"), format!("<sip:{TARGET}@{};user=phone>", peer.address()));
    assert!(refer.header("Referred-By").starts_with("<sip:+14155550100@"), "{}", refer.text);
    assert_eq!(refer.callee_tag(), Some("callee"));
    assert!(refer.cseq() > invite.cseq() && refer.find("Contact").is_some());
    peer.reply(&refer, "202 Accepted", &[], "").await;
    for fragment in ["SIP/2.0 100 Trying\r\n", "SIP/2.0 180 Ringing\r\n"] {
        let number = if fragment.contains("100") { 1 } else { 2 };
        assert_eq!(notify(&mut peer, &invite, number, "active;expires=60", fragment).await, Some(200));
    }
    let done = "SIP/2.0 200 OK\r\n";
    assert_eq!(notify(&mut peer, &invite, 3, "terminated;reason=noresource", done).await, Some(200));
    assert!(line.referred().await);
    line.hang_up(HangUp::Normal);
    assert!(peer.take_bye().await.cseq() > refer.cseq());
    assert_eq!(line.ended().await, LegEnd::ByUs);
}

#[tokio::test]
async fn a_target_that_is_busy_leaves_the_call_standing_for_another_try() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let (mut line, invite, refer) = transferring(&caller, &mut peer).await;
    peer.reply(&refer, "202 Accepted", &[], "").await;
    let busy = "SIP/2.0 486 Busy Here\r\n";
    assert_eq!(notify(&mut peer, &invite, 1, "terminated;reason=noresource", busy).await, Some(200));
    assert!(!line.referred().await);
    let heard = line.heard;
    line.refer("+14155550178");
    let again = peer.request("REFER").await;
    assert!(again.header("Refer-To").contains("+14155550178"));
    peer.reply(&again, "202 Accepted", &[], "").await;
    // What comes late of the first one says nothing of the second.
    let stale = format!("Event: refer;id={}", refer.cseq());
    let extra = [stale.as_str(), "Subscription-State: terminated", "Content-Type: message/sipfrag"];
    peer.ask_with(&invite, "NOTIFY", 2, &extra, "SIP/2.0 200 OK\r\n").await;
    peer.response(481).await;
    assert_eq!(notify(&mut peer, &invite, 3, "active", "SIP/2.0 200 OK\r\n").await, Some(200));
    assert!(line.referred().await);
    assert!(line.heard >= heard);
    line.hang_up(HangUp::Normal);
    peer.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
}

#[tokio::test]
async fn a_refusal_is_told_at_once() {
    for status in ["403 Forbidden", "405 Method Not Allowed", "501 Not Implemented", "603 Decline"] {
        let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
        let (mut line, _, refer) = transferring(&caller, &mut peer).await;
        peer.reply(&refer, status, &[], "").await;
        assert!(!line.referred().await, "{status}");
        line.hang_up(HangUp::Normal);
        peer.take_bye().await;
    }
}

#[tokio::test]
async fn a_bye_after_the_acceptance_is_a_transfer_and_one_before_it_is_not() {
    for accepts in [true, false] {
        let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
        let (mut line, invite, refer) = transferring(&caller, &mut peer).await;
        if accepts {
            peer.reply(&refer, "202 Accepted", &[], "").await;
        }
        peer.ask(&invite, "BYE", 1, &[], "").await;
        peer.response(200).await;
        assert_eq!(line.referred().await, accepts);
        assert_eq!(line.ended().await, LegEnd::ByPeer);
    }
}

#[tokio::test]
async fn news_that_never_come_are_not_waited_for_for_ever() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let (mut line, invite, refer) = transferring(&caller, &mut peer).await;
    peer.reply(&refer, "202 Accepted", &[], "").await;
    assert_eq!(notify(&mut peer, &invite, 1, "active", "SIP/2.0 180 Ringing\r\n").await, Some(200));
    assert!(!line.referred().await);
    drop(line);
    peer.take_bye().await;
}

#[tokio::test]
async fn one_transfer_at_a_time() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let (mut line, invite, refer) = transferring(&caller, &mut peer).await;
    line.refer(TARGET);
    assert!(!line.referred().await, "the second is not even asked for");
    peer.reply(&refer, "202 Accepted", &[], "").await;
    assert_eq!(notify(&mut peer, &invite, 1, "terminated", "SIP/2.0 200 OK\r\n").await, Some(200));
    assert!(line.referred().await);
    drop(line);
    peer.take_bye().await;
}

#[tokio::test]
async fn a_challenge_is_answered() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&with_credentials(trunk(peer.address()))).await;
    let invite = peer.take_call().await;
    line.answered().await;
    line.refer(TARGET);
    let refer = peer.request("REFER").await;
    let challenge = "Proxy-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"";
    peer.reply(&refer, "407 Proxy Authentication Required", &[challenge], "").await;
    let again = peer.request("REFER").await;
    assert!(again.header("Proxy-Authorization").contains("username=\"alice\""));
    peer.reply(&again, "202 Accepted", &[], "").await;
    let id = format!("Event: refer;id={}", again.cseq());
    let extra = [id.as_str(), "Subscription-State: terminated", "Content-Type: message/sipfrag"];
    peer.ask_with(&invite, "NOTIFY", 1, &extra, "SIP/2.0 200 OK\r\n").await;
    peer.response(200).await;
    assert!(line.referred().await);
    drop(line);
    peer.take_bye().await;
}

#[tokio::test]
async fn a_dialog_that_the_callee_no_longer_knows_is_lost() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let (mut line, _, refer) = transferring(&caller, &mut peer).await;
    peer.reply(&refer, "481 Call/Transaction Does Not Exist", &[], "").await;
    assert_eq!(line.ended().await, LegEnd::Lost);
}

#[tokio::test]
async fn sipp_connects_the_callee_elsewhere() {
    let caller = Caller::start().await;
    let sipp = Sipp::start("transferred", &[]).await;
    let mut line = caller.dial(&trunk(sipp.address)).await;
    line.answered().await;
    line.refer(TARGET);
    assert!(line.referred().await);
    line.hang_up(HangUp::Normal);
    assert_eq!(line.ended().await, LegEnd::ByUs);
    sipp.succeeds().await;
}
