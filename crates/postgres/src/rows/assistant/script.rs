//! The stored form of a script: one JSON value, for it is only ever read as a whole.

use std::collections::BTreeMap;

use domain::assistant::{Awaited, Script, Step};
use serde_json::{Value, json};

use super::text::optional_text;

/// The stored form of a script.
pub(super) fn script_json(script: &Script) -> Value {
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

/// Reads the stored form.
pub(super) fn script_from(stored: &Value) -> Option<Script> {
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
