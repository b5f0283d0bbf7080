//! Telephone keys, both ways.

use phone::{Action, CallScript, Happening, digits};
use test_realtime::{Double, Options, Part, Recogniser, Replies};

use super::stage::{Stage, double, realtime};
use crate::support::says;

fn goodbye() -> Vec<Part> {
    vec![Part::say("Thank you, goodbye."), Part::call("end_call", "{}")]
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_a_model_presses_are_heard_by_the_other_side() {
    let replies = Replies::new([vec![Part::call("send_dtmf", r#"{"digits":"12#"}"#)], goodbye()]);
    let menu = "Press one and two, and then hash.";
    let double =
        Double::start(Options { replies, recogniser: Recogniser::script([Some(menu)]), ..double() }).await;
    let assistant = realtime(&double, "tools = [\"end_call\", \"send_dtmf\"]", "");
    let mut stage = Stage::calls(&assistant, CallScript::answering().then([says(menu)])).await;
    let ended = stage.ended("completed", "assistant-ended-call").await;
    let key = |what: &Happening| match what {
        Happening::Pressed(digit) => Some(*digit),
        _ => None,
    };
    let pressed: Vec<_> = ended.story.iter().filter_map(key).collect();
    assert_eq!(pressed, digits("12#").unwrap());
    assert_eq!(
        ended.transcript,
        [&format!("Customer: {menu}"), "Assistant: [pressed 12#]", "Assistant: Thank you, goodbye."]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_the_callee_presses_reach_the_model_and_the_transcript() {
    let double = Double::start(Options { replies: Replies::new([goodbye()]), ..double() }).await;
    let assistant = realtime(&double, "first_message = \"Please type your number.\"", "");
    let script = CallScript::answering().then([Action::LISTEN, Action::Press(digits("42#").unwrap())]);
    let mut stage = Stage::calls(&assistant, script).await;
    let ended = stage.ended("completed", "assistant-ended-call").await;
    let record = double.record();
    let notes = record.of_kind("conversation.item.create");
    let told: Vec<_> = notes.iter().filter_map(|note| note["item"]["content"][0]["text"].as_str()).collect();
    assert_eq!(told, ["[pressed 42#]"]);
    let customer: Vec<_> = ended.transcript.iter().filter(|turn| turn.starts_with("Customer")).collect();
    assert_eq!(customer, ["Customer: [pressed 4]", "Customer: [pressed 2]", "Customer: [pressed #]"]);
}
