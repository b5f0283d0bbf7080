//! Trying an assistant on the telephone inside the service: no trunk, no other program.

use std::time::Duration;

use domain::test_line::TestCallee;
use serde_json::{Value, json};

use crate::support::{Desk, Installation};

const SURVEY: &str = r#"
name = "Survey"
engine = "builtin"
language = "en-US"
first_message = "Hello, this is the clinic."
closing_line = "Thank you very much. Goodbye."

[voicemail]
action = "hang-up"

[[steps]]
wait_for = "speech"
say = "Will you come on Monday?"

[[steps]]
wait_for = "speech"
say = "Wonderful."
"#;

const MENU: &str = r#"
name = "Menu"
engine = "builtin"
first_message = "For the pharmacy, press one."
closing_line = "Goodbye."

[[steps]]
wait_for = "speech-or-digit"
say = "You pressed a key. Press another."

[[steps]]
wait_for = "speech-or-digit"
say = "Thank you."
"#;

/// Calls a number of the built-in phone, and gives the final status with the call's id.
async fn call(desk: &Desk, assistant: &str, number: &str) -> (String, Value) {
    let mut request = desk.request();
    request["phoneNumber"] = json!(number);
    request["assistantId"] = json!(assistant);
    let (status, placed) = desk.place(&request).await;
    assert_eq!(status, 201, "{placed}");
    let id = placed["outboundCallId"].as_str().unwrap().to_owned();
    let end = desk.outcome_within(&id, Duration::from_secs(90)).await;
    (id, end)
}

fn provision(installation: &Installation) -> Desk {
    Desk::provision(installation, SURVEY, &["--address", "phone.callwright.invalid"])
}

#[tokio::test(flavor = "multi_thread")]
async fn each_number_of_the_built_in_phone_does_what_it_says_and_others_are_nobodys() {
    let settings = [("CALLS__RING_LIMIT", "3"), ("SIP__PUBLIC_ADDRESS", "203.0.113.9")];
    let installation = Installation::serving(&settings).await;
    let desk = provision(&installation);
    let menu = Desk::assistant(&installation, &desk.organization, MENU);
    let expected = |callee| match callee {
        TestCallee::Answers | TestCallee::PressesKeys => ("completed", "assistant-ended-call"),
        TestCallee::Voicemail => ("completed", "voicemail"),
        TestCallee::Busy => ("busy", "customer-busy"),
        TestCallee::NeverAnswers => ("no-answer", "no-answer"),
        TestCallee::Declines => ("busy", "customer-declined"),
    };
    let calls = TestCallee::ALL.map(async |callee| {
        let assistant = if callee == TestCallee::PressesKeys { &menu } else { &desk.assistant };
        let (id, end) = call(&desk, assistant, callee.number()).await;
        let (status, reason) = expected(callee);
        let told = (&end["status"], &end["callDetails"]["endedReason"]);
        assert_eq!(told, (&json!(status), &json!(reason)), "{callee:?}: {end}");
        (callee, id)
    });
    for (callee, id) in futures_util::future::join_all(calls).await {
        if !matches!(callee, TestCallee::Answers | TestCallee::PressesKeys) {
            continue;
        }
        // Real sound both ways was recorded, whatever public address there is.
        let record = desk.complete_record(&id, true).await;
        let turns = desk.transcript(&record).await;
        let heard: Vec<&str> =
            turns.iter().filter(|turn| turn.who == "Customer").map(|turn| turn.text.as_str()).collect();
        if callee == TestCallee::Answers {
            assert!(
                heard.len() >= 2 && heard.iter().all(|text| text.starts_with("[caller spoke")),
                "{turns:?}"
            );
        } else {
            assert_eq!(heard.first(), Some(&"[pressed 1]"), "{turns:?}");
        }
        assert!(desk.recording(&record).await.length() > Duration::from_secs(4));
    }

    // Nobody else is dialled over it.
    let (_, end) = call(&desk, &desk.assistant, "+14155550123").await;
    assert_eq!(end["status"], "failed");
    assert_eq!(end["callDetails"]["endedReason"], "invalid-number");
    // The operator's doctor does not take it for a trunk.
    let doctor = installation.command().args(["doctor"]).output().unwrap();
    assert!(doctor.status.success(), "{}", String::from_utf8_lossy(&doctor.stdout));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_built_in_phone_that_is_switched_off_takes_no_calls() {
    let installation = Installation::serving(&[("PHONE__BUILT_IN", "false")]).await;
    let desk = provision(&installation);
    let mut request = desk.request();
    request["phoneNumber"] = json!(TestCallee::Answers.number());
    let (status, placed) = desk.place(&request).await;
    assert_eq!((status, &placed["status"]), (201, &json!("failed")), "{placed}");
}
