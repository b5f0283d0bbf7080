//! The phone under callers that no well-behaved tool plays: a raw UDP peer.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "tests say what they mean"
)]

mod support;

use std::time::Duration;

use phone::{Behaviour, CallScript, Happening, Phone};
use sip::timers::TransactionTimers;
use support::raw::{Caller, header, tag};
use support::{names, phone, settings, whole_call};

fn ringing() -> CallScript {
    CallScript::that(Behaviour::NeverAnswer)
}

#[tokio::test]
async fn an_invite_that_comes_twice_is_one_call() {
    let (phone, mut events) = phone(ringing()).await;
    let caller = Caller::to(phone.local_addr()).await;
    caller.send(&caller.invite()).await;
    let first = caller.expect("180", "INVITE").await;
    caller.send(&caller.invite()).await;
    let again = caller.expect("180", "INVITE").await;
    assert_eq!(tag(&first), tag(&again));
    caller.send(&caller.request("CANCEL", "1 CANCEL", "invite", "", "")).await;
    caller.expect("487", "INVITE").await;
    let seen = whole_call(&mut events).await;
    assert_eq!(names(&seen), ["incoming", "ringing", "cancelled", "over"]);
    assert_eq!(seen[0].call.to, "+15550100", "the escaped plus is undone");
    phone.shutdown().await;
}

#[tokio::test]
async fn a_bye_before_the_answer_ends_the_call_and_the_invite_gets_its_487() {
    let (phone, mut events) = phone(ringing()).await;
    let caller = Caller::to(phone.local_addr()).await;
    caller.send(&caller.invite()).await;
    let tag = tag(&caller.expect("180", "INVITE").await);
    caller.send(&caller.request("BYE", "2 BYE", "bye", &tag, "")).await;
    // In either order.
    let one = caller.expect("SIP/2.0", "").await;
    let other = caller.expect("SIP/2.0", "").await;
    let mut answers = [one, other].map(|answer| answer[..11].to_owned() + &header(&answer, "CSeq"));
    answers.sort();
    assert_eq!(answers, ["SIP/2.0 2002 BYE", "SIP/2.0 4871 INVITE"]);
    let seen = whole_call(&mut events).await;
    assert_eq!(names(&seen), ["incoming", "ringing", "cancelled", "over"]);
    phone.shutdown().await;
}

#[tokio::test]
async fn requests_of_a_ringing_call_are_answered_too() {
    let (phone, _events) = phone(ringing()).await;
    let caller = Caller::to(phone.local_addr()).await;
    caller.send(&caller.invite()).await;
    let tag = tag(&caller.expect("180", "INVITE").await);
    caller.send(&caller.request("OPTIONS", "2 OPTIONS", "options", &tag, "")).await;
    caller.expect("200", "OPTIONS").await;
    caller.send(&caller.request("UPDATE", "3 UPDATE", "update", &tag, "v=0\r\n")).await;
    let later = caller.expect("500", "UPDATE").await;
    assert_eq!(header(&later, "Retry-After"), "1");
    phone.shutdown().await;
    caller.expect("480", "INVITE").await;
}

