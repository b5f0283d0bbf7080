//! Messages that are lost, come twice, come from two telephones, or are no messages.

use std::time::Duration;

use domain::ports::{HangUp, LegEnd};

use crate::support::peer::Peer;
use crate::support::{Caller, trunk};

#[tokio::test]
async fn a_lost_invite_is_sent_again_until_it_is_answered() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let first = peer.next_raw().await;
    let second = peer.next_raw().await;
    let third = peer.next_raw().await;
    assert!(first.text == second.text && second.text == third.text);
    peer.answer(&third).await;
    line.answered().await;
    peer.request("ACK").await;
    line.hang_up(HangUp::Normal);
    peer.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
}

#[tokio::test]
async fn a_repeated_200_gets_its_ack_again() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.take_call().await;
    line.answered().await;
    let first = peer.received.last().unwrap().clone();
    for _ in 0..3 {
        peer.answer(&invite).await;
        assert_eq!(peer.next_raw().await.text, first.text);
    }
    line.hang_up(HangUp::Normal);
    peer.take_bye().await;
    // Even after the end: the peer may have missed it.
    assert_eq!(line.ended().await, LegEnd::ByUs);
    peer.answer(&invite).await;
    assert_eq!(peer.next_raw().await.text, first.text);
    caller.forgets_all().await;
}

#[tokio::test]
async fn the_ack_waits_for_the_application_but_not_for_ever() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    let start = tokio::time::Instant::now();
    peer.answer(&invite).await;
    line.answered_unacknowledged().await;
    peer.answer(&invite).await;
    assert_eq!(peer.next_raw().await.method(), "ACK");
    let waited = start.elapsed();
    assert!(waited >= Duration::from_millis(190) && waited < Duration::from_secs(1), "{waited:?}");
    // The repeated 200 arrived before the first ACK, and was no reason to send it early or twice.
    assert!(peer.listen(Duration::from_millis(100)).await.is_empty());
    drop(line);
    peer.take_bye().await;
}

#[tokio::test]
async fn the_second_telephone_of_a_fork_is_acknowledged_and_hung_up() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    let (contact, sdp) = (peer.contact(), peer.sdp());
    peer.reply_as("one", &invite, "200 OK", &[&contact], &sdp).await;
    peer.reply_as("two", &invite, "200 OK", &[&contact], &sdp).await;
    assert_eq!(line.answered().await.saved.remote_tag.as_deref(), Some("one"));
    let mut seen = Vec::new();
    while seen.len() < 3 {
        let message = peer.next().await;
        if message.method() == "BYE" {
            peer.reply(&message, "200 OK", &[], "").await;
        }
        seen.push((message.method().to_owned(), message.callee_tag().unwrap().to_owned()));
    }
    seen.sort();
    let expected = [("ACK", "one"), ("ACK", "two"), ("BYE", "two")];
    assert_eq!(seen, expected.map(|(method, tag)| (method.to_owned(), tag.to_owned())));
    // The first telephone's call goes on.
    line.hang_up(HangUp::Normal);
    assert_eq!(peer.take_bye().await.callee_tag(), Some("one"));
    assert_eq!(line.ended().await, LegEnd::ByUs);
    caller.forgets_all().await;
}

#[tokio::test]
async fn a_fork_that_answers_after_the_call_is_hung_up_too() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.take_call().await;
    line.answered().await;
    line.hang_up(HangUp::Normal);
    peer.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
    peer.reply_as("late", &invite, "200 OK", &[&peer.contact()], &peer.sdp()).await;
    let ack = peer.request("ACK").await;
    assert_eq!((ack.callee_tag(), ack.cseq()), (Some("late"), invite.cseq()));
    assert_eq!(peer.take_bye().await.callee_tag(), Some("late"));
}

#[tokio::test]
async fn an_answer_without_a_common_format_is_acknowledged_and_hung_up() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    for body in [
        "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 18\r\n",
        "nonsense",
        "",
    ] {
        let mut line = caller.dial(&trunk(peer.address())).await;
        let invite = peer.request("INVITE").await;
        peer.reply(&invite, "200 OK", &[&peer.contact()], body).await;
        peer.request("ACK").await;
        peer.take_bye().await;
        assert_eq!(line.ended().await, LegEnd::Unusable, "{body:?}");
    }
    caller.forgets_all().await;
}

#[tokio::test]
async fn the_route_of_record_is_followed() {
    let (caller, mut peer, mut proxy) = (Caller::start().await, Peer::bind().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.request("INVITE").await;
    let route = format!("Record-Route: <sip:{};lr>, <sip:{};lr>", peer.address(), proxy.address());
    peer.reply(&invite, "200 OK", &[&route, "Contact: <sip:callee@10.9.9.9:5999>"], &peer.sdp()).await;
    line.answered().await;
    let ack = proxy.request("ACK").await;
    assert_eq!(ack.request_uri(), "sip:callee@10.9.9.9:5999");
    let routes: Vec<_> = ack.all("Route").map(str::to_owned).collect();
    let expected = [proxy.address(), peer.address()].map(|address| format!("<sip:{address};lr>"));
    assert_eq!(routes, expected);
    line.hang_up(HangUp::Normal);
    proxy.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
}

#[tokio::test]
async fn malformed_datagrams_do_not_disturb_a_call() {
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let mut line = caller.dial(&trunk(peer.address())).await;
    let invite = peer.take_call().await;
    line.answered().await;
    let good = invite.response("200 OK", "callee", &[&peer.contact()], &peer.sdp());
    for length in (0..good.len()).step_by(7) {
        peer.send(&good[..length], invite.from).await;
        let mut bent = good.clone().into_bytes();
        bent[length] ^= 0x15;
        peer.send(&String::from_utf8_lossy(&bent), invite.from).await;
    }
    for junk in ["\0\0\0\0", "\r\n\r\n", "INVITE", "SIP/2.0 200", "BYE sip:x SIP/2.0\r\n\r\n", "💥"] {
        peer.send(junk, invite.from).await;
    }
    peer.received.clear();
    peer.listen(Duration::from_millis(200)).await;
    line.hang_up(HangUp::Normal);
    peer.take_bye().await;
    assert_eq!(line.ended().await, LegEnd::ByUs);
}
