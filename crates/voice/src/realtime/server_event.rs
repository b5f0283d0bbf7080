//! What a server says, as far as it matters here: unknown events and fields are passed over.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};

use super::echo::{Echo, SessionShape};

/// A server's event.
#[derive(Debug)]
pub(super) enum ServerEvent<'a> {
    /// The session is configured so.
    SessionUpdated(Echo),
    /// The callee began to speak.
    SpeechStarted { item: String },
    /// He paused.
    SpeechStopped { item: String },
    /// His words were written down.
    Transcribed { item: String, text: String },
    /// They could not be.
    TranscriptionFailed { item: String },
    /// A response begins.
    ResponseCreated { response: String },
    /// A part of a response is complete.
    ItemDone { response: String, item: Item },
    /// A tool's use is complete; its item may be told later, or never.
    CallDone { response: String, call: Item },
    /// More sound of a message.
    Audio { response: String, item: String, part: u32, base64: Cow<'a, str> },
    /// More words of it.
    Words { response: String, item: String, text: String },
    /// A response is over.
    ResponseDone(ResponseDone),
    /// Something was wrong, with what we sent or on the other side.
    Error(Complaint),
    /// Anything else: a sign of life.
    Other,
}

/// How a response ended.
#[derive(Debug, Default)]
pub(super) struct ResponseDone {
    pub(super) response: String,
    pub(super) status: Status,
    /// The provider's code for a failure.
    pub(super) code: Option<String>,
    /// Its parts.
    pub(super) items: Vec<Item>,
}

/// How a response ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Status {
    /// As it should; also what is not said otherwise.
    #[default]
    Completed,
    Cancelled,
    /// It was cut off, e.g. by a limit of tokens.
    Incomplete,
    Failed,
}

/// The kind of items that use a tool.
const FUNCTION_CALL: &str = "function_call";

/// A part of a response.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Item {
    #[serde(deserialize_with = "or_default")]
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// Of a function call only.
    #[serde(deserialize_with = "or_default")]
    pub(super) call_id: String,
    /// Of a function call only.
    #[serde(deserialize_with = "or_default")]
    pub(super) name: String,
    /// Of a function call only.
    #[serde(deserialize_with = "or_default")]
    pub(super) arguments: String,
}

/// Some servers write `null` where others write nothing.
fn or_default<'de, D: Deserializer<'de>>(field: D) -> Result<String, D::Error> {
    Option::deserialize(field).map(Option::unwrap_or_default)
}

impl Item {
    /// Whether a tool is used, in full.
    pub(super) fn is_function_call(&self) -> bool {
        self.kind == FUNCTION_CALL && !self.call_id.is_empty() && !self.name.is_empty()
    }
}

/// What an `error` event says, without its message: that may quote what was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Complaint {
    pub(super) kind: String,
    pub(super) code: String,
    /// The event of ours that it is about.
    pub(super) about: String,
    /// A truncation that came too late; the provider has no code for it.
    pub(super) already_shorter: bool,
}

/// An event as it is written: all fields that some known event has.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Raw<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(deserialize_with = "or_default")]
    item_id: String,
    #[serde(deserialize_with = "or_default")]
    response_id: String,
    content_index: u32,
    #[serde(borrow)]
    delta: Cow<'a, str>,
    #[serde(deserialize_with = "or_default")]
    transcript: String,
    #[serde(deserialize_with = "or_default")]
    call_id: String,
    #[serde(deserialize_with = "or_default")]
    name: String,
    #[serde(deserialize_with = "or_default")]
    arguments: String,
    item: Option<Item>,
    response: Option<RawResponse>,
    session: Option<SessionShape>,
    error: Option<RawError>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawResponse {
    #[serde(deserialize_with = "or_default")]
    id: String,
    status: Option<String>,
    status_details: Option<StatusDetails>,
    output: Option<Vec<Item>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StatusDetails {
    reason: Option<String>,
    error: Option<RawError>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawError {
    #[serde(rename = "type")]
    kind: Option<String>,
    code: Option<String>,
    message: Option<String>,
    event_id: Option<String>,
}

/// Only the kind, of an event whose fields are of other types than ours.
#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
}

/// What was sent is not an event of this protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the provider does not speak the Realtime protocol")]
pub(super) struct NotAnEvent;

impl<'a> ServerEvent<'a> {
    /// Reads an event.
    pub(super) fn parse(text: &'a str) -> Result<Self, NotAnEvent> {
        if let Ok(raw) = serde_json::from_str::<Raw<'_>>(text) {
            return Ok(raw.into());
        }
        let kind: Kind<'_> = serde_json::from_str(text).map_err(|_| NotAnEvent)?;
        tracing::debug!(kind = %kind.kind, "an event has other fields than expected and is passed over");
        Ok(Self::Other)
    }
}

