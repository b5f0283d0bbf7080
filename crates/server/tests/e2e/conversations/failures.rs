//! The provider refuses, breaks off, falls silent or is away, while somebody is on the line.

use phone::{Action, CallScript};
use test_ports::free_port;
use test_realtime::{Double, Fault, Options, Part, Recogniser, Replies};

use super::stage::{Stage, double, realtime, realtime_at, understood};
use super::wire::{audible, frames, sent};
use crate::support::says;

const FALLBACK: &str = "I am sorry, something went wrong. We will call you again tomorrow.";
const GREETING: &str = "Hello, this is the north clinic. Do you have a moment to talk to us?";
const GOODBYE: &str = "Wonderful, thank you very much, and goodbye.";

fn top() -> String {
    format!("first_message = \"{GREETING}\"\nfallback_line = \"{FALLBACK}\"")
}

/// The callee hears the fallback line, and the call has failed.
async fn apologizes(mut stage: Stage) {
    let ended = stage.ended("failed", "assistant-error").await;
    understood(&[FALLBACK], &ended.heard);
    assert_eq!(ended.transcript, [format!("Assistant: {FALLBACK}")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_refuses_the_key_is_apologized_for() {
    let double = Double::start(Options { key: Some("sk-another".to_owned()), ..double() }).await;
    let stage = Stage::calls(&realtime(&double, &top(), ""), CallScript::answering()).await;
    apologizes(stage).await;
    assert_eq!(double.record().connections, 1, "a refused key is not tried again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_is_away_is_apologized_for() {
    let endpoint = format!("ws://{}/", free_port());
    let stage = Stage::calls(&realtime_at(&endpoint, &top(), ""), CallScript::answering()).await;
    apologizes(stage).await;
}

/// The talk comes to its end over another connection, which was told what was said so far; gives the
/// transcript.
async fn goes_on(fault: Fault, replies: Vec<Vec<Part>>) -> Vec<String> {
    let options = Options {
        faults: vec![fault],
        replies: Replies::new(replies),
        recogniser: Recogniser::script([Some("Yes, I do have a moment.")]),
        ..double()
    };
    let double = Double::start(options).await;
    let script = CallScript::answering().then([Action::LISTEN, says("Yes, I do have a moment.")]);
    let mut stage = Stage::calls(&realtime(&double, &top(), ""), script).await;
    let ended = stage.ended("completed", "assistant-ended-call").await;
    let record = double.record();
    assert_eq!(record.connections, 2);
    assert!(record.errors.is_empty(), "{:?}", record.errors);
    let goodbye = frames(&record.spoken.last().unwrap().1);
    assert_eq!(sent(&stage.wire.sent_by_service(), &goodbye), audible(&goodbye), "the goodbye was not heard");
    assert_eq!(ended.transcript.last().unwrap(), &format!("Assistant: {GOODBYE}"));
    let told = record.of_connection(1).iter().any(|event| event.to_string().contains("north clinic"));
    assert!(told, "{:?}", record.of_connection(1));
    ended.transcript
}

fn goodbye() -> Vec<Part> {
    vec![Part::say(GOODBYE), Part::call("end_call", "{}")]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_breaks_in_mid_response_is_made_anew_and_the_talk_goes_on() {
    let lost = Part::say("Then let me tell you about our new address, which is just around the corner.");
    let transcript = goes_on(Fault::DropInResponse(2), vec![vec![lost], goodbye()]).await;
    assert_eq!(
        transcript[..2],
        [format!("Assistant: {GREETING}"), "Customer: Yes, I do have a moment.".to_owned()]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_falls_silent_is_asked_again_over_another_connection() {
    let transcript = goes_on(Fault::Stall, vec![goodbye()]).await;
    assert_eq!(transcript[0], format!("Assistant: {GREETING}"));
}
