//! Connections that are lost, stall or expire, and what becomes of the conversation.

use std::time::Duration;

use domain::ports::{AgentEvent, AgentOrder};
use serde_json::Value;
use test_realtime::{Double, Fault, Options, Part, Recogniser, Replies};
use voice::Timeouts;

use crate::support::{Call, TIMEOUTS, words};

const LONG: &str =
    "This is a long answer, which goes on for quite a while, so that the connection can break.";

async fn restored(call: &mut Call) -> Vec<String> {
    words(&call.until(|event| *event == AgentEvent::Restored).await)
}

/// Role or kind, and text, of the items that a connection was told.
fn told(items: &[&Value]) -> Vec<(String, String)> {
    let items = items.iter().filter(|event| event["type"] == "conversation.item.create");
    items
        .map(|event| {
            let item = &event["item"];
            let kind = item["role"].as_str().or(item["type"].as_str()).unwrap();
            let text = item["content"][0]["text"].as_str().or(item["output"].as_str()).unwrap_or_default();
            (kind.to_owned(), text.to_owned())
        })
        .collect()
}

#[tokio::test]
async fn a_connection_that_drops_in_an_answer_is_restored_with_what_was_said() {
    let replies = Replies::new([
        vec![Part::say("Hello."), Part::call("end_call", "{}")],
        vec![Part::say(LONG)],
        vec![Part::say("Here I am again.")],
    ]);
    let recogniser = Recogniser::script([Some("Good day."), Some("Two.")]);
    // The third piece of sound breaks it: the greeting has to be shorter than that.
    let options =
        Options { replies, recogniser, faults: vec![Fault::DropInResponse(2)], ..Options::default() };
    let double = Double::start(options).await;
    let mut call = Call::ready(&double).await;
    call.order(AgentOrder::Answer);
    let first = call.answered().await;
    let id = first.iter().find_map(|event| match event {
        AgentEvent::ToolCalled { id, .. } => Some(id.clone()),
        _ => None,
    });
    call.interrupt(0, 200, "Hel");
    call.order(AgentOrder::ToolResult { id: id.unwrap(), output: "not now".to_owned() });
    call.order(AgentOrder::Note { text: "[pressed 5]".to_owned() });
    call.say_aloud(&double, "Guten Tag, ich rufe an wegen der Rechnung.").await;
    call.until(|event| matches!(event, AgentEvent::Recognised { .. })).await;
    call.order(AgentOrder::Answer);
    let lost = restored(&mut call).await;
    assert!(lost[0].starts_with("1: This"), "{lost:?}");
    assert_eq!(lost[1..], ["1 ended", "Restored"], "the answer is lost");

    call.order(AgentOrder::Answer);
    assert_eq!(words(&call.answered().await), ["2: Here I am again.", "2 ended", "Answered"]);
    let record = double.record();
    let retold = told(&record.of_connection(1));
    let (kinds, texts): (Vec<_>, Vec<_>) =
        retold.iter().map(|(kind, text)| (kind.as_str(), text.as_str())).unzip();
    assert_eq!(kinds, ["assistant", "function_call", "function_call_output", "system", "user", "assistant"]);
    assert_eq!(texts[..5], ["Hel", "", "not now", "[pressed 5]", "Good day."]);
    assert!(LONG.starts_with(texts[5].trim()) && !texts[5].is_empty(), "{texts:?}");
    assert_eq!(record.errors, [""; 0]);
}

#[tokio::test]
async fn a_turn_under_way_is_closed_when_the_connection_is_lost() {
    let double =
        Double::start(Options { faults: vec![Fault::DropInResponse(1)], ..Options::default() }).await;
    let mut call = Call::ready(&double).await;
    let sound = crate::support::encoded(
        call.format,
        &test_realtime::say(
            domain::assistant::Language::German,
            "Guten Tag, ich rufe an wegen der Rechnung.",
        ),
    );
    call.speak(&double, &sound[..12_000], 1).await;
    call.until(|event| matches!(event, AgentEvent::SpeechStarted(_))).await;
    call.order(AgentOrder::Answer);
    let lost = restored(&mut call).await;
    let rest = ["0 ended", "turn 0 ended", "turn 0: ", "Restored"];
    assert_eq!(lost[lost.len() - 4..], rest, "{lost:?}");
}