#[tokio::test]
async fn a_cancel_that_crosses_the_200_changes_nothing() {
    let (phone, mut events) = phone(CallScript::answering()).await;
    let caller = Caller::to(phone.local_addr()).await;
    caller.send(&caller.invite()).await;
    let tag = tag(&caller.expect("200", "INVITE").await);
    caller.send(&caller.request("CANCEL", "1 CANCEL", "invite", "", "")).await;
    caller.expect("200", "CANCEL").await;
    caller.send(&caller.request("ACK", "1 ACK", "ack", &tag, "")).await;
    caller.send(&caller.request("BYE", "2 BYE", "bye", &tag, "")).await;
    caller.expect("200", "BYE").await;
    let seen = whole_call(&mut events).await;
    assert_eq!(names(&seen), ["incoming", "answered", "hung-up", "over"]);
    phone.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reinvite_right_behind_the_ack_is_answered() {
    let (phone, _events) = phone(CallScript::answering()).await;
    let offer =
        "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 8\r\n";
    // More than once, as the two race each other inside the phone.
    for _ in 0..100 {
        let caller = Caller::to(phone.local_addr()).await;
        caller.send(&caller.invite()).await;
        let tag = tag(&caller.expect("200", "INVITE").await);
        caller.send(&caller.request("ACK", "1 ACK", "ack", &tag, "")).await;
        caller.send(&caller.request("INVITE", "2 INVITE", "again", &tag, offer)).await;
        let answer = caller.expect("SIP/2.0 ", "2 INVITE").await;
        assert!(answer.starts_with("SIP/2.0 200") && answer.contains("RTP/AVP 8\r\n"), "{answer}");
        caller.send(&caller.request("ACK", "2 ACK", "ack2", &tag, "")).await;
        caller.send(&caller.request("BYE", "3 BYE", "bye", &tag, "")).await;
        caller.expect("200", "BYE").await;
    }
    phone.shutdown().await;
}

#[tokio::test]
async fn a_caller_that_never_acknowledges_gets_a_bye_in_the_end() {
    let mut settings = settings();
    settings.timers = TransactionTimers {
        t1: Duration::from_millis(10),
        t2: Duration::from_millis(80),
        t4: Duration::from_millis(100),
    };
    let phone = Phone::start(settings, CallScript::answering()).await.unwrap();
    let mut events = phone.events();
    let caller = Caller::to(phone.local_addr()).await;
    caller.send(&caller.invite()).await;
    caller.expect("200", "INVITE").await;
    caller.expect("BYE", "BYE").await;
    let seen = whole_call(&mut events).await;
    assert_eq!(names(&seen), ["incoming", "answered", "failed", "hung-up", "over"]);
    assert_eq!(seen[3].what, Happening::HungUp { by_us: true });
    phone.shutdown().await;
}

#[tokio::test]
async fn rubbish_is_passed_over() {
    let (phone, mut events) = phone(CallScript::that(Behaviour::Busy)).await;
    let caller = Caller::to(phone.local_addr()).await;
    let invite = caller.invite();
    let no_contact: String =
        invite.split_inclusive("\r\n").filter(|line| !line.starts_with("Contact")).collect();
    for rubbish in
        ["", "hello", "INVITE", "\0\0\0\0", &invite[..40], &invite[..200], "SIP/2.0 200 OK\r\n\r\n"]
    {
        caller.send(rubbish).await;
    }
    caller.send(&no_contact.replace("z9hG4bKinvite", "z9hG4bKother")).await;
    caller.expect("400", "INVITE").await;
    caller.send(&invite).await;
    caller.expect("486", "INVITE").await;
    assert_eq!(names(&whole_call(&mut events).await), ["incoming", "refused", "over"]);
    phone.shutdown().await;
}

#[tokio::test]
async fn a_bye_finds_a_caller_whose_contact_cannot_be_resolved() {
    let script = CallScript { hang_up_after: Some(Duration::ZERO), ..CallScript::answering() };
    let (phone, mut events) = phone(script).await;
    let caller = Caller::to(phone.local_addr()).await;
    let local = caller.socket.local_addr().unwrap();
    let contact = format!("Contact: <sip:raw@{local}>");
    caller.send(&caller.invite().replace(&contact, "Contact: <sip:raw@pbx.invalid>")).await;
    let tag = tag(&caller.expect("200", "INVITE").await);
    caller.send(&caller.request("ACK", "1 ACK", "ack", &tag, "")).await;
    let bye = caller.expect("BYE", "BYE").await;
    assert!(bye.starts_with("BYE sip:raw@pbx.invalid"), "{bye}");
    caller.confirm(&bye).await;
    assert_eq!(names(&whole_call(&mut events).await), ["incoming", "answered", "hung-up", "over"]);
    phone.shutdown().await;
}

#[tokio::test]
async fn a_bye_takes_the_route_that_the_invite_recorded() {
    let script = CallScript { hang_up_after: Some(Duration::ZERO), ..CallScript::answering() };
    let (phone, mut events) = phone(script).await;
    let (caller, proxy) = (Caller::to(phone.local_addr()).await, Caller::to(phone.local_addr()).await);
    let route = format!("<sip:{};lr>", proxy.socket.local_addr().unwrap());
    let invite =
        caller.invite().replacen("Max-Forwards", &format!("Record-Route: {route}\r\nMax-Forwards"), 1);
    caller.send(&invite).await;
    let ok = caller.expect("200", "INVITE").await;
    assert_eq!(header(&ok, "Record-Route"), route);
    caller.send(&caller.request("ACK", "1 ACK", "ack", &tag(&ok), "")).await;
    let bye = proxy.expect("BYE", "BYE").await;
    assert_eq!(header(&bye, "Route"), route);
    proxy.confirm(&bye).await;
    assert_eq!(names(&whole_call(&mut events).await), ["incoming", "answered", "hung-up", "over"]);
    phone.shutdown().await;
}
