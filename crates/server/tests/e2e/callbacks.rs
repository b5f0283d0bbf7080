//! The callback at the end of a call, as a receiver sees it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::receiver::Arrival;
use crate::support::{ANNOUNCEMENT, Desk, Installation, PATIENCE, Receiver, Sipp, Step};

use Step::{Answer, AnswerWithSdp, Expect, Invite, Okay};

const ANSWERED: [Step; 5] = [Invite, AnswerWithSdp(200, "OK"), Expect("ACK"), Expect("BYE"), Okay];
const BUSY: [Step; 3] = [Invite, Answer(486, "Busy Here"), Expect("ACK")];

/// Judges the signature with an independent implementation.
fn verify(desk: &Desk, arrival: &Arrival) {
    let webhook = standardwebhooks::Webhook::new(&desk.secret).unwrap();
    let mut headers = http::HeaderMap::new();
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        headers.insert(name, arrival.header(name).parse().unwrap());
    }
    webhook.verify(&arrival.body, &headers).unwrap();
}

#[tokio::test]
async fn a_completed_call_is_reported_once_signed_and_as_the_interface_says() {
    let installation = Installation::serving(&[]).await;
    let trunk = Sipp::start(installation.data(), &ANSWERED);
    let desk = Desk::provision(&installation, ANNOUNCEMENT, &["--address", &trunk.address()]);
    let mut receiver = Receiver::answering(&[204]).await;
    let mut request = desk.request();
    request["callbackUrl"] = json!(receiver.url());
    request["dynamicVariables"] = json!({"visit": "Tuesday", "é": "\"quoted\""});
    let (_, placed) = desk.place(&request).await;

    let arrival = receiver.next(PATIENCE).await;
    verify(&desk, &arrival);
    let call = placed["outboundCallId"].as_str().unwrap();
    assert_eq!(arrival.header("content-type"), "application/json");
    assert_eq!(arrival.header("webhook-id"), call);
    let body = arrival.json();
    let status = desk.status(call).await;
    assert_eq!(
        body,
        json!({
            "event": "call.completed",
            "outboundCallId": call,
            "contactId": placed["contactId"],
            "status": "completed",
            "timestamp": body["timestamp"],
            "callDetails": status["callDetails"],
            "dynamicVariables": {"visit": "Tuesday", "é": "\"quoted\""},
        })
    );
    assert_eq!(body["callDetails"]["endedReason"], "assistant-ended-call");
    assert!(body["callDetails"]["duration"].is_u64());
    assert!(receiver.stays_quiet(Duration::from_secs(3)).await, "a confirmed callback came again");
}

#[tokio::test]
async fn a_failing_receiver_is_tried_four_times_at_0_1_5_and_30_seconds_with_the_same_bytes() {
    let installation = Installation::serving(&[]).await;
    let trunk = Sipp::start(installation.data(), &BUSY);
    let desk = Desk::provision(&installation, ANNOUNCEMENT, &["--address", &trunk.address()]);
    let mut receiver = Receiver::answering(&[500, 302, 404, 503]).await;
    let mut request = desk.request();
    request["callbackUrl"] = json!(receiver.url());
    desk.place(&request).await;

    let mut arrivals = vec![receiver.next(PATIENCE).await];
    for wait in [1, 5, 30] {
        let next = receiver.next(Duration::from_secs(wait + 5)).await;
        let gap = (next.at - arrivals.last().unwrap().at).as_secs_f64();
        let wait = wait as f64;
        assert!((wait - 0.01..wait + 0.5).contains(&gap), "after {wait} s came {gap}");
        arrivals.push(next);
    }
    for arrival in &arrivals {
        verify(&desk, arrival);
        assert_eq!(arrival.body, arrivals[0].body);
    }
    let body = arrivals[0].json();
    assert_eq!((&body["status"], &body["dynamicVariables"]), (&json!("busy"), &Value::Null));
    assert_eq!(body["callDetails"]["duration"], Value::Null);
    assert!(receiver.stays_quiet(Duration::from_secs(3)).await, "a fifth try came");
}

#[tokio::test]
async fn a_try_that_is_due_while_the_server_is_dead_comes_after_its_restart_with_the_same_bytes() {
    let mut installation = Installation::serving(&[]).await;
    let trunk = Sipp::start(installation.data(), &BUSY);
    let desk = Desk::provision(&installation, ANNOUNCEMENT, &["--address", &trunk.address()]);
    let mut receiver = Receiver::answering(&[500, 500, 200]).await;
    let mut request = desk.request();
    request["callbackUrl"] = json!(receiver.url());
    desk.place(&request).await;
    let first = receiver.next(PATIENCE).await;
    let second = receiver.next(PATIENCE).await;
    installation.kill();
    assert!(receiver.stays_quiet(Duration::from_secs(6)).await);
    installation.start(&[]);
    let third = receiver.next(PATIENCE).await;
    verify(&desk, &third);
    assert_eq!((&first.body, &second.body), (&second.body, &third.body));
    assert!(receiver.stays_quiet(Duration::from_secs(2)).await);
}

#[tokio::test]
async fn a_call_that_was_not_placed_sends_no_callback_and_says_why() {
    let installation = Installation::serving(&[]).await;
    // Nobody listens there, and a TCP trunk notices before anything is recorded.
    let desk =
        Desk::provision(&installation, ANNOUNCEMENT, &["--address", "127.0.0.1:9", "--transport", "tcp"]);
    let mut receiver = Receiver::answering(&[200]).await;
    let mut request = desk.request();
    request["callbackUrl"] = json!(receiver.url());
    let (status, placed) = desk.place(&request).await;
    assert_eq!((status, &placed["status"]), (201, &json!("failed")), "{placed}");
    assert!(placed["message"].as_str().is_some_and(|message| !message.is_empty()));
    let end = desk.status(placed["outboundCallId"].as_str().unwrap()).await;
    assert_eq!(
        (&end["status"], &end["callDetails"]["endedReason"]),
        (&json!("failed"), &json!("trunk-unreachable"))
    );
    assert!(receiver.stays_quiet(Duration::from_secs(2)).await);
}
