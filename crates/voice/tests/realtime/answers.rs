//! What is ordered, and what comes of it.

use domain::ports::{AgentEvent, AgentOrder};
use serde_json::json;
use test_realtime::{Double, Fault, Options, Part, Replies};

use crate::support::{Call, TIMEOUTS, words};

const LONG: &str = "This is a long answer, which goes on for quite a while, so that there is time to interrupt it \
    before all of it was said by anybody.";

#[tokio::test]
async fn an_answer_has_words_and_sound_and_an_end() {
    let double = Double::start(Options::default()).await;
    let mut call = Call::ready(&double).await;
    call.order(AgentOrder::Answer);
    let told = call.answered().await;
    assert_eq!(words(&told), ["0: How can I help you?", "0 ended", "Answered"]);
    call.order(AgentOrder::Answer);
    assert_eq!(words(&call.answered().await), ["1: How can I help you?", "1 ended", "Answered"]);
}

#[tokio::test]
async fn exact_words_are_said_and_a_prompt_keeps_the_assistants_task() {
    let double = Double::start(Options::default()).await;
    let mut call = Call::ready(&double).await;
    call.say("Good morning, this is Anna.");
    assert_eq!(words(&call.answered().await)[0], "0: Good morning, this is Anna.");
    call.order(AgentOrder::Prompt { instruction: "Ask whether he is still there.".to_owned() });
    call.answered().await;
    let record = double.record();
    let prompt = &record.of_kind("response.create")[1]["response"];
    assert_eq!(*prompt, json!({"instructions": "You sell nothing.\n\nAsk whether he is still there."}));
    assert_eq!(record.errors, [""; 0]);
}

#[tokio::test]
async fn answers_wait_for_one_another() {
    let double = Double::start(Options::default()).await;
    let mut call = Call::ready(&double).await;
    call.say("One.");
    call.say("Two.");
    call.order(AgentOrder::Answer);
    for expected in ["0: One.", "1: Two.", "2: How can I help you?"] {
        assert_eq!(words(&call.answered().await)[0], expected);
    }
    assert_eq!(double.record().errors, [""; 0], "none was refused");
}

#[tokio::test]
async fn an_answer_that_meets_another_is_ordered_again_when_that_is_over() {
    let double = Double::start(Options { faults: vec![Fault::Busy], ..Options::default() }).await;
    let mut call = Call::ready(&double).await;
    call.order(AgentOrder::Answer);
    assert_eq!(words(&call.answered().await), ["0: How can I help you?", "0 ended", "Answered"]);
    let record = double.record();
    assert_eq!(record.errors, ["conversation_already_has_active_response"]);
    assert_eq!(record.responses, ["completed", "completed"]);
}

#[tokio::test]
async fn an_interruption_is_cut_at_the_heard_millisecond_and_ends_the_answer() {
    let double =
        Double::start(Options { speed: 2.0, replies: Replies::lines(&[LONG]), ..Options::default() }).await;
    let mut call = Call::ready(&double).await;
    call.order(AgentOrder::Answer);
    while call.audio(0).len() < 8_000 {
        call.next().await;
    }
    call.interrupt(0, 640, "This is a");
    call.order(AgentOrder::Say { text: "Yes?".to_owned() });
    // It is cut off at once; its end and the next answer come when the server is ready for it.
    let told = call.answered().await;
    assert!(told.contains(&AgentEvent::UtteranceEnded(domain::ports::UtteranceId(0))));
    let heard = call.audio(0).len();
    assert_eq!(words(&call.answered().await), ["1: Yes?", "1 ended", "Answered"]);
    assert_eq!(call.audio(0).len(), heard, "nothing of it came later");
    let record = double.record();
    assert_eq!(record.responses, ["cancelled", "completed"]);
    assert_eq!(record.truncated, [(record.spoken[0].0.clone(), 640)]);
    assert_eq!(record.errors, [""; 0]);
}

#[tokio::test]
async fn an_answer_that_is_complete_but_not_yet_played_is_cut_without_being_cancelled() {
    let double = Double::start(Options::default()).await;
    let mut call = Call::ready(&double).await;
    call.order(AgentOrder::Answer);
    call.answered().await;
    call.interrupt(0, 300, "How");
    let record = double.until("the cut", |record| !record.truncated.is_empty()).await;
    assert_eq!(record.truncated[0].1, 300);
    assert_eq!(record.of_kind("response.cancel").len(), 0);
}

