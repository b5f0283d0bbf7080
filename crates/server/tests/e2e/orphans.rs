//! What the callee's telephone sees when the server dies with its call and starts again.

use std::sync::Arc;
use std::time::Duration;

use callwright::system::SystemEntropy;
use phone::{Behaviour, CallScript, Events, Happening, Phone, PhoneEvent, PhoneSettings};
use serde_json::json;

use crate::support::{Desk, Installation, LISTENER, PATIENCE, Receiver};

/// Lets the server die at `point` of a call to such a telephone, and starts it again.
async fn die_at(point: &str, behaviour: Behaviour) -> (Installation, Phone, Events) {
    let mut installation = Installation::new(&[]).await;
    installation.start(&[("FAILPOINTS", &format!("{point}=return"))]);
    installation.ready().await;
    let (phone, events) = telephone(behaviour).await;
    let address = phone.local_addr().to_string();
    let desk = Desk::provision(&installation, LISTENER, &["--address", &address]);
    // The answer may be lost with the server.
    let _ = desk.try_place(&desk.request()).await;
    installation.wait_for_end().await;
    installation.start(&[]);
    (installation, phone, events)
}

/// Reads on until the call is over; it must be the only one.
async fn until_over(mut events: Events) -> Vec<PhoneEvent> {
    let mut seen = Vec::new();
    let reading = async {
        while let Some(event) = events.next().await {
            let over = matches!(event.what, Happening::Over { .. });
            seen.push(event);
            if over {
                break;
            }
        }
    };
    tokio::time::timeout(PATIENCE, reading).await.expect("the telephone was left alone");
    let again = tokio::time::timeout(Duration::from_secs(2), events.next()).await;
    assert!(again.is_err(), "dialled again: {again:?}");
    seen
}

/// A telephone that answers at once, and what happens to it.
async fn telephone(behaviour: Behaviour) -> (Phone, Events) {
    let settings = PhoneSettings::new("127.0.0.1:0".parse().unwrap(), Arc::new(SystemEntropy));
    let phone = Phone::start(settings, CallScript::that(behaviour)).await.unwrap();
    let events = phone.events();
    (phone, events)
}

#[tokio::test]
async fn another_node_hangs_up_and_reports_the_call_of_one_that_died() {
    let mut first = Installation::serving(&[]).await;
    let mut second = Installation::beside(&first);
    second.start(&[]);
    second.ready().await;
    let (phone, mut events) = telephone(Behaviour::Answer { after: Duration::ZERO, ringing: false }).await;
    let mut desk = Desk::provision(&first, LISTENER, &["--address", &phone.local_addr().to_string()]);
    let mut receiver = Receiver::answering(&[200]).await;
    let mut request = desk.request();
    request["callbackUrl"] = json!(receiver.url());
    let (_, placed) = desk.place(&request).await;
    events.until(|event| matches!(event.what, Happening::Answered { .. })).await.unwrap();
    first.saves_an_answer().await;
    first.kill();
    desk.follow(&second);

    let seen = until_over(events).await;
    assert!(seen.iter().any(|event| matches!(event.what, Happening::HungUp { by_us: false })), "{seen:?}");
    let callback = receiver.next(PATIENCE).await.json();
    assert_eq!(callback["outboundCallId"], placed["outboundCallId"]);
    assert_eq!(callback["callDetails"]["endedReason"], "service-interrupted");
    let end = desk.outcome(placed["outboundCallId"].as_str().unwrap()).await;
    assert_eq!(end["status"], "failed");
    assert!(receiver.stays_quiet(Duration::from_secs(2)).await);
}

#[tokio::test]
async fn an_answered_call_is_hung_up_by_the_next_start_and_never_dialled_again() {
    let behaviour = Behaviour::Answer { after: Duration::from_millis(50), ringing: true };
    let (_installation, _phone, events) = die_at("answer-saved", behaviour).await;
    let seen = until_over(events).await;
    assert!(seen.iter().any(|event| matches!(event.what, Happening::HungUp { by_us: false })), "{seen:?}");
}

#[tokio::test]
async fn a_ringing_call_is_cancelled_by_the_next_start_and_never_dialled_again() {
    let (_installation, _phone, events) = die_at("ringing", Behaviour::NeverAnswer).await;
    let seen = until_over(events).await;
    assert!(seen.iter().any(|event| matches!(event.what, Happening::Cancelled)), "{seen:?}");
}
