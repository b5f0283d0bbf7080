//! How providers differ in speaking the protocol: addresses, headers, and the shape of a session.

use domain::assistant::{Dialect, Realtime};
use domain::audio::AudioFormat;
use domain::ports::AgentSpec;
use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue, InvalidHeaderValue};
use serde_json::{Value, json};
use url::Url;

/// How much silence ends a turn, and how much before its first sound belongs to it.
const SILENCE_MS: u32 = 500;
const PREFIX_MS: u32 = 300;

/// The provider's address with the model in it. An endpoint without a path gets the usual one.
pub(super) fn url(dialect: Dialect, realtime: &Realtime) -> Url {
    let mut url = realtime.provider.endpoint.clone();
    if url.path().trim_matches('/').is_empty() {
        url.set_path(match dialect {
            Dialect::Azure => "/openai/v1/realtime",
            Dialect::OpenAi | Dialect::XAi | Dialect::LocalAi | Dialect::Speaches => "/v1/realtime",
        });
    }
    if !url.query_pairs().any(|(name, _)| name == "model") {
        url.query_pairs_mut().append_pair("model", &realtime.provider.model);
    }
    url
}

/// The header that opens the provider's door; it is marked so that nothing prints it.
pub(super) fn credentials(
    dialect: Dialect,
    key: &str,
) -> Result<(HeaderName, HeaderValue), InvalidHeaderValue> {
    let (name, mut value) = match dialect {
        Dialect::Azure => (HeaderName::from_static("api-key"), HeaderValue::from_str(key)?),
        Dialect::OpenAi | Dialect::XAi | Dialect::LocalAi | Dialect::Speaches => {
            (AUTHORIZATION, HeaderValue::from_str(&format!("Bearer {key}"))?)
        }
    };
    value.set_sensitive(true);
    Ok((name, value))
}

/// The `session` of a `session.update`, for a call in this format.
///
/// The server detects turns, but neither answers nor interrupts by itself: the conversation does.
pub(super) fn session(dialect: Dialect, realtime: &Realtime, spec: &AgentSpec, call: AudioFormat) -> Value {
    let tools: Vec<Value> = spec
        .tools
        .iter()
        .map(|form| {
            json!({
                "type": "function", "name": form.tool.as_str(),
                "description": form.description, "parameters": form.parameters,
            })
        })
        .collect();
    let turn_detection = json!({
        "type": "server_vad", "threshold": 0.5,
        "prefix_padding_ms": PREFIX_MS, "silence_duration_ms": SILENCE_MS,
        "create_response": false, "interrupt_response": false,
    });
    let format = match (dialect, call) {
        // A wideband call is worth more than a narrow line's sound.
        (Dialect::LocalAi, _) | (_, AudioFormat::G722) => json!({"type": "audio/pcm", "rate": 24_000}),
        (_, AudioFormat::Pcmu) => json!({"type": "audio/pcmu"}),
        (_, AudioFormat::Pcma) => json!({"type": "audio/pcma"}),
    };
    let mut input = json!({"format": format});
    let mut output = json!({"format": format});
    if let Some(model) = &realtime.transcription_model {
        set(&mut input, "transcription", json!({"model": model, "language": language(spec)}));
    }
    let mut session = json!({
        "instructions": spec.instructions,
        "tools": tools, "tool_choice": "auto",
    });
    if dialect == Dialect::XAi {
        set(&mut session, "turn_detection", turn_detection);
        if let Some(voice) = &realtime.voice {
            set(&mut session, "voice", json!(voice));
        }
    } else {
        set(&mut session, "type", json!("realtime"));
        set(&mut session, "output_modalities", json!(["audio"]));
        set(&mut input, "turn_detection", turn_detection);
        if let Some(voice) = &realtime.voice {
            set(&mut output, "voice", json!(voice));
        }
    }
    set(&mut session, "audio", json!({"input": input, "output": output}));
    session
}

/// ISO 639-1, as transcription models want it.
fn language(spec: &AgentSpec) -> &'static str {
    let tag = spec.language.as_str();
    tag.split_once('-').map_or(tag, |(language, _)| language)
}

fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(name.to_owned(), value);
    }
}

/// The type of an assistant's words in an item.
pub(super) const fn assistant_text(dialect: Dialect) -> &'static str {
    match dialect {
        // They keep to what the beta called it.
        Dialect::LocalAi | Dialect::Speaches => "text",
        Dialect::OpenAi | Dialect::Azure | Dialect::XAi => "output_text",
    }
}

#[cfg(test)]
#[path = "dialect_tests.rs"]
mod tests;
