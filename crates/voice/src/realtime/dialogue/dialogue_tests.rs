use std::time::Duration;

use domain::audio::AudioFormat;
use domain::ports::UtteranceId;
use serde_json::{Value, json};

use super::*;

fn open(dialect: Dialect) -> Dialogue {
    let instructions = "Sell nothing.".to_owned();
    let mut dialogue = Dialogue::new(Character { dialect, instructions, transcribes: true });
    let format = WireFormat::G711(AudioFormat::Pcmu);
    dialogue.opened(FromProvider::new(format, AudioFormat::Pcmu).unwrap(), format);
    assert_eq!(outputs(&mut dialogue), [Output::Tell(AgentEvent::Ready { detects_speech: true })]);
    dialogue
}

fn outputs(dialogue: &mut Dialogue) -> Vec<Output> {
    std::iter::from_fn(|| dialogue.next_output()).collect()
}

fn hear(dialogue: &mut Dialogue, event: &Value) -> Result<Vec<Output>, Trouble> {
    let text = event.to_string();
    dialogue.hear(ServerEvent::parse(&text).unwrap())?;
    Ok(outputs(dialogue))
}

/// A dialogue that is given the answer `r1`.
fn answered(dialect: Dialect) -> Dialogue {
    let mut dialogue = open(dialect);
    dialogue.order(AgentOrder::Answer).unwrap();
    let ordered = outputs(&mut dialogue);
    assert_eq!(ordered, [Output::Send(client_event::response_create("answer_1", None, true))]);
    let begun = json!({"type": "response.created", "response": {"id": "r1"}});
    assert_eq!(hear(&mut dialogue, &begun), Ok(vec![]));
    dialogue
}

fn audio(response: &str, item: &str) -> Value {
    json!({"type": "response.output_audio.delta", "response_id": response, "item_id": item,
        "content_index": 0, "delta": "/38="})
}

#[test]
fn a_response_that_nobody_ordered_is_stopped_and_not_heard() {
    let mut dialogue = open(Dialect::LocalAi);
    let begun = json!({"type": "response.created", "response": {"id": "auto"}});
    let stopped = hear(&mut dialogue, &begun);
    assert_eq!(stopped, Ok(vec![Output::Send(client_event::response_cancel("auto"))]));
    assert_eq!(hear(&mut dialogue, &audio("auto", "i")), Ok(vec![]));
    dialogue.order(AgentOrder::Answer).unwrap();
    assert_eq!(outputs(&mut dialogue), []);
    let done = json!({"type": "response.done", "response": {"id": "auto", "status": "cancelled"}});
    let next = hear(&mut dialogue, &done);
    assert_eq!(next, Ok(vec![Output::Send(client_event::response_create("answer_1", None, true))]));
}

#[test]
fn a_tool_is_told_of_once_whichever_way_it_is_written() {
    let call =
        json!({"type": "function_call", "id": "i", "call_id": "c", "name": "end_call", "arguments": "{}"});
    let arguments = json!({"type": "response.function_call_arguments.done", "response_id": "r1",
        "item_id": "i", "call_id": "c", "name": "end_call", "arguments": "{}"});
    let item = json!({"type": "response.output_item.done", "response_id": "r1", "item": call});
    let done = json!({"type": "response.done", "response": {"id": "r1", "output": [call]}});
    let called = |outputs: &[Output]| {
        outputs.iter().filter(|output| matches!(output, Output::Tell(AgentEvent::ToolCalled { .. }))).count()
    };
    for (dialect, expected) in [(Dialect::XAi, [1, 0, 0]), (Dialect::OpenAi, [0, 1, 0])] {
        let mut dialogue = answered(dialect);
        let told = [&arguments, &item, &done].map(|event| called(&hear(&mut dialogue, event).unwrap()));
        assert_eq!(told, expected, "{dialect}");
    }
    let mut dialogue = answered(Dialect::OpenAi);
    assert_eq!(called(&hear(&mut dialogue, &done).unwrap()), 1, "only at the end");
}

