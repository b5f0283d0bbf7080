//! What a client says, checked strictly; the errors have the real server's words.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::assistant::Dialect;
use serde_json::{Value, json};

/// The largest piece of sound, in bytes of base64.
const MOST_SOUND: usize = 15 * 1024 * 1024;

/// An error, as it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) code: Option<&'static str>,
    pub(crate) message: String,
    pub(crate) param: Option<String>,
}

impl Refusal {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code: Some(code), message: message.into(), param: None }
    }

    fn missing(param: &str) -> Self {
        let refusal =
            Self::new("missing_required_parameter", format!("Missing required parameter: '{param}'."));
        Self { param: Some(param.to_owned()), ..refusal }
    }

    fn unknown(param: &str) -> Self {
        let refusal = Self::new("unknown_parameter", format!("Unknown parameter: '{param}'."));
        Self { param: Some(param.to_owned()), ..refusal }
    }

    pub(crate) fn invalid(param: &str, value: &Value, supported: &str) -> Self {
        let value = value.as_str().map_or_else(|| value.to_string(), |text| format!("'{text}'"));
        let message = format!("Invalid value: {value}. Supported values are: {supported}.");
        Self { code: Some("invalid_value"), message, param: Some(param.to_owned()) }
    }

    /// The event; `about` is the id of the event that is refused.
    pub(crate) fn event(&self, about: &Value) -> Value {
        json!({"type": "error", "error": {
            "type": "invalid_request_error", "code": self.code, "message": self.message,
            "param": self.param, "event_id": about,
        }})
    }
}

/// An event that is well-formed.
#[derive(Clone, Debug)]
pub(crate) enum ClientEvent {
    Update(Value),
    Append(Vec<u8>),
    Commit,
    Clear,
    CreateItem(Value),
    Truncate { item: String, part: u64, end_ms: u64 },
    Respond(Value),
    Cancel(Option<String>),
}

/// Events and their fields; those with a mark have to be there.
const EVENTS: &[(&str, &[&str])] = &[
    ("session.update", &["session!"]),
    ("input_audio_buffer.append", &["audio!"]),
    ("input_audio_buffer.commit", &[]),
    ("input_audio_buffer.clear", &[]),
    ("conversation.item.create", &["item!", "previous_item_id"]),
    ("conversation.item.truncate", &["item_id!", "content_index!", "audio_end_ms!"]),
    ("response.create", &["response"]),
    ("response.cancel", &["response_id"]),
];

/// The fields of objects within; `*` stands for anything.
const OBJECTS: &[(&str, &[&str])] = &[
    ("session.audio", &["input", "output"]),
    ("session.audio.input", &["format", "transcription", "turn_detection", "noise_reduction"]),
    ("session.audio.output", &["format", "voice", "speed"]),
    ("session.audio.input.format", &["type!", "rate"]),
    ("session.audio.output.format", &["type!", "rate"]),
    ("session.audio.input.transcription", &["model", "language", "prompt"]),
    ("session.audio.input.turn_detection", DETECTION),
    ("session.turn_detection", DETECTION),
    (
        "response",
        &[
            "instructions",
            "tool_choice",
            "tools",
            "output_modalities",
            "audio",
            "conversation",
            "input",
            "metadata",
            "max_output_tokens",
            "prompt",
        ],
    ),
];

const DETECTION: &[&str] = &[
    "type!",
    "threshold",
    "prefix_padding_ms",
    "silence_duration_ms",
    "idle_timeout_ms",
    "create_response",
    "interrupt_response",
];

/// Fields of a session as published.
const SESSION: &[&str] = &[
    "type!",
    "instructions",
    "output_modalities",
    "audio",
    "tools",
    "tool_choice",
    "model",
    "tracing",
    "truncation",
    "max_output_tokens",
    "prompt",
    "include",
];
/// Fields of a session of xAI's.
const SESSION_XAI: &[&str] =
    &["type", "instructions", "audio", "tools", "tool_choice", "voice", "turn_detection", "model"];

