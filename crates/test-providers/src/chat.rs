//! Chat completions: what the double insists on, and how it words an answer.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::body::Part;
use crate::gate::Gate;

/// A piece of an answer.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Some of its text.
    Text(String),
    /// The use of a tool: its id, its name, and its arguments, which come in pieces.
    Tool(&'static str, &'static str, Vec<&'static str>),
    /// What follows waits until the gate is opened.
    Gate(Gate),
    /// An event as it stands, with its line ends.
    Raw(Vec<u8>),
}

/// An answer as the model writes it.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Its pieces.
    pub pieces: Vec<Piece>,
    /// Why it ends, if not by itself: `length`, `content_filter`.
    pub finish_reason: Option<&'static str>,
    /// What the model says instead of an answer, when it refuses.
    pub refusal: Option<&'static str>,
}

impl Written {
    /// A text, a word at a time.
    pub fn text(text: &str) -> Self {
        Self::of(text.split_inclusive(' ').map(|word| Piece::Text(word.to_owned())).collect())
    }

    /// Pieces.
    pub fn of(pieces: Vec<Piece>) -> Self {
        Self { pieces, ..Self::default() }
    }

    fn reason(&self) -> &'static str {
        let tools = self.pieces.iter().any(|piece| matches!(piece, Piece::Tool(..)));
        self.finish_reason.unwrap_or(if tools { "tool_calls" } else { "stop" })
    }

    /// As server-sent events.
    pub(crate) fn events(&self) -> Vec<Part> {
        let mut parts = vec![event(&json!({"role": "assistant", "content": ""}), None)];
        let mut tools = 0;
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => parts.push(event(&json!({"content": text}), None)),
                Piece::Gate(gate) => parts.push(Part::Gate(gate.clone())),
                Piece::Raw(bytes) => parts.push(Part::Bytes(Bytes::from(bytes.clone()))),
                Piece::Tool(id, name, arguments) => {
                    let begins = json!({"index": tools, "id": id, "type": "function",
                        "function": {"name": name, "arguments": ""}});
                    parts.push(event(&json!({"tool_calls": [begins]}), None));
                    for piece in arguments {
                        let more = json!({"index": tools, "function": {"arguments": piece}});
                        parts.push(event(&json!({"tool_calls": [more]}), None));
                    }
                    tools += 1;
                }
            }
        }
        parts.push(event(&json!({}), Some(self.reason())));
        parts.push(Part::Bytes(Bytes::from_static(b": end\n\ndata: [DONE]\n\n")));
        parts
    }

    /// As one JSON.
    pub(crate) fn whole(&self) -> Value {
        let text: String = self
            .pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let content = if self.refusal.is_some() { Value::Null } else { json!(text) };
        json!({"id": "chatcmpl-1", "object": "chat.completion", "choices": [{
            "index": 0, "finish_reason": self.reason(),
            "message": {"role": "assistant", "content": content, "refusal": self.refusal}
        }]})
    }
}

fn event(delta: &Value, finish_reason: Option<&str>) -> Part {
    let chunk = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]});
    Part::Bytes(Bytes::from(format!("data: {chunk}\n\n")))
}

/// What is wrong with a request, in the interface's words.
pub(crate) fn objection(request: &Value) -> Option<String> {
    if !request["model"].is_string() {
        return Some("you must provide a model parameter".to_owned());
    }
    let Some(messages) = request["messages"].as_array().filter(|messages| !messages.is_empty()) else {
        return Some("'messages' is a required property".to_owned());
    };
    let mut due: Vec<&str> = Vec::new();
    for message in messages {
        let role = message["role"].as_str().unwrap_or_default();
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let Some(place) = due.iter().position(|due| *due == id) else {
                return Some(
                    "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
                        .to_owned(),
                );
            };
            due.remove(place);
            continue;
        }
        if !due.is_empty() {
            return Some("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.".to_owned());
        }
        if !["system", "developer", "user", "assistant"].contains(&role) {
            return Some(format!(
                "'{role}' is not one of ['system', 'assistant', 'user', 'function', 'tool']"
            ));
        }
        let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
        due = calls.iter().filter_map(|call| call["id"].as_str()).collect();
        if !message["content"].is_string() && calls.is_empty() {
            return Some("Invalid value for 'content': expected a string, got null.".to_owned());
        }
    }
    for tool in request["tools"].as_array().map(Vec::as_slice).unwrap_or_default() {
        if tool["type"] != "function"
            || !tool["function"]["name"].is_string()
            || !tool["function"]["parameters"].is_object()
        {
            return Some("Invalid type for 'tools'".to_owned());
        }
    }
    (!due.is_empty()).then(|| "tool_call_ids did not have response messages".to_owned())
}
