//! What a trunk takes at a time and a second, as the answer to a POST shows it.

use serde_json::{Value, json};

use crate::support::{Desk, Installation, LISTENER, Sipp, Step};

use Step::{AnswerWithSdp, Bye, Expect, Invite, Pause};

const SHORT_CALL: [Step; 5] = [Invite, AnswerWithSdp(200, "OK"), Expect("ACK"), Pause(1500), Bye];

/// The call was refused at once for want of capacity, and is recorded so.
async fn is_refused(desk: &Desk, placed: &(u16, Value)) {
    let (status, answer) = placed;
    assert_eq!((*status, &answer["status"]), (201, &json!("failed")), "{answer}");
    let end = desk.status(answer["outboundCallId"].as_str().unwrap()).await;
    assert_eq!(
        (&end["status"], &end["callDetails"]["endedReason"]),
        (&json!("failed"), &json!("capacity-exceeded"))
    );
}

#[tokio::test]
async fn a_trunk_with_one_line_takes_one_call_at_a_time() {
    let installation = Installation::serving(&[]).await;
    let trunk = Sipp::start(installation.data(), &SHORT_CALL);
    let desk = Desk::provision(&installation, LISTENER, &["--address", &trunk.address(), "--max-calls", "1"]);
    let (_, first) = desk.place(&desk.request()).await;
    assert_eq!(first["status"], "calling");
    is_refused(&desk, &desk.place(&desk.request()).await).await;
    desk.outcome(first["outboundCallId"].as_str().unwrap()).await;
    // The line is free again.
    let end = desk.call_through().await;
    assert_eq!(end["status"], "completed");
}

#[tokio::test]
async fn a_trunk_with_a_pace_takes_so_many_new_calls_a_second() {
    let installation = Installation::serving(&[]).await;
    let trunk = Sipp::start(installation.data(), &SHORT_CALL);
    let desk =
        Desk::provision(&installation, LISTENER, &["--address", &trunk.address(), "--calls-per-second", "1"]);
    let request = desk.request();
    let (one, other) = tokio::join!(desk.place(&request), desk.place(&request));
    let (taken, refused) = if one.1["status"] == "calling" { (one, other) } else { (other, one) };
    assert_eq!(taken.1["status"], "calling");
    is_refused(&desk, &refused).await;
}

#[tokio::test]
async fn a_number_that_cannot_be_dialled_is_refused_as_invalid() {
    let installation = Installation::serving(&[]).await;
    let desk =
        Desk::provision(&installation, LISTENER, &["--address", "127.0.0.1:9", "--default-country", "1"]);
    let mut request = desk.request();
    request["phoneNumber"] = json!("555-0123-45");
    let (status, placed) = desk.place(&request).await;
    assert_eq!((status, &placed["status"]), (201, &json!("failed")), "{placed}");
    let end = desk.status(placed["outboundCallId"].as_str().unwrap()).await;
    assert_eq!(end["callDetails"]["endedReason"], "invalid-number");
}
