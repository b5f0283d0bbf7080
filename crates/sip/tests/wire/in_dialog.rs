//! Requests of the callee inside the call: OPTIONS, INFO, UPDATE, re-INVITE, hold; before the answer
//! too.

use domain::ports::{HangUp, LegEnd, Telephony};

use crate::support::peer::Peer;
use crate::support::{Caller, plan, trunk};

#[tokio::test]
async fn hold_and_resume_are_answered_in_kind() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.take_call().await;
    line.answered().await;
    for (number, method, theirs, ours) in [
        (1, "INVITE", "a=sendonly", "a=recvonly"),
        (2, "INVITE", "a=inactive", "a=inactive"),
        (3, "UPDATE", "a=sendrecv", "a=sendrecv"),
    ] {
        peer.ask(&invite, method, number, &[&peer.contact()], &peer.sdp_with(theirs)).await;
        let answer = peer.response(200).await;
        assert!(answer.body().contains(ours), "{theirs}: {}", answer.text);
        assert!(answer.body().contains("m=audio ") && answer.find("Contact").is_some());
        if method == "INVITE" {
            peer.ask(&invite, "ACK", number, &[], "").await;
        }
    }
    // While nobody sends, none of our audio may arrive; afterwards it does again.
    let mut buffer = [0; 512];
    for _ in 0..5 {
        peer.rtp.recv_from(&mut buffer).await.unwrap();
    }
    line.hang_up(HangUp::Normal);
    peer.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
}

#[tokio::test]
async fn an_empty_reinvite_gets_an_offer_and_its_ack_the_answer() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.take_call().await;
    line.answered().await;
    let elsewhere = Peer::bind().await;
    peer.ask(&invite, "INVITE", 1, &[&peer.contact()], "").await;
    assert!(peer.response(200).await.body().contains("RTP/AVP 0 101"));
    peer.ask(&invite, "ACK", 1, &[], &elsewhere.sdp()).await;
    // The audio moves to where the answer wants it.
    let mut buffer = [0; 512];
    elsewhere.rtp.recv_from(&mut buffer).await.unwrap();
    drop(line);
    peer.take_bye().await;
}

#[tokio::test]
async fn the_answer_to_a_reinvite_is_repeated_until_its_ack() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.take_call().await;
    line.answered().await;
    peer.ask(&invite, "INVITE", 1, &[&peer.contact()], &peer.sdp()).await;
    let first = peer.response(200).await;
    assert_eq!(peer.next_raw().await.text, first.text);
    // Without any ACK the dialog is given up (RFC 3261 §14.2).
    peer.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::Lost);
}