/// Reads an event.
pub(crate) fn read(event: &Value, dialect: Dialect) -> Result<ClientEvent, Refusal> {
    let Some(kind) = event["type"].as_str() else { return Err(Refusal::missing("type")) };
    let Some((_, fields)) = EVENTS.iter().find(|(known, _)| *known == kind) else {
        let names: Vec<String> = EVENTS.iter().map(|(name, _)| format!("'{name}'")).collect();
        return Err(Refusal::invalid("type", &event["type"], &names.join(", ")));
    };
    check_fields("", event, &[*fields, &["type", "event_id"][..]].concat())?;
    Ok(match kind {
        "session.update" => {
            check_session(&event["session"], dialect)?;
            ClientEvent::Update(event["session"].clone())
        }
        "input_audio_buffer.append" => ClientEvent::Append(sound(&event["audio"])?),
        "input_audio_buffer.commit" => ClientEvent::Commit,
        "input_audio_buffer.clear" => ClientEvent::Clear,
        "conversation.item.create" => {
            check_item(&event["item"], dialect)?;
            ClientEvent::CreateItem(event["item"].clone())
        }
        "conversation.item.truncate" => ClientEvent::Truncate {
            item: text("item_id", &event["item_id"])?,
            part: number("content_index", &event["content_index"])?,
            end_ms: number("audio_end_ms", &event["audio_end_ms"])?,
        },
        "response.create" => {
            check_within("response", &event["response"])?;
            ClientEvent::Respond(event["response"].clone())
        }
        _ => ClientEvent::Cancel(event.get("response_id").and_then(Value::as_str).map(str::to_owned)),
    })
}

fn check_session(session: &Value, dialect: Dialect) -> Result<(), Refusal> {
    let fields = match dialect {
        Dialect::XAi => SESSION_XAI.to_vec(),
        // No type is insisted on.
        Dialect::Speaches => [&["type"][..], &SESSION[1..]].concat(),
        Dialect::OpenAi | Dialect::Azure | Dialect::LocalAi => SESSION.to_vec(),
    };
    check_fields("session", session, &fields)?;
    if session.get("type").is_some_and(|kind| kind != "realtime" && kind != "transcription") {
        return Err(Refusal::invalid("session.type", &session["type"], "'realtime' and 'transcription'"));
    }
    for name in ["audio", "turn_detection"] {
        if session.get(name).is_some() {
            check_within(&format!("session.{name}"), &session[name])?;
        }
    }
    for (index, tool) in session["tools"].as_array().into_iter().flatten().enumerate() {
        let at = format!("session.tools[{index}]");
        check_fields(&at, tool, &["type!", "name!", "description", "parameters"])?;
    }
    Ok(())
}

/// Checks an object's fields and those of the objects within, as far as they are known.
fn check_within(path: &str, object: &Value) -> Result<(), Refusal> {
    let Some((_, fields)) = OBJECTS.iter().find(|(known, _)| *known == path) else { return Ok(()) };
    if object.is_null() {
        return Ok(());
    }
    check_fields(path, object, fields)?;
    for (name, within) in object.as_object().into_iter().flatten() {
        check_within(&format!("{path}.{name}"), within)?;
    }
    Ok(())
}

fn check_fields(path: &str, object: &Value, fields: &[&str]) -> Result<(), Refusal> {
    let at = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let Some(object) = object.as_object() else {
        return Err(Refusal::new("invalid_type", format!("Invalid type for '{path}': expected an object.")));
    };
    if let Some(name) =
        object.keys().find(|name| !fields.iter().any(|field| field.trim_end_matches('!') == *name))
    {
        return Err(Refusal::unknown(&at(name)));
    }
    let missing =
        fields.iter().filter_map(|field| field.strip_suffix('!')).find(|name| !object.contains_key(*name));
    missing.map_or(Ok(()), |name| Err(Refusal::missing(&at(name))))
}

