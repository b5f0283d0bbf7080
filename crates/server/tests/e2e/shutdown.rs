//! SIGTERM while people talk.

use std::time::Duration;

use phone::{Action, Happening};
use serde_json::json;

use crate::support::{Desk, Installation, LISTENER, PATIENCE, Receiver, Sipp, Step, Telephone, says, waits};

use Step::{AnswerWithSdp, Bye, Expect, Invite, Okay, Pause};

/// A server with one call that has been answered.
async fn talking(steps: &[Step]) -> (Installation, Sipp, Desk, Receiver, String) {
    let installation = Installation::serving(&[]).await;
    let trunk = Sipp::start(installation.data(), steps);
    let desk = Desk::provision(&installation, LISTENER, &["--address", &trunk.address()]);
    let receiver = Receiver::answering(&[200]).await;
    let mut request = desk.request();
    request["callbackUrl"] = json!(receiver.url());
    let (_, placed) = desk.place(&request).await;
    let call = placed["outboundCallId"].as_str().unwrap().to_owned();
    installation.logs("call answered").await;
    (installation, trunk, desk, receiver, call)
}

#[tokio::test]
async fn a_live_call_is_finished_new_ones_are_refused_and_the_callback_is_sent() {
    let steps = [Invite, AnswerWithSdp(200, "OK"), Expect("ACK"), Pause(2500), Bye];
    let (mut installation, _trunk, desk, mut receiver, call) = talking(&steps).await;
    installation.terminate();
    installation.logs("no new calls are taken").await;
    let refused = desk.try_place(&desk.request()).await.unwrap();
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    assert!(refused.json::<serde_json::Value>().await.unwrap()["error"].is_string());

    let callback = receiver.next(PATIENCE).await.json();
    assert_eq!((&callback["outboundCallId"], &callback["status"]), (&json!(call), &json!("completed")));
    assert!(installation.wait_for_end().await.success());
}

#[tokio::test]
async fn a_second_signal_hangs_up_and_still_reports() {
    let steps = [Invite, AnswerWithSdp(200, "OK"), Expect("ACK"), Expect("BYE"), Okay];
    let (mut installation, _trunk, _desk, mut receiver, call) = talking(&steps).await;
    installation.terminate();
    installation.logs("no new calls are taken").await;
    installation.terminate();
    let callback = receiver.next(PATIENCE).await.json();
    assert_eq!(callback["outboundCallId"], json!(call));
    assert_eq!(callback["callDetails"]["endedReason"], "service-interrupted");
    assert!(installation.wait_for_end().await.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_record_of_the_last_call_is_filed_before_the_end() {
    let mut installation = Installation::serving(&[]).await;
    let actions = [Action::LISTEN, says("Please wait a moment."), waits(2_000), Action::HangUp];
    let mut telephone = Telephone::that(actions).await;
    let mut desk = Desk::provision(&installation, LISTENER, &["--address", &telephone.address()]);
    let (_, placed) = desk.place(&desk.request()).await;
    telephone.until(|what| matches!(what, Happening::Said { .. })).await;
    installation.terminate();
    installation.logs("no new calls are taken").await;
    let talked = telephone.talked().await;
    assert!(installation.wait_for_end().await.success());
    assert_eq!(installation.count("call_transcripts").await, 1);
    assert_eq!(installation.count("call_artifacts").await, 2);
    assert_eq!(installation.data().join("records").read_dir().unwrap().count(), 0);

    installation.start(&[]);
    installation.ready().await;
    desk.follow(&installation);
    let record = desk.complete_record(placed["outboundCallId"].as_str().unwrap(), true).await;
    assert_eq!(record["callEndedReason"], "customer-ended-call");
    let recording = desk.recording(&record).await;
    assert!(recording.length().abs_diff(talked) < Duration::from_millis(600), "{talked:?}");
}
