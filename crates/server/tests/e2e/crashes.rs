//! The process dies between any two steps of a call's life; afterwards every call is final and
//! every due callback has arrived.

use std::time::Duration;

use serde_json::json;

use crate::dashboard::people::{Standing, enter, session_of};
use crate::dashboard::person::Person;
use crate::support::{Desk, Installation, PATIENCE, Receiver, Sipp, Step};

use Step::{Answer, AnswerWithSdp, Bye, Expect, Invite, Pause};

/// The callee hangs up before this one has said all it has to say.
const TALKER: &str = r#"
name = "Talker"
engine = "builtin"
first_message = "This is a long announcement that goes on for quite a while, so that the callee hangs up first."
"#;

/// Dies at `point`, starts again (and dies `then`), and gives the callbacks that came and the final
/// status.
async fn die_at(point: &str, then: Option<&str>) -> (Vec<serde_json::Value>, serde_json::Value) {
    let mut installation = Installation::new(&[]).await;
    installation.start(&[("FAILPOINTS", &format!("{point}=return"))]);
    installation.ready().await;
    let ring_then_answer = [
        Invite,
        Answer(180, "Ringing"),
        Pause(100),
        AnswerWithSdp(200, "OK"),
        Expect("ACK"),
        Pause(500),
        Bye,
    ];
    let trunk = Sipp::start(installation.data(), &ring_then_answer);
    let mut desk = Desk::provision(&installation, TALKER, &["--address", &trunk.address()]);
    let mut receiver = Receiver::answering(&[200]).await;
    let mut request = desk.request();
    request["callbackUrl"] = json!(receiver.url());
    // The answer may be lost with the server.
    let _ = desk.try_place(&request).await;
    installation.wait_for_end().await;
    if let Some(point) = then {
        installation.start(&[("FAILPOINTS", &format!("{point}=return"))]);
        installation.wait_for_end().await;
    }
    installation.start(&[]);
    installation.ready().await;
    desk.follow(&installation);

    let first = receiver.next(PATIENCE).await.json();
    let call = first["outboundCallId"].as_str().unwrap().to_owned();
    let mut callbacks = vec![first];
    while let Ok(again) = tokio::time::timeout(Duration::from_secs(2), receiver.next(PATIENCE)).await {
        callbacks.push(again.json());
    }
    (callbacks, desk.status(&call).await)
}

/// The call was cut off: it is reported as such, once, and never dialled again.
async fn is_interrupted(point: &str, then: Option<&str>) {
    let (callbacks, status) = die_at(point, then).await;
    let details = &status["callDetails"];
    assert_eq!(
        (&status["status"], &details["endedReason"]),
        (&json!("failed"), &json!("service-interrupted")),
        "{point}"
    );
    assert_eq!(callbacks.len(), 1, "{point}: {callbacks:?}");
    assert_eq!(callbacks[0]["callDetails"]["endedReason"], "service-interrupted");
}

/// The call's end was committed: its callback comes as it was frozen, perhaps twice.
async fn is_completed(point: &str, callbacks_expected: usize) {
    let (callbacks, status) = die_at(point, None).await;
    assert_eq!(status["callDetails"]["endedReason"], "customer-ended-call", "{point}");
    assert_eq!(callbacks.len(), callbacks_expected, "{point}: {callbacks:?}");
    assert!(callbacks.iter().all(|callback| *callback == callbacks[0]));
}

#[tokio::test]
async fn dying_before_the_call_is_recorded_leaves_nothing_behind() {
    let mut installation = Installation::new(&[]).await;
    installation.start(&[("FAILPOINTS", "prepared=return")]);
    installation.ready().await;
    let trunk = Sipp::start(installation.data(), &[Invite, Answer(486, "Busy Here"), Expect("ACK")]);
    let desk = Desk::provision(&installation, TALKER, &["--address", &trunk.address()]);
    assert!(desk.try_place(&desk.request()).await.is_err());
    installation.wait_for_end().await;
    assert_eq!(installation.count("outbound_calls").await, 0);
    assert_eq!(installation.count("contacts").await, 0);
}

#[tokio::test]
async fn dying_after_the_call_is_recorded() {
    is_interrupted("accepted", None).await;
}

#[tokio::test]
async fn dying_after_the_invite_is_sent() {
    is_interrupted("dialled", None).await;
}

#[tokio::test]
async fn dying_while_it_rings() {
    is_interrupted("ringing", None).await;
}