#[tokio::test]
async fn the_callee_is_heard_again_on_the_new_connection() {
    let recogniser = Recogniser::script([Some("Still there.")]);
    let faults = vec![Fault::DropInResponse(1)];
    let double = Double::start(Options { faults, recogniser, ..Options::default() }).await;
    let mut call = Call::ready(&double).await;
    call.order(AgentOrder::Answer);
    restored(&mut call).await;
    call.connection = 1;
    call.say_aloud(&double, "Guten Tag, ich rufe an wegen der Rechnung.").await;
    let told = call.until(|event| matches!(event, AgentEvent::Recognised { .. })).await;
    assert_eq!(words(&told), ["turn 0 began", "turn 0 ended", "turn 0: Still there."]);
    assert_eq!(double.record().turns[0].connection, 1);
}

#[tokio::test]
async fn a_session_that_is_60_minutes_old_is_followed_by_another() {
    let faults = vec![Fault::Expire(Duration::from_millis(400))];
    let double = Double::start(Options { faults, ..Options::default() }).await;
    let mut call = Call::ready(&double).await;
    call.order(AgentOrder::Note { text: "[pressed 1]".to_owned() });
    assert_eq!(restored(&mut call).await, ["Restored"]);
    call.order(AgentOrder::Answer);
    call.answered().await;
    assert_eq!(told(&double.record().of_connection(1)), [("system".to_owned(), "[pressed 1]".to_owned())]);
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_a_lost_connection() {
    let double = Double::start(Options { faults: vec![Fault::Stall], ..Options::default() }).await;
    let timeouts = Timeouts { stall: Duration::from_millis(500), ..TIMEOUTS };
    let mut call = Call::with(&double, timeouts, |_| {}).await;
    call.order(AgentOrder::Answer);
    assert_eq!(restored(&mut call).await, ["Restored"]);
    // From here a busy machine may take its time.
    call.order(AgentOrder::Answer);
    call.until(|event| matches!(event, AgentEvent::Answered | AgentEvent::Restored)).await;
    assert!(double.record().connections >= 2);
}

#[tokio::test]
async fn a_connection_without_a_sign_of_life_is_a_lost_one() {
    let double = Double::start(Options { faults: vec![Fault::Freeze], ..Options::default() }).await;
    let timeouts = Timeouts { quiet: Duration::from_millis(300), stall: Duration::from_secs(2), ..TIMEOUTS };
    let mut call = Call::with(&double, timeouts, |_| {}).await;
    // An answer to a ping keeps a quiet one.
    double.until("a session", |record| record.connections == 1).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(double.record().connections, 1);
    // From here on the double answers nothing, neither orders nor pings.
    call.order(AgentOrder::Answer);
    assert_eq!(restored(&mut call).await, ["Restored"]);
}

#[tokio::test]
async fn a_session_that_is_never_confirmed_is_a_lost_connection() {
    let faults = vec![Fault::NeverReady];
    let double = Double::start(Options { faults, ..Options::default() }).await;
    let timeouts = Timeouts { ready: Duration::from_millis(500), ..TIMEOUTS };
    let call = Call::with(&double, timeouts, |_| {}).await;
    assert_eq!(call.words(), ["Ready { detects_speech: true }"], "it was never ready before");
    assert_eq!(double.record().connections, 2);
}

#[tokio::test]
async fn the_fourth_loss_of_a_call_breaks_the_session() {
    let double =
        Double::start(Options { faults: vec![Fault::DropInResponse(1); 9], ..Options::default() }).await;
    let mut call = Call::ready(&double).await;
    for _ in 0..3 {
        call.order(AgentOrder::Answer);
        restored(&mut call).await;
    }
    call.order(AgentOrder::Answer);
    assert_eq!(call.broken().await, "the connection broke");
    assert_eq!(double.record().connections, 4);
}

#[tokio::test]
async fn a_connection_that_is_lost_as_soon_as_it_is_back_breaks_the_session() {
    let double =
        Double::start(Options { faults: vec![Fault::DropInResponse(1); 9], ..Options::default() }).await;
    let timeouts = Timeouts { between_reconnects: Duration::from_mins(1), ..TIMEOUTS };
    let mut call = Call::with(&double, timeouts, |_| {}).await;
    call.order(AgentOrder::Answer);
    restored(&mut call).await;
    call.order(AgentOrder::Answer);
    assert_eq!(call.broken().await, "the connection broke");
    assert_eq!(double.record().connections, 2);
}

#[tokio::test]
async fn what_cannot_be_reached_again_breaks_the_session() {
    let faults = vec![Fault::DropInResponse(1), Fault::Refuse(401)];
    let double = Double::start(Options { faults, ..Options::default() }).await;
    let mut call = Call::ready(&double).await;
    call.order(AgentOrder::Answer);
    assert_eq!(call.broken().await, "the provider refused the key (401)");
}
