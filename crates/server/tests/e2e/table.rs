//! How each way in which a call can go is reported: the rows of the outcome table, against SIPp.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{ANNOUNCEMENT, Desk, Installation, LISTENER, Sipp, Step};

use Step::{Answer, AnswerWithSdp, Bye, Expect, Invite, Okay, Pause, Terminated};

const RINGING: Step = Answer(180, "Ringing");
const OK: Step = AnswerWithSdp(200, "OK");

/// Places a call to a trunk that does `steps`, and gives the final status answer.
async fn outcome(steps: &[Step], assistant: &str, settings: &[(&str, &str)]) -> Value {
    let installation = Installation::serving(settings).await;
    let trunk = Sipp::start(installation.data(), steps);
    let desk = Desk::provision(&installation, assistant, &["--address", &trunk.address()]);
    let end = desk.call_through().await;
    assert!(end["callDetails"]["endedAt"].is_string(), "{end}");
    end
}

async fn check(steps: &[Step], assistant: &str, status: &str, reason: &str) -> Value {
    let end = outcome(steps, assistant, &[("CALLS__RING_LIMIT", "2")]).await;
    assert_eq!(
        (&end["status"], &end["callDetails"]["endedReason"]),
        (&json!(status), &json!(reason)),
        "{end}"
    );
    end
}

async fn check_refusal(steps: &[Step], status: &str, reason: &str) {
    let end = check(steps, LISTENER, status, reason).await;
    assert_eq!(
        (&end["callDetails"]["startedAt"], &end["callDetails"]["duration"]),
        (&Value::Null, &Value::Null)
    );
}

#[tokio::test]
async fn answered_and_the_callee_hangs_up_is_customer_ended_call() {
    let steps = [Invite, RINGING, OK, Expect("ACK"), Pause(1200), Bye];
    let end = check(&steps, LISTENER, "completed", "customer-ended-call").await;
    assert_eq!(end["callDetails"]["duration"], 1);
}

#[tokio::test]
async fn answered_and_the_assistant_ends_is_assistant_ended_call() {
    check(
        &[Invite, RINGING, OK, Expect("ACK"), Expect("BYE"), Okay],
        ANNOUNCEMENT,
        "completed",
        "assistant-ended-call",
    )
    .await;
}

#[tokio::test]
async fn nobody_speaks_for_the_silence_limit_is_silence_timed_out() {
    let assistant = format!("{LISTENER}\n[limits]\nsilence_seconds = 2\n");
    check(&[Invite, OK, Expect("ACK"), Expect("BYE"), Okay], &assistant, "completed", "silence-timed-out")
        .await;
}

#[tokio::test]
async fn the_length_limit_is_exceeded_max_duration() {
    let assistant = format!("{LISTENER}\n[limits]\nmax_duration_seconds = 2\n");
    let end = check(
        &[Invite, OK, Expect("ACK"), Expect("BYE"), Okay],
        &assistant,
        "completed",
        "exceeded-max-duration",
    )
    .await;
    assert_eq!(end["callDetails"]["duration"], 2);
}

#[tokio::test]
async fn busy_answers_are_customer_busy() {
    check_refusal(&[Invite, Answer(486, "Busy Here"), Expect("ACK")], "busy", "customer-busy").await;
    check_refusal(&[Invite, RINGING, Answer(600, "Busy Everywhere"), Expect("ACK")], "busy", "customer-busy")
        .await;
}

#[tokio::test]
async fn declining_answers_are_customer_declined() {
    for (code, phrase) in [(603, "Decline"), (607, "Unwanted"), (608, "Rejected")] {
        let steps = [Invite, RINGING, Answer(code, phrase), Expect("ACK")];
        check_refusal(&steps, "busy", "customer-declined").await;
    }
}

#[tokio::test]
async fn unanswered_after_ringing_is_no_answer() {
    for (code, phrase) in
        [(408, "Request Timeout"), (480, "Temporarily Unavailable"), (487, "Request Terminated")]
    {
        let steps = [Invite, RINGING, Pause(100), Answer(code, phrase), Expect("ACK")];
        check_refusal(&steps, "no-answer", "no-answer").await;
    }
}

#[tokio::test]
async fn the_ring_limit_cancels_and_is_no_answer() {
    let steps = [Invite, RINGING, Expect("CANCEL"), Okay, Terminated, Expect("ACK")];
    check_refusal(&steps, "no-answer", "no-answer").await;
}