#[tokio::test]
async fn an_interruption_of_what_is_over_leaves_the_next_answer_alone() {
    let replies = Replies::lines(&["One.", LONG]);
    let double = Double::start(Options { speed: 4.0, replies, ..Options::default() }).await;
    let mut call = Call::ready(&double).await;
    call.order(AgentOrder::Answer);
    call.answered().await;
    call.order(AgentOrder::Answer);
    call.until(|event| matches!(event, AgentEvent::Audio { .. })).await;
    call.interrupt(0, 100, "O");
    call.answered().await;
    let record = double.record();
    assert_eq!(record.responses, ["completed", "completed"]);
    assert_eq!(record.truncated, [(record.spoken[0].0.clone(), 100)]);
}

#[tokio::test]
async fn no_more_is_cut_than_came_and_nothing_is_cut_to_nothing() {
    let double = Double::start(Options { replies: Replies::lines(&["Yes."]), ..Options::default() }).await;
    let mut call = Call::ready(&double).await;
    call.order(AgentOrder::Answer);
    call.answered().await;
    call.interrupt(0, 0, "");
    call.interrupt(0, 60_000, "Yes.");
    let record = double.until("the cut", |record| !record.truncated.is_empty()).await;
    let length = u64::try_from(record.spoken[0].1.len() / 8).unwrap();
    assert_eq!(record.truncated, [(record.spoken[0].0.clone(), length)]);
    assert_eq!(record.errors, [""; 0]);
}

#[tokio::test]
async fn a_tool_is_used_and_its_result_told() {
    let replies = Replies::new([
        vec![Part::say("One moment."), Part::call("end_call", r#"{"outcome":"done"}"#)],
        vec![Part::say("Goodbye.")],
    ]);
    let double = Double::start(Options { replies, ..Options::default() }).await;
    let mut call = Call::ready(&double).await;
    call.order(AgentOrder::Answer);
    let told = call.answered().await;
    assert_eq!(words(&told), ["0: One moment.", "0 ended", r#"end_call {"outcome":"done"}"#, "Answered"]);
    let id = told.iter().find_map(|event| match event {
        AgentEvent::ToolCalled { id, .. } => Some(id.clone()),
        _ => None,
    });
    call.order(AgentOrder::ToolResult { id: id.unwrap(), output: "refused".to_owned() });
    call.order(AgentOrder::Note { text: "[pressed 1]".to_owned() });
    call.order(AgentOrder::Answer);
    assert_eq!(words(&call.answered().await)[0], "1: Goodbye.");
    let record = double.record();
    let items = record.of_kind("conversation.item.create");
    assert_eq!(items[0]["item"]["type"], "function_call_output");
    assert_eq!(items[0]["item"]["output"], "refused");
    assert_eq!(items[1]["item"]["content"][0]["text"], "[pressed 1]");
    assert_eq!(record.errors, [""; 0]);
}

#[tokio::test]
async fn an_answer_that_fails_is_asked_for_once_more() {
    let double = Double::start(Options { faults: vec![Fault::Fail(1)], ..Options::default() }).await;
    let mut call = Call::ready(&double).await;
    call.order(AgentOrder::Answer);
    assert_eq!(words(&call.answered().await), ["0: How can I help you?", "0 ended", "Answered"]);
    assert_eq!(double.record().responses, ["failed", "completed"]);
}

#[tokio::test]
async fn an_answer_that_fails_twice_breaks_the_session() {
    let double = Double::start(Options { faults: vec![Fault::Fail(2)], ..Options::default() }).await;
    let mut call = Call::ready(&double).await;
    call.order(AgentOrder::Answer);
    assert_eq!(call.broken().await, "the provider failed to answer twice (server_error)");
}

#[tokio::test]
async fn an_answer_that_is_cut_off_by_the_provider_is_an_answer() {
    let faults = vec![Fault::Incomplete];
    let double =
        Double::start(Options { faults, replies: Replies::lines(&[LONG]), ..Options::default() }).await;
    let mut call = Call::with(&double, TIMEOUTS, |_| {}).await;
    call.order(AgentOrder::Answer);
    let told = words(&call.answered().await);
    assert_eq!(told[told.len() - 2..], ["0 ended", "Answered"]);
    assert_eq!(call.audio(0).len(), 2_400);
}
