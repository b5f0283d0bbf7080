//! Assistants; a script is one JSON value, for it is only ever read as a whole.

use std::collections::BTreeMap;
use std::time::Duration;

use domain::assistant::{Assistant, Awaited, CallLimits, Conduct, Engine, Language, Script, Step};
use domain::ids::{AssistantId, OrganizationId, TenantId};
use domain::variables::Variables;
use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::statement::row;

row! {
    AssistantRow {
        assistant_id: Uuid,
        assistant_tenant_id: Uuid,
        assistant_organization_id: Uuid,
        assistant_name: String,
        team_name: Option<String>,
        engine: String,
        script: Value,
        language: String,
        max_duration_ms: i64,
        silence_ms: i64,
        reprompt_ms: i64,
        assistant_created_at: OffsetDateTime,
    }
}

impl AssistantRow {
    pub(crate) fn into_assistant(self) -> Result<Assistant, Failure> {
        let broken = |why| Failure::impossible("assistants", self.assistant_id, why);
        let engine = match self.engine.as_str() {
            "builtin" => {
                Engine::Builtin(script_from(&self.script).ok_or_else(|| broken("the script cannot be read"))?)
            }
            _ => return Err(broken("the engine is unknown")),
        };
        let length =
            |ms: i64| u64::try_from(ms).map(Duration::from_millis).map_err(|_| broken("a limit is negative"));
        Ok(Assistant {
            id: AssistantId::from_uuid(self.assistant_id),
            tenant: TenantId::from_uuid(self.assistant_tenant_id),
            organization: OrganizationId::from_uuid(self.assistant_organization_id),
            language: Language::parse(&self.language).ok_or_else(|| broken("the language is unknown"))?,
            limits: CallLimits {
                max_duration: length(self.max_duration_ms)?,
                silence: length(self.silence_ms)?,
                reprompt: length(self.reprompt_ms)?,
            },
            engine,
            conduct: Conduct::default(),
            variables: Variables::new(),
            name: self.assistant_name,
            team: self.team_name,
            created_at: self.assistant_created_at,
        })
    }
}

/// The stored form of a script.
pub(crate) fn script_json(script: &Script) -> Value {
    let steps: Vec<Value> = script
        .steps
        .iter()
        .map(|step| {
            let (awaited, digits) = match step.wait_for {
                Awaited::Speech => ("speech", None),
                Awaited::Digits(count) => ("digits", Some(count)),
                Awaited::SpeechOrDigit => ("speech-or-digit", None),
            };
            json!({"wait_for": awaited, "digits": digits, "replies": step.replies, "say": step.say})
        })
        .collect();
    json!({
        "first_message": script.first_message,
        "steps": steps,
        "closing_line": script.closing_line,
        "reprompt": script.reprompt,
    })
}

fn script_from(stored: &Value) -> Option<Script> {
    Some(Script {
        first_message: stored.get("first_message")?.as_str()?.to_owned(),
        steps: stored.get("steps")?.as_array()?.iter().map(step_from).collect::<Option<_>>()?,
        closing_line: optional_text(stored.get("closing_line")).ok()?,
        reprompt: optional_text(stored.get("reprompt")).ok()?,
    })
}

fn step_from(stored: &Value) -> Option<Step> {
    let wait_for = match stored.get("wait_for")?.as_str()? {
        "speech" => Awaited::Speech,
        "speech-or-digit" => Awaited::SpeechOrDigit,
        "digits" => Awaited::Digits(u8::try_from(stored.get("digits")?.as_u64()?).ok()?),
        _ => return None,
    };
    let replies = stored
        .get("replies")?
        .as_object()?
        .iter()
        .map(|(keys, line)| Some((keys.clone(), line.as_str()?.to_owned())))
        .collect::<Option<BTreeMap<_, _>>>()?;
    Some(Step { wait_for, replies, say: optional_text(stored.get("say")).ok()? })
}

/// Reads a text or null; anything else is an error, as is a missing value.
fn optional_text(value: Option<&Value>) -> Result<Option<String>, ()> {
    match value {
        Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        _ => Err(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_comes_back_as_it_was_stored() {
        let step = |wait_for, say: Option<&str>| Step {
            wait_for,
            replies: BTreeMap::from([("1".into(), "One.".into())]),
            say: say.map(str::to_owned),
        };
        let script = Script {
            first_message: "Hello {{name}}".into(),
            steps: vec![
                step(Awaited::Speech, None),
                step(Awaited::Digits(4), Some("Thanks")),
                step(Awaited::SpeechOrDigit, Some("So")),
            ],
            closing_line: Some("Bye".into()),
            reprompt: None,
        };
        assert_eq!(script_from(&script_json(&script)), Some(script));
    }

    #[test]
    fn a_script_with_an_unknown_word_is_not_guessed_at() {
        assert_eq!(
            script_from(
                &json!({"first_message": "x", "steps": [{"wait_for": "moon", "replies": {}, "say": null}], "closing_line": null, "reprompt": null})
            ),
            None
        );
        assert_eq!(
            script_from(&json!({"first_message": 1, "steps": [], "closing_line": null, "reprompt": null})),
            None
        );
    }
}