#[tokio::test]
async fn early_media_is_not_an_answer() {
    let steps =
        [Invite, AnswerWithSdp(183, "Session Progress"), Expect("CANCEL"), Okay, Terminated, Expect("ACK")];
    check_refusal(&steps, "no-answer", "no-answer").await;
}

#[tokio::test]
async fn unknown_numbers_are_invalid_number() {
    for (code, phrase) in
        [(404, "Not Found"), (410, "Gone"), (484, "Address Incomplete"), (604, "Does Not Exist")]
    {
        check_refusal(&[Invite, Answer(code, phrase), Expect("ACK")], "failed", "invalid-number").await;
    }
}

#[tokio::test]
async fn a_refusing_trunk_is_trunk_rejected() {
    check_refusal(&[Invite, Answer(403, "Forbidden"), Expect("ACK")], "failed", "trunk-rejected").await;
    // A challenge without credentials to meet it.
    check_refusal(&[Invite, Answer(401, "Unauthorized"), Expect("ACK")], "failed", "trunk-rejected").await;
}

#[tokio::test]
async fn other_failures_are_trunk_error() {
    for (code, phrase) in [
        (400, "Bad Request"),
        (488, "Not Acceptable Here"),
        (500, "Server Error"),
        (503, "Unavailable"),
        (606, "No"),
    ] {
        check_refusal(&[Invite, Answer(code, phrase), Expect("ACK")], "failed", "trunk-error").await;
    }
    check_refusal(&[Invite, Answer(302, "Moved"), Expect("ACK")], "failed", "trunk-error").await;
}

#[tokio::test]
async fn a_trunk_that_never_answers_is_trunk_unreachable() {
    let installation = Installation::serving(&[]).await;
    let silent = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let desk = Desk::provision(&installation, LISTENER, &["--address", &address]);
    let (_, placed) = desk.place(&desk.request()).await;
    assert_eq!(placed["status"], "calling");
    let end = desk.outcome_within(placed["outboundCallId"].as_str().unwrap(), Duration::from_secs(45)).await;
    assert_eq!(
        (&end["status"], &end["callDetails"]["endedReason"]),
        (&json!("failed"), &json!("trunk-unreachable"))
    );
}

#[tokio::test]
async fn a_line_too_long_to_be_spoken_is_refused_at_create() {
    let installation = Installation::serving(&[]).await;
    let assistant = LISTENER.replace("Hello.", "{{story}}");
    let desk = Desk::provision(&installation, &assistant, &["--address", "127.0.0.1:9"]);
    let mut request = desk.request();
    request["dynamicVariables"] = json!({"story": "and so on ".repeat(1_200)});
    let (status, refused) = desk.place(&request).await;
    let problem = &refused["details"][0];
    assert_eq!(
        (status, &problem["field"], &problem["code"]),
        (400, &json!("dynamicVariables"), &json!("too_big")),
        "{refused}"
    );
}

#[tokio::test]
async fn hung_up_by_an_operator_is_manually_ended() {
    let installation = Installation::serving(&[]).await;
    let trunk = Sipp::start(installation.data(), &[Invite, OK, Expect("ACK"), Expect("BYE"), Okay]);
    let desk = Desk::provision(&installation, LISTENER, &["--address", &trunk.address()]);
    let (_, placed) = desk.place(&desk.request()).await;
    let call = placed["outboundCallId"].as_str().unwrap();
    installation.logs("call answered").await;
    assert_eq!(installation.operator(&["call", "hang-up", call])["id"], json!(call));
    let end = desk.outcome(call).await;
    assert_eq!(
        (&end["status"], &end["callDetails"]["endedReason"]),
        (&json!("completed"), &json!("manually-ended"))
    );
}

#[tokio::test]
async fn media_that_never_comes_is_media_timeout() {
    let steps = [Invite, OK, Expect("ACK"), Expect("BYE"), Okay];
    let assistant = format!("{LISTENER}\n[limits]\nsilence_seconds = 60\n");
    let installation = Installation::serving(&[]).await;
    let trunk = Sipp::start(installation.data(), &steps);
    let desk = Desk::provision(&installation, &assistant, &["--address", &trunk.address()]);
    let (_, placed) = desk.place(&desk.request()).await;
    let end = desk.outcome_within(placed["outboundCallId"].as_str().unwrap(), Duration::from_secs(45)).await;
    assert_eq!(
        (&end["status"], &end["callDetails"]["endedReason"]),
        (&json!("failed"), &json!("media-timeout"))
    );
}