#[tokio::test]
async fn an_offer_beyond_the_missing_acks_changes_nothing() {
    let (caller, mut peer, elsewhere) = (Caller::start().await, Peer::bind().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.take_call().await;
    line.answered().await;
    for number in 1..=8 {
        peer.ask(&invite, "INVITE", number, &[&peer.contact()], &peer.sdp()).await;
        while peer.next_raw().await.header("CSeq") != format!("{number} INVITE") {}
    }
    // The edge lets one a second pass: which one did shows in what it counts.
    for number in (9..).step_by(2) {
        let before = caller.telephony.dropped().dialog_limit;
        peer.ask(&invite, "INVITE", number, &[&peer.contact()], &elsewhere.sdp()).await;
        peer.ask(&invite, "OPTIONS", number + 1, &[], "").await;
        let answered = format!("{} OPTIONS", number + 1);
        while peer.next_raw().await.header("CSeq") != answered {}
        if caller.telephony.dropped().dialog_limit == before {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let mut buffer = [0; 512];
    while peer.rtp.try_recv_from(&mut buffer).is_ok() {}
    for _ in 0..5 {
        peer.rtp.recv_from(&mut buffer).await.unwrap();
    }
    assert!(elsewhere.rtp.try_recv_from(&mut buffer).is_err(), "the audio moved");
}

#[tokio::test]
async fn what_we_do_not_do_is_refused_without_harm() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.take_call().await;
    line.answered().await;
    for (number, method, extra, body, code) in [
        (1, "OPTIONS", "X-Test: 1", "", 200),
        (2, "INFO", "X-Test: 1", "", 200),
        (3, "UPDATE", "X-Test: 1", "", 200),
        (4, "MESSAGE", "X-Test: 1", "", 405),
        // An interval that no user agent may ask for, from one that knows no timers: not followed.
        (4, "OPTIONS", "X: 1", "", 200),
        (4, "UPDATE", "X: 1", "", 200),
        (5, "REFER", "Refer-To: <sip:x@y>", "", 405),
        // Nobody asked for news.
        (5, "NOTIFY", "Event: refer", "", 481),
        (6, "NOTIFY", "Event: message-summary", "", 489),
        (
            6,
            "UPDATE",
            "X-Test: 1",
            "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 18\r\n",
            488,
        ),
        (1, "INFO", "X-Test: late", "", 500),
    ] {
        peer.ask(&invite, method, number, &[extra], body).await;
        let answer = peer.response(code).await;
        assert!(answer.header("Allow").contains("UPDATE"), "{method}");
    }
    // Outside of the dialog.
    let stranger = invite.text.replace(invite.caller_tag(), "stranger");
    let forged = crate::support::message::Message { text: stranger, from: invite.from };
    peer.ask(&forged, "BYE", 9, &[], "").await;
    peer.response(481).await;
    line.hang_up(HangUp::Normal);
    peer.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
}

#[tokio::test]
async fn requests_before_the_answer_are_answered() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    peer.reply(&invite, "183 Session Progress", &[&peer.contact()], &peer.sdp()).await;
    assert_eq!(line.ringing().await, 183);
    for (number, method, body, code) in [
        (1, "OPTIONS", String::new(), 200),
        (2, "INFO", String::new(), 200),
        (3, "UPDATE", peer.sdp(), 200),
        (4, "INVITE", peer.sdp(), 491),
    ] {
        peer.ask(&invite, method, number, &[&peer.contact()], &body).await;
        peer.response(code).await;
        if method == "INVITE" {
            peer.send(&answer_ack(&peer, &invite, number), invite.from).await;
        }
    }
    peer.answer(&invite).await;
    line.answered().await;
    peer.request("ACK").await;
    drop(line);
    peer.take_bye().await;
}

/// The ACK of a refusal has the request's branch (RFC 3261 §17.1.1.3).
fn answer_ack(peer: &Peer, invite: &crate::support::message::Message, number: u32) -> String {
    format!(
        "ACK sip:x SIP/2.0\r\nVia: SIP/2.0/UDP {};branch=z9hG4bKpeerINVITE{number}\r\nFrom: {};tag=callee\r\n\
         To: {}\r\nCall-ID: {}\r\nCSeq: {number} ACK\r\nContent-Length: 0\r\n\r\n",
        peer.address(),
        invite.header("To"),
        invite.header("From"),
        invite.header("Call-ID"),
    )
}

#[tokio::test]
async fn a_reliable_provisional_answer_gets_one_prack_and_may_carry_the_session() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    assert!(invite.header("Supported").contains("100rel"));
    let extra = ["Require: 100rel", "RSeq: 71", &peer.contact()];
    for _ in 0..2 {
        peer.reply(&invite, "183 Session Progress", &extra, &peer.sdp()).await;
    }
    let prack = peer.request("PRACK").await;
    assert_eq!(prack.header("RAck"), format!("71 {} INVITE", invite.cseq()));
    assert_eq!(prack.callee_tag(), Some("callee"));
    peer.reply(&prack, "200 OK", &[], "").await;
    // The session was agreed on already: the 200 needs no description.
    peer.reply(&invite, "200 OK", &[&peer.contact()], "").await;
    line.answered().await;
    assert_eq!(peer.request("ACK").await.cseq(), invite.cseq());
    line.hang_up(HangUp::Normal);
    assert!(peer.take_bye().await.cseq() > prack.cseq());
    assert_eq!(line.ended().await, LegEnd::ByUs);
}

#[tokio::test]
async fn requests_out_of_any_dialog_get_a_plain_answer() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    // A peer is who a trunk leads to.
    drop(caller.telephony.prepare(plan(&trunk(peer.address()))).await.unwrap());
    let target = caller.telephony.local_addr();
    for (number, method, code) in [(1, "OPTIONS", 200), (2, "INVITE", 480), (3, "MESSAGE", 405)] {
        let text = format!(
            "{method} sip:x@{target} SIP/2.0\r\nVia: SIP/2.0/UDP {};branch=z9hG4bKout{number}\r\n\
             From: <sip:a@b>;tag=t\r\nTo: <sip:x@y>\r\nCall-ID: out{number}\r\nCSeq: 1 {method}\r\n\
             Contact: <sip:a@{}>\r\nContent-Length: 0\r\n\r\n",
            peer.address(),
            peer.address(),
        );
        peer.send(&text, target).await;
        peer.response(code).await;
    }
}