impl<'a> From<Raw<'a>> for ServerEvent<'a> {
    fn from(raw: Raw<'a>) -> Self {
        let (item, response) = (raw.item_id, raw.response_id);
        // The names of the beta are still met in the wild.
        match &*raw.kind {
            "session.updated" => Self::SessionUpdated(raw.session.unwrap_or_default().into()),
            "input_audio_buffer.speech_started" => Self::SpeechStarted { item },
            "input_audio_buffer.speech_stopped" => Self::SpeechStopped { item },
            "conversation.item.input_audio_transcription.completed" => {
                Self::Transcribed { item, text: raw.transcript }
            }
            "conversation.item.input_audio_transcription.failed" => Self::TranscriptionFailed { item },
            "response.created" => Self::ResponseCreated { response: raw.response.unwrap_or_default().id },
            "response.output_item.done" => Self::ItemDone { response, item: raw.item.unwrap_or_default() },
            "response.function_call_arguments.done" => {
                let kind = FUNCTION_CALL.to_owned();
                let (call_id, name, arguments) = (raw.call_id, raw.name, raw.arguments);
                Self::CallDone { response, call: Item { id: item, kind, call_id, name, arguments } }
            }
            "response.output_audio.delta" | "response.audio.delta" => {
                Self::Audio { response, item, part: raw.content_index, base64: raw.delta }
            }
            "response.output_audio_transcript.delta" | "response.audio_transcript.delta" => {
                Self::Words { response, item, text: raw.delta.into_owned() }
            }
            "response.done" => Self::ResponseDone(raw.response.unwrap_or_default().into()),
            "error" => Self::Error(raw.error.unwrap_or_default().into()),
            _ => Self::Other,
        }
    }
}

impl From<RawResponse> for ResponseDone {
    fn from(raw: RawResponse) -> Self {
        let status = match raw.status.as_deref() {
            Some("cancelled") => Status::Cancelled,
            Some("incomplete") => Status::Incomplete,
            Some("failed") => Status::Failed,
            _ => Status::Completed,
        };
        let details = raw.status_details.unwrap_or_default();
        let code = details.error.and_then(|error| error.code.or(error.kind)).or(details.reason);
        Self { response: raw.id, status, code, items: raw.output.unwrap_or_default() }
    }
}

impl From<RawError> for Complaint {
    fn from(raw: RawError) -> Self {
        let already_shorter = raw.message.is_some_and(|message| message.contains("already shorter"));
        Self {
            kind: raw.kind.unwrap_or_default(),
            code: raw.code.unwrap_or_default(),
            about: raw.event_id.unwrap_or_default(),
            already_shorter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_beta_are_understood() {
        for name in ["response.output_audio.delta", "response.audio.delta"] {
            let text = format!(r#"{{"type":"{name}","response_id":"r","item_id":"i","delta":"AAA="}}"#);
            let event = ServerEvent::parse(&text).unwrap();
            assert!(matches!(event, ServerEvent::Audio { base64, .. } if base64 == "AAA="));
        }
        for name in ["response.output_audio_transcript.delta", "response.audio_transcript.delta"] {
            let text = format!(r#"{{"type":"{name}","item_id":"i","delta":"Hi"}}"#);
            assert!(matches!(ServerEvent::parse(&text), Ok(ServerEvent::Words { text, .. }) if text == "Hi"));
        }
    }

    #[test]
    fn unknown_events_and_unexpected_fields_are_passed_over() {
        for text in [
            r#"{"type":"rate_limits.updated","rate_limits":[{"name":"tokens"}]}"#,
            r#"{"type":"mcp_list_tools.completed","item_id":7,"response":"text"}"#,
            r#"{"type":"conversation.item.added","item":{"id":"i","type":"message","content":[{}]},"x":null}"#,
        ] {
            assert!(matches!(ServerEvent::parse(text), Ok(ServerEvent::Other)), "{text}");
        }
        assert_eq!(ServerEvent::parse("<html>").unwrap_err(), NotAnEvent);
    }

    #[test]
    fn a_failed_response_tells_its_code() {
        let text = r#"{"type":"response.done","response":{"id":"r","status":"failed","status_details":
            {"type":"failed","error":{"type":"insufficient_quota","code":"quota"}},"output":[]}}"#;
        let Ok(ServerEvent::ResponseDone(done)) = ServerEvent::parse(text) else { panic!("not read") };
        assert_eq!((done.status, done.code.as_deref()), (Status::Failed, Some("quota")));
        let text = r#"{"type":"response.done","response":{"id":"r","status":"cancelled","output":null}}"#;
        let Ok(ServerEvent::ResponseDone(done)) = ServerEvent::parse(text) else { panic!("not read") };
        assert_eq!((done.status, done.items.len()), (Status::Cancelled, 0));
    }
}
