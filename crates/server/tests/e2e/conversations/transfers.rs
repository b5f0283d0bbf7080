//! The engine hands the caller over by REFER, and what happens when that fails.

use phone::{Action, CallScript, Happening, Transfers};
use test_realtime::{Double, Options, Part, Replies};

use super::stage::{Stage, double, realtime};
use super::wire::{audible, frames, sent};
use crate::support::says;

const SORRY: &str = "I am sorry, nobody is there. Goodbye.";
const TARGETS: &str = "[[transfer_targets]]\nname = \"reception\"\nnumber = \"+14155550177\"\n";

/// A call whose engine hands it over, to a telephone that thinks so of that.
async fn handed_over(transfers: Transfers) -> (Double, Stage) {
    let replies = Replies::new([
        vec![Part::say("One moment."), Part::call("transfer_call", r#"{"target":"reception"}"#)],
        vec![Part::say(SORRY), Part::call("end_call", "{}")],
    ]);
    let double = Double::start(Options { replies, ..double() }).await;
    let top = "first_message = \"Hello.\"\ntools = [\"end_call\", \"transfer_call\"]";
    let script = CallScript::answering().then([Action::LISTEN, says("May I talk to somebody?")]);
    let stage = Stage::calls(&realtime(&double, top, TARGETS), CallScript { transfers, ..script }).await;
    (double, stage)
}

/// Whom the telephone was asked to connect.
fn targets(story: &[Happening]) -> Vec<&str> {
    let mut targets = Vec::new();
    for what in story {
        if let Happening::Transferred { target, .. } = what {
            targets.push(target.as_str());
        }
    }
    targets
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_that_succeeds_ends_the_assistants_part() {
    let (_double, mut stage) = handed_over(Transfers::Accept).await;
    let ended = stage.ended("completed", "assistant-forwarded-call").await;
    let [target] = targets(&ended.story)[..] else { panic!("{:?}", ended.story) };
    assert!(target.contains("+14155550177"), "{target}");
    assert_eq!(ended.record["callOutcome"], "transferred_to_human");
}

async fn goes_on_after(transfers: Transfers) {
    let (double, mut stage) = handed_over(transfers).await;
    let ended = stage.ended("completed", "assistant-ended-call").await;
    assert_eq!(targets(&ended.story).len(), 1);
    let record = double.record();
    let sorry = frames(&record.spoken.last().unwrap().1);
    assert_eq!(sent(&stage.wire.sent_by_service(), &sorry), audible(&sorry), "the caller was not told");
    let results = record.of_kind("conversation.item.create");
    let told = results.iter().find_map(|event| event["item"]["output"].as_str()).unwrap();
    assert!(told.contains("could not be handed over"), "{told}");
    assert!(record.errors.is_empty(), "{:?}", record.errors);
    assert_eq!(ended.transcript.last().unwrap(), &format!("Assistant: {SORRY}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_hears_that_nobody_answered_a_transfer_and_the_call_goes_on() {
    goes_on_after(Transfers::Fail).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_hears_that_a_transfer_was_refused_and_the_call_goes_on() {
    goes_on_after(Transfers::Refuse).await;
}
