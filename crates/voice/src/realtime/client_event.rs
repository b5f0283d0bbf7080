//! What we say to a server.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::{Bytes, BytesMut};
use domain::assistant::Dialect;
use serde_json::{Value, json};

use super::dialect;

/// An event as it goes out.
pub(super) type ClientEvent = Value;

/// Configures the session.
pub(super) fn session_update(id: &str, session: &Value) -> ClientEvent {
    json!({"type": "session.update", "event_id": id, "session": session})
}

/// Orders a response; `instructions` stand in for the session's.
pub(super) fn response_create(id: &str, instructions: Option<&str>, tools: bool) -> ClientEvent {
    let mut response = serde_json::Map::new();
    if let Some(instructions) = instructions {
        response.insert("instructions".to_owned(), json!(instructions));
    }
    if !tools {
        response.insert("tool_choice".to_owned(), json!("none"));
    }
    json!({"type": "response.create", "event_id": id, "response": response})
}

/// Ends a response early.
pub(super) fn response_cancel(response: &str) -> ClientEvent {
    if response.is_empty() {
        return json!({"type": "response.cancel"});
    }
    json!({"type": "response.cancel", "response_id": response})
}

/// Tells how much of a message was heard.
pub(super) fn truncate(item: &str, part: u32, heard_ms: u64) -> ClientEvent {
    json!({
        "type": "conversation.item.truncate", "item_id": item, "content_index": part, "audio_end_ms": heard_ms,
    })
}

/// Something to know, from us.
pub(super) fn system_message(text: &str) -> ClientEvent {
    item(&json!({
        "type": "message", "role": "system", "content": [{"type": "input_text", "text": text}],
    }))
}

/// What the callee said before.
pub(super) fn user_message(text: &str) -> ClientEvent {
    item(&json!({
        "type": "message", "role": "user", "content": [{"type": "input_text", "text": text}],
    }))
}

/// What the assistant said before.
pub(super) fn assistant_message(dialect: Dialect, text: &str) -> ClientEvent {
    let kind = dialect::assistant_text(dialect);
    item(&json!({
        "type": "message", "role": "assistant", "content": [{"type": kind, "text": text}],
    }))
}

/// A tool's use, to a server that does not know of it.
pub(super) fn function_call(call: &str, name: &str, arguments: &str) -> ClientEvent {
    item(&json!({"type": "function_call", "call_id": call, "name": name, "arguments": arguments}))
}

/// What became of a tool's use.
pub(super) fn function_output(call: &str, output: &str) -> ClientEvent {
    item(&json!({"type": "function_call_output", "call_id": call, "output": output}))
}

fn item(item: &Value) -> ClientEvent {
    json!({"type": "conversation.item.create", "item": item})
}

/// Writes `input_audio_buffer.append` events, in a buffer that is used again once it was sent.
#[derive(Debug, Default)]
pub(super) struct AppendWriter {
    buffer: BytesMut,
    base64: Vec<u8>,
}

impl AppendWriter {
    const HEAD: &[u8] = br#"{"type":"input_audio_buffer.append","audio":""#;
    const TAIL: &[u8] = br#""}"#;

    /// The event for `audio`.
    pub(super) fn write(&mut self, audio: &[u8]) -> Bytes {
        let encoded = audio.len().div_ceil(3) * 4;
        self.base64.resize(encoded, 0);
        // A buffer of that size always suffices.
        let written = STANDARD.encode_slice(audio, &mut self.base64).unwrap_or(0);
        self.buffer.reserve(Self::HEAD.len() + encoded + Self::TAIL.len());
        self.buffer.extend_from_slice(Self::HEAD);
        self.buffer.extend_from_slice(self.base64.get(..written).unwrap_or_default());
        self.buffer.extend_from_slice(Self::TAIL);
        self.buffer.split().freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn audio_is_appended_as_base64() {
        let mut writer = AppendWriter::default();
        for audio in [&[0xFF_u8; 160][..], &[1, 2], &[]] {
            let event: Value = serde_json::from_slice(&writer.write(audio)).unwrap();
            assert_eq!(event["type"], "input_audio_buffer.append");
            assert_eq!(STANDARD.decode(event["audio"].as_str().unwrap()).unwrap(), audio);
        }
    }

    #[test]
    fn a_cancellation_names_its_response_where_it_is_known() {
        assert_eq!(response_cancel("resp_1"), json!({"type": "response.cancel", "response_id": "resp_1"}));
        assert_eq!(response_cancel(""), json!({"type": "response.cancel"}));
    }
}