fn check_item(item: &Value, dialect: Dialect) -> Result<(), Refusal> {
    match item["type"].as_str() {
        Some("message") => {
            check_fields("item", item, &["type", "id", "status", "object", "role!", "content!"])?;
            let wanted = match (item["role"].as_str(), dialect) {
                (Some("user" | "system"), _) => "input_text",
                (Some("assistant"), Dialect::LocalAi | Dialect::Speaches) => "text",
                (Some("assistant"), _) => "output_text",
                _ => {
                    return Err(Refusal::invalid(
                        "item.role",
                        &item["role"],
                        "'system', 'assistant', and 'user'",
                    ));
                }
            };
            for part in item["content"].as_array().into_iter().flatten() {
                check_fields("item.content[0]", part, &["type!", "text!"])?;
                if part["type"] != wanted {
                    return Err(Refusal::invalid(
                        "item.content[0].type",
                        &part["type"],
                        &format!("'{wanted}'"),
                    ));
                }
            }
            Ok(())
        }
        Some("function_call") => {
            check_fields("item", item, &["type", "id", "status", "object", "call_id!", "name!", "arguments!"])
        }
        Some("function_call_output") => {
            check_fields("item", item, &["type", "id", "status", "object", "call_id!", "output!"])
        }
        _ => Err(Refusal::invalid(
            "item.type",
            &item["type"],
            "'message', 'function_call', and 'function_call_output'",
        )),
    }
}

fn sound(audio: &Value) -> Result<Vec<u8>, Refusal> {
    let audio = text("audio", audio)?;
    if audio.len() > MOST_SOUND {
        return Err(Refusal::new("invalid_value", "Invalid 'audio'. Audio too large."));
    }
    STANDARD.decode(audio).map_err(|_| {
        Refusal::new(
            "invalid_value",
            "Invalid 'audio'. Expected base64-encoded audio bytes, but got invalid data.",
        )
    })
}

fn text(name: &str, value: &Value) -> Result<String, Refusal> {
    let wrong = || Refusal::new("invalid_type", format!("Invalid type for '{name}': expected a string."));
    value.as_str().map(str::to_owned).ok_or_else(wrong)
}

fn number(name: &str, value: &Value) -> Result<u64, Refusal> {
    let wrong = || Refusal::new("invalid_type", format!("Invalid type for '{name}': expected an integer."));
    value.as_u64().ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(event: &Value) -> String {
        read(event, Dialect::OpenAi).unwrap_err().message
    }

    #[test]
    fn what_is_unknown_or_missing_is_refused_in_the_servers_words() {
        assert!(refused(&json!({"type": "response.audio"})).starts_with("Invalid value: 'response.audio'."));
        assert_eq!(
            refused(&json!({"type": "session.update", "session": {"type": "realtime", "voice": "a"}})),
            "Unknown parameter: 'session.voice'."
        );
        assert_eq!(
            refused(&json!({"type": "session.update", "session": {}})),
            "Missing required parameter: 'session.type'."
        );
        let session = json!({"type": "realtime", "audio": {"input": {"format": {"kind": 1}}}});
        assert_eq!(
            refused(&json!({"type": "session.update", "session": session})),
            "Unknown parameter: 'session.audio.input.format.kind'."
        );
        assert_eq!(refused(&json!({"type": "response.cancel", "id": "x"})), "Unknown parameter: 'id'.");
        assert!(refused(&json!({"type": "input_audio_buffer.append", "audio": "?"})).contains("base64"));
    }

    #[test]
    fn xai_has_its_voice_at_the_top() {
        let event = json!({"type": "session.update", "session": {"voice": "ara", "turn_detection": {"type": "server_vad"}}});
        assert!(read(&event, Dialect::XAi).is_ok());
        assert!(read(&event, Dialect::OpenAi).is_err());
    }
}