#[test]
fn items_of_one_answer_are_utterances_one_after_the_other() {
    let mut dialogue = answered(Dialect::OpenAi);
    let [first, second] = [UtteranceId(0), UtteranceId(1)];
    let sound = |utterance| Output::Tell(AgentEvent::Audio { utterance, audio: vec![0xFF, 0x7F] });
    assert_eq!(hear(&mut dialogue, &audio("r1", "a")), Ok(vec![sound(first)]));
    let ended = Output::Tell(AgentEvent::UtteranceEnded(first));
    assert_eq!(hear(&mut dialogue, &audio("r1", "b")), Ok(vec![ended, sound(second)]));
    assert_eq!(hear(&mut dialogue, &audio("r1", "a")), Ok(vec![]), "that is over");
    assert_eq!(hear(&mut dialogue, &audio("r0", "c")), Ok(vec![]), "that is no answer of ours");
}

#[test]
fn a_server_that_names_neither_items_nor_responses_is_heard_in_every_answer() {
    let mut dialogue = open(Dialect::Speaches);
    for number in 0..2 {
        dialogue.order(AgentOrder::Answer).unwrap();
        outputs(&mut dialogue);
        hear(&mut dialogue, &json!({"type": "response.created", "response": {}})).unwrap();
        let told = hear(&mut dialogue, &audio("", "")).unwrap();
        let utterance = UtteranceId(number);
        assert_eq!(told, [Output::Tell(AgentEvent::Audio { utterance, audio: vec![0xFF, 0x7F] })]);
        let told = hear(&mut dialogue, &json!({"type": "response.done", "response": {}})).unwrap();
        let ended = Output::Tell(AgentEvent::UtteranceEnded(utterance));
        assert_eq!(told, [ended, Output::Tell(AgentEvent::Answered)]);
    }
}

#[test]
fn complaints_break_a_session_only_when_nothing_else_would_help() {
    let complain = |code: &str, about: &str| {
        let error = json!({"type": "invalid_request_error", "code": code, "message": "…", "event_id": about});
        let mut dialogue = answered(Dialect::OpenAi);
        hear(&mut dialogue, &json!({"type": "error", "error": error})).map(|outputs| outputs.len())
    };
    assert_eq!(complain("response_cancel_not_active", ""), Ok(0));
    assert_eq!(complain("some_new_code", ""), Ok(0));
    assert!(matches!(complain("session_expired", ""), Err(Trouble::Lost(_))));
    assert!(matches!(complain("insufficient_quota", ""), Err(Trouble::Broken(_))));
    assert!(matches!(complain("invalid_value", "session"), Err(Trouble::Broken(_))));
}

#[test]
fn what_was_heard_is_known_even_if_it_is_told_while_there_is_no_connection() {
    let mut dialogue = answered(Dialect::OpenAi);
    let words = json!({"type": "response.output_audio_transcript.delta", "response_id": "r1", "item_id": "a",
        "delta": "Good morning to you"});
    hear(&mut dialogue, &words).unwrap();
    dialogue.lost();
    let heard = Duration::from_millis(400);
    let text = "Good morning".to_owned();
    dialogue.order(AgentOrder::Interrupt { utterance: UtteranceId(0), heard, text }).unwrap();
    dialogue.order(AgentOrder::Answer).unwrap();
    outputs(&mut dialogue);
    let format = WireFormat::G711(AudioFormat::Pcmu);
    dialogue.opened(FromProvider::new(format, AudioFormat::Pcmu).unwrap(), format);
    let retold = Output::Send(client_event::assistant_message(Dialect::OpenAi, "Good morning"));
    assert_eq!(outputs(&mut dialogue), [retold, Output::Tell(AgentEvent::Restored)], "answers are lost");

    dialogue.order(AgentOrder::Answer).unwrap();
    assert_eq!(outputs(&mut dialogue), [], "it was ordered without knowing that it will be ordered again");
    dialogue.restored();
    dialogue.order(AgentOrder::Answer).unwrap();
    let again = Output::Send(client_event::response_create("answer_2", None, true));
    assert_eq!(outputs(&mut dialogue), [again]);
}
