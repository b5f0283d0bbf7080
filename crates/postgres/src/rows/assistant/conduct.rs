//! The stored form of what an assistant does whatever its engine.

use domain::assistant::{Conduct, OnVoicemail};
use serde_json::{Value, json};

use super::text::{optional_text, text, texts};

/// The stored form.
pub(super) fn conduct_json(conduct: &Conduct) -> Value {
    let voicemail = match &conduct.voicemail {
        None => Value::Null,
        Some(OnVoicemail::HangUp) => json!({"action": "hang-up"}),
        Some(OnVoicemail::LeaveMessage(message)) => json!({"action": "leave-message", "message": message}),
    };
    json!({
        "records": conduct.records,
        "recording_notice": conduct.recording_notice,
        "voicemail": voicemail,
        "outcomes": conduct.outcomes,
    })
}

/// Reads the stored form.
pub(super) fn conduct_from(stored: &Value) -> Option<Conduct> {
    let voicemail = match stored.get("voicemail")? {
        Value::Null => None,
        action => Some(match action.get("action")?.as_str()? {
            "hang-up" => OnVoicemail::HangUp,
            "leave-message" => OnVoicemail::LeaveMessage(text(action.get("message"))?),
            _ => return None,
        }),
    };
    Some(Conduct {
        records: stored.get("records")?.as_bool()?,
        recording_notice: optional_text(stored.get("recording_notice")).ok()?,
        voicemail,
        outcomes: texts(stored.get("outcomes"))?,
    })
}
