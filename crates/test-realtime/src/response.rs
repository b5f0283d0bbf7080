//! A response, laid out event by event before it is sent.

use std::collections::VecDeque;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::assistant::Language;
use serde_json::{Value, json};

use crate::format::Format;
use crate::options::Part;
use crate::voice::say;

/// How much sound one event holds.
const PIECE_MS: usize = 100;

/// One event of a response.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// How long after the one before.
    pub(crate) after: Duration,
    pub(crate) event: Value,
    /// The sound in it, and its item.
    pub(crate) sound: Option<(String, Vec<u8>)>,
}

impl Step {
    pub(crate) fn at_once(event: Value) -> Self {
        Self { after: Duration::ZERO, event, sound: None }
    }
}

/// How a response is given.
#[derive(Clone, Debug)]
pub(crate) struct Manner {
    pub(crate) language: Language,
    pub(crate) format: Format,
    pub(crate) speed: f64,
}

/// Lays out a response of these parts; each has its item's name. Blocks while it is spoken.
pub(crate) fn lay_out(response: &str, parts: &[(String, Part)], manner: &Manner) -> VecDeque<Step> {
    let mut steps = VecDeque::new();
    let mut output = Vec::new();
    for (index, (id, part)) in parts.iter().enumerate() {
        let at = json!({"response_id": response, "output_index": index, "item_id": id});
        let item = match part {
            Part::Say(text) => message(&at, id, text, &say(manner.language, text), manner, &mut steps),
            Part::Sound(text, sound) => message(&at, id, text, sound, manner, &mut steps),
            Part::Call { name, arguments } => call(&at, id, name, arguments, &mut steps),
        };
        output.push(item);
    }
    steps.push_back(Step::at_once(done(response, "completed", &Value::Null, &output)));
    steps
}

/// The end of a response.
pub(crate) fn done(response: &str, status: &str, details: &Value, output: &[Value]) -> Value {
    json!({"type": "response.done", "response": {
        "object": "realtime.response", "id": response, "status": status, "status_details": details,
        "output": output, "usage": null,
    }})
}

/// `at` with the event's kind and further fields.
fn event(kind: &str, at: &Value, more: &Value) -> Value {
    let mut event = at.clone();
    event["type"] = json!(kind);
    for (name, value) in more.as_object().into_iter().flatten() {
        event[name] = value.clone();
    }
    event
}

fn begin(at: &Value, item: &Value, steps: &mut VecDeque<Step>) {
    steps.push_back(Step::at_once(event("response.output_item.added", at, &json!({"item": item}))));
    let added = json!({"type": "conversation.item.added", "previous_item_id": null, "item": item});
    steps.push_back(Step::at_once(added));
}

fn end(at: &Value, item: &Value, steps: &mut VecDeque<Step>) {
    let done = json!({"type": "conversation.item.done", "previous_item_id": null, "item": item});
    steps.push_back(Step::at_once(done));
    steps.push_back(Step::at_once(event("response.output_item.done", at, &json!({"item": item}))));
}

fn message(
    at: &Value,
    id: &str,
    text: &str,
    sound: &[i16],
    manner: &Manner,
    steps: &mut VecDeque<Step>,
) -> Value {
    let item = |status: &str, content: Value| {
        json!({
            "id": id, "object": "realtime.item", "type": "message", "status": status,
            "role": "assistant", "content": content,
        })
    };
    begin(at, &item("in_progress", json!([])), steps);
    let at = &event("", at, &json!({"content_index": 0}));
    let part = json!({"part": {"type": "audio", "transcript": ""}});
    steps.push_back(Step::at_once(event("response.content_part.added", at, &part)));
    let sound = manner.format.encode(sound);
    let pieces: Vec<&[u8]> = sound.chunks(PIECE_MS * manner.format.bytes_a_ms()).collect();
    let mut words = text.split_inclusive(' ');
    let a_piece = text.split_inclusive(' ').count().div_ceil(pieces.len().max(1));
    for piece in pieces {
        // Words run a little ahead of their sound.
        for word in words.by_ref().take(a_piece) {
            let delta = event("response.output_audio_transcript.delta", at, &json!({"delta": word}));
            steps.push_back(Step::at_once(delta));
        }
        let length = u64::try_from(piece.len() / manner.format.bytes_a_ms()).unwrap_or(0);
        steps.push_back(Step {
            after: Duration::from_millis(length).div_f64(manner.speed),
            event: event("response.output_audio.delta", at, &json!({"delta": STANDARD.encode(piece)})),
            sound: Some((id.to_owned(), piece.to_vec())),
        });
    }
    let transcript = json!({"transcript": text});
    steps.push_back(Step::at_once(event("response.output_audio.done", at, &json!({}))));
    steps.push_back(Step::at_once(event("response.output_audio_transcript.done", at, &transcript)));
    let part = json!({"part": {"type": "audio", "transcript": text}});
    steps.push_back(Step::at_once(event("response.content_part.done", at, &part)));
    let item = item("completed", json!([{"type": "output_audio", "transcript": text}]));
    end(at, &item, steps);
    item
}

fn call(at: &Value, id: &str, name: &str, arguments: &str, steps: &mut VecDeque<Step>) -> Value {
    let call = format!("call_{id}");
    let item = |status: &str, arguments: &str| {
        json!({
            "id": id, "object": "realtime.item", "type": "function_call", "status": status,
            "call_id": call, "name": name, "arguments": arguments,
        })
    };
    begin(at, &item("in_progress", ""), steps);
    let delta = json!({"call_id": call, "delta": arguments});
    steps.push_back(Step::at_once(event("response.function_call_arguments.delta", at, &delta)));
    let whole = json!({"call_id": call, "name": name, "arguments": arguments});
    steps.push_back(Step::at_once(event("response.function_call_arguments.done", at, &whole)));
    let item = item("completed", arguments);
    end(at, &item, steps);
    item
}
