//! What an answered call leaves: what was said on both sides, and what is said about it.

use std::time::Duration;

use phone::Action;
use reqwest::header::{CONTENT_RANGE, RANGE};
use serde_json::{Value, json};
use test_ears::{hear, words_match};

use crate::support::installation::client;
use crate::support::record::sounds;
use crate::support::{Desk, Installation, Telephone, Turn, says};

const QUESTION: &str = "Hello Ada. Will you come to the clinic on Monday morning?";
const ANSWER: &str = "I am certainly glad that my doctor remembers me.";
const REPLY: &str = "Wonderful, we have written that down for you.";
const GOODBYE: &str = "Thank you very much. Goodbye.";

/// Asks, waits for an answer, and hangs up.
fn survey(more: &str) -> String {
    let question = QUESTION.replace("Ada", "{{customerName}}");
    format!(
        "name = \"Survey\"\nengine = \"builtin\"\nlanguage = \"en-US\"\nfirst_message = \"{question}\"\n\
         closing_line = \"{GOODBYE}\"\n{more}\n[[steps]]\nwait_for = \"speech\"\nsay = \"{REPLY}\"\n"
    )
}

/// Lets the survey be answered, and gives the call's id and how long it was talked.
async fn answered(desk: &Desk, telephone: &mut Telephone) -> (String, Duration) {
    let (status, placed) = desk.place(&desk.request()).await;
    assert_eq!(status, 201, "{placed}");
    let talked = telephone.talked().await;
    let call = placed["outboundCallId"].as_str().unwrap().to_owned();
    assert_eq!(desk.outcome(&call).await["callDetails"]["endedReason"], "assistant-ended-call");
    (call, talked)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answered_call_leaves_what_was_said_on_both_sides_and_what_it_came_to() {
    let installation = Installation::serving(&[]).await;
    let mut telephone = Telephone::that([Action::LISTEN, says(ANSWER)]).await;
    let desk = Desk::provision(&installation, &survey(""), &["--address", &telephone.address()]);
    let (call, talked) = answered(&desk, &mut telephone).await;
    let record = desk.complete_record(&call, true).await;
    installation.keeps_no_records().await;

    let turns = desk.transcript(&record).await;
    assert!(turns.is_sorted_by_key(|turn| turn.at), "{turns:?}");
    let said: Vec<(&str, &str)> = turns.iter().map(|turn| (turn.who.as_str(), turn.text.as_str())).collect();
    // No speech recognition: that he spoke is all that is known.
    let (who, spoke) = said[1];
    assert!(who == "Customer" && spoke.starts_with("[caller spoke, ") && spoke.ends_with(" s]"), "{said:?}");
    let assistant: Vec<&str> =
        said.iter().filter(|(who, _)| *who == "Assistant").map(|(_, text)| *text).collect();
    assert_eq!(assistant.join(" "), [QUESTION, REPLY, GOODBYE].join(" "));
    let summaries = [&record["callSummary"], &record["callSummaryFr"]].map(|text| text.as_str().unwrap());
    assert!(summaries[0].contains("customer") && summaries[1].contains("client"), "{summaries:?}");

    let recording = desk.recording(&record).await;
    let difference = recording.length().abs_diff(talked);
    assert!(difference < Duration::from_millis(600), "{:?} of {talked:?}", recording.length());
    let (left, right) = (sounds(&recording.left), sounds(&recording.right));
    let first = |side: &[bool]| side.iter().position(|sound| *sound).unwrap();
    assert!(first(&right) < first(&left), "the assistant speaks first");
    let both = left.iter().zip(&right).filter(|(left, right)| **left && **right).count();
    assert!(both < 10, "both speak for {both} moments of 20 ms");
    // Once the callee has begun, the assistant says the rest.
    let customer_at = first(&left) * 20;
    let told = u64::try_from(customer_at).unwrap();
    assert!(turns[1].at.abs_diff(Duration::from_millis(told)) < Duration::from_millis(1_300), "{turns:?}");

    let (from_callee, from_assistant) = (hear(&recording.left), hear(&recording.right));
    let everything = [QUESTION, REPLY, GOODBYE].join(" ");
    assert!(words_match(ANSWER, &from_callee) > 0.8, "left: {from_callee}");
    assert!(words_match(&everything, &from_assistant) > 0.8, "right: {from_assistant}");
    assert!(words_match(REPLY, &from_callee) < 0.3, "left: {from_callee}");
    assert!(words_match(ANSWER, &from_assistant) < 0.3, "right: {from_assistant}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_may_seek_in_a_recording() {
    let installation = Installation::serving(&[]).await;
    let mut telephone = Telephone::that([Action::LISTEN, says("Yes.")]).await;
    let desk = Desk::provision(&installation, &survey(""), &["--address", &telephone.address()]);
    let (call, _) = answered(&desk, &mut telephone).await;
    let record = desk.complete_record(&call, true).await;
    let address = record["recordingUrl"].as_str().unwrap();
    let whole = client().get(address).send().await.unwrap();
    assert_eq!(whole.headers()["content-type"], "audio/wav");
    assert_eq!(whole.headers()["accept-ranges"], "bytes");
    let whole = whole.bytes().await.unwrap();
    let total = whole.len();
    for (range, first, last) in [
        ("bytes=0-43".to_owned(), 0, 43),
        (format!("bytes={}-", total - 1_000), total - 1_000, total - 1),
        ("bytes=-500".to_owned(), total - 500, total - 1),
    ] {
        let part = client().get(address).header(RANGE, &range).send().await.unwrap();
        assert_eq!(part.status(), 206, "{range}");
        assert_eq!(part.headers()[CONTENT_RANGE], format!("bytes {first}-{last}/{total}"));
        assert_eq!(part.bytes().await.unwrap(), whole[first..=last], "{range}");
    }
    let beyond = client().get(address).header(RANGE, format!("bytes={total}-")).send().await.unwrap();
    assert_eq!(beyond.status(), 416);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_assistant_that_does_not_record_leaves_a_transcript_alone() {
    let installation = Installation::serving(&[]).await;
    let mut telephone = Telephone::that([Action::LISTEN, says(ANSWER)]).await;
    let assistant = survey("record = false");
    let desk = Desk::provision(&installation, &assistant, &["--address", &telephone.address()]);
    let (call, _) = answered(&desk, &mut telephone).await;
    let record = desk.complete_record(&call, false).await;
    installation.keeps_no_records().await;
    assert_eq!(desk.record(&call).await["recordingUrl"], Value::Null);
    assert_eq!(installation.count("call_artifacts").await, 1);
    let who: Vec<String> = desk.transcript(&record).await.into_iter().map(|Turn { who, .. }| who).collect();
    assert_eq!(who[..2], ["Assistant", "Customer"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_reaches_the_record_of_another_tenant() {
    let installation = Installation::serving(&[]).await;
    let mut telephone = Telephone::that([Action::LISTEN, says("Yes.")]).await;
    let desks =
        [(); 2].map(|()| Desk::provision(&installation, &survey(""), &["--address", &telephone.address()]));
    let mut records = Vec::new();
    for desk in &desks {
        let (call, _) = answered(desk, &mut telephone).await;
        records.push(desk.complete_record(&call, true).await);
    }
    for (own, other) in [(0, 1), (1, 0)] {
        let call = records[other]["id"].as_str().unwrap();
        let refused = desks[own].record(call).await;
        assert!(refused["error"].is_string() && refused["recordingUrl"].is_null(), "{refused}");
        for field in ["recordingUrl", "transcriptUrl"] {
            // One's own signature under the other's place.
            let url = |record: &Value| reqwest::Url::parse(record[field].as_str().unwrap()).unwrap();
            let (mine, mut theirs) = (url(&records[own]), url(&records[other]));
            theirs.set_query(mine.query());
            assert_eq!(client().get(theirs).send().await.unwrap().status(), 403, "{field}");
        }
        let folder = records[other]["recordingUrl"].as_str().unwrap().rsplit_once('/').unwrap().0;
        assert_ne!(client().get(folder).send().await.unwrap().status(), 200, "no listing");
    }
    assert_eq!(json!(records[0]["organizationId"]), json!(desks[0].organization));
}