#[tokio::test]
async fn dying_when_the_callee_answers() {
    is_interrupted("answered", None).await;
}

#[tokio::test]
async fn dying_after_the_answer_is_saved() {
    is_interrupted("answer-saved", None).await;
}

#[tokio::test]
async fn dying_again_while_taking_over_from_oneself() {
    is_interrupted("answer-saved", Some("taken-over")).await;
}

#[tokio::test]
async fn dying_before_the_end_is_recorded() {
    is_interrupted("concluding", None).await;
}

#[tokio::test]
async fn dying_after_the_end_is_recorded() {
    is_completed("concluded", 1).await;
}

#[tokio::test]
async fn dying_with_the_callback_claimed() {
    is_completed("callback-claimed", 1).await;
}

#[tokio::test]
async fn dying_with_the_callback_sent_but_not_settled_repeats_that_try() {
    is_completed("callback-sent", 2).await;
}

#[tokio::test]
async fn dying_after_the_callback_is_settled_does_not_repeat_it() {
    is_completed("callback-settled", 1).await;
}

/// Somebody sends a given-up callback again, and the process dies at `point` of it: what arrived of that try,
/// and the page that tells of it afterwards.
async fn die_sending_by_hand(point: &str) -> (usize, String) {
    let mut installation = Installation::new(&[]).await;
    installation.start(&[("FAILPOINTS", &format!("{point}=return"))]);
    installation.ready().await;
    let trunk = Sipp::start(installation.data(), &[Invite, Answer(486, "Busy Here"), Expect("ACK")]);
    let desk = Desk::provision(&installation, TALKER, &["--address", &trunk.address()]);
    let mut receiver = Receiver::answering(&[200]).await;
    let mut request = desk.request();
    request["callbackUrl"] = json!(receiver.url());
    desk.place(&request).await;
    let first = receiver.next(PATIENCE).await.json();
    let call = first["outboundCallId"].as_str().unwrap();
    installation.rows_until("SELECT 1 FROM callbacks WHERE state = 'delivered'").await;
    let tenant = installation.rows("SELECT id FROM tenants").await[0][0].clone().unwrap();
    let standing = Standing { role: "admin", tenant: &tenant, organization: None };
    let user = enter(&installation, standing, "ada@clinic.example").await;
    let session = session_of(&installation, &user).await;
    let page = format!("/o/{}/callbacks/{call}", desk.organization);
    let person = Person::with_session(installation.base(), &session);
    let token = person.token().await;
    // The answer is lost with the server.
    let sending = tokio::spawn(async move {
        let same_origin = [("Sec-Fetch-Site", "same-origin")];
        person.post_bare(&page, &[("token", &token)], &same_origin).await
    });
    installation.wait_for_end().await;
    assert!(sending.await.is_err(), "{point}: the answer came");
    installation.start(&[]);
    installation.ready().await;
    // Its claim is over, as if time had passed.
    installation.sql("UPDATE callbacks SET manual_until = now() - interval '1 second'").await;
    let mut arrived = 0;
    while tokio::time::timeout(Duration::from_secs(2), receiver.next(PATIENCE)).await.is_ok() {
        arrived += 1;
    }
    let person = Person::with_session(installation.base(), &session);
    let told = person.get(&format!("/o/{}/callbacks/{call}", desk.organization)).await.body;
    let noted = "SELECT 1 FROM audit_entries WHERE action = 'callback.redeliver' AND actor_name = 'ada@clinic.example'";
    assert_eq!(installation.rows(noted).await.len(), 1, "{point}");
    // It bars no other.
    let page = format!("/o/{}/callbacks/{call}", desk.organization);
    let sent = person.post(&page, &[]).await;
    assert!(sent.location().ends_with("sent=confirmed"), "{point}: {sent:?}");
    receiver.next(PATIENCE).await;
    (arrived, told)
}

#[tokio::test]
async fn dying_before_a_callback_is_sent_by_hand_tells_of_the_try_and_does_not_repeat_it() {
    let (arrived, told) = die_sending_by_hand("callback-claimed-again").await;
    assert_eq!(arrived, 0);
    assert!(told.contains("Not known: the server stopped"), "{told}");
}

#[tokio::test]
async fn dying_after_a_callback_was_sent_by_hand_tells_of_the_try_and_does_not_repeat_it() {
    let (arrived, told) = die_sending_by_hand("callback-sent-again").await;
    assert_eq!(arrived, 1);
    assert!(told.contains("Not known: the server stopped"), "{told}");
}
