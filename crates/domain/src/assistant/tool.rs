//! What an AI assistant may do besides speaking: the tools' forms, and reading a model's call.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Persona, TransferTarget};
use crate::audio::Digit;
use crate::call::outcome;

/// Something that an AI assistant may do besides speaking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tool {
    /// Hang up.
    EndCall,
    /// Hand the call to a person.
    TransferCall,
    /// Say something after a machine's beep, and hang up.
    LeaveVoicemail,
    /// Press keys, for menus.
    SendDtmf,
}

impl Tool {
    /// Every tool.
    pub const ALL: [Self; 4] = [Self::EndCall, Self::TransferCall, Self::LeaveVoicemail, Self::SendDtmf];

    /// The name that models and assistant files use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EndCall => "end_call",
            Self::TransferCall => "transfer_call",
            Self::LeaveVoicemail => "leave_voicemail",
            Self::SendDtmf => "send_dtmf",
        }
    }

    /// Reads the name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.as_str() == name)
    }
}

/// A tool as a model is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolForm {
    /// Which.
    pub tool: Tool,
    /// What it is for.
    pub description: String,
    /// Its arguments, as JSON Schema.
    pub parameters: Value,
}

/// A model's use of a tool, read and allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolCall {
    /// Hang up when the last words have been heard.
    EndCall {
        /// What came of the call, in the model's words, if it said so.
        outcome: Option<String>,
    },
    /// Hand the call to one of the assistant's targets.
    TransferCall(TransferTarget),
    /// Say this after the beep, and hang up.
    LeaveVoicemail {
        /// The message.
        message: String,
    },
    /// Press these keys.
    SendDtmf(Vec<Digit>),
}

/// The most keys that one call of `send_dtmf` presses.
const MOST_KEYS: usize = 32;
/// The longest outcome, in bytes: more is none that there is.
const LONGEST_OUTCOME: usize = 128;
/// The longest message for a machine, in characters.
const LONGEST_MESSAGE: usize = 1_000;

/// The forms of the tools that a persona may use; its calls may come to outcomes of its `own`.
pub fn forms(persona: &Persona, own: &[String]) -> Vec<ToolForm> {
    usable(persona).into_iter().map(|tool| form(tool, persona, own)).collect()
}

/// A transfer needs somebody to transfer to.
fn usable(persona: &Persona) -> BTreeSet<Tool> {
    let reachable = |tool: &Tool| *tool != Tool::TransferCall || !persona.transfer_targets.is_empty();
    persona.tools.iter().copied().filter(reachable).collect()
}

fn form(tool: Tool, persona: &Persona, own: &[String]) -> ToolForm {
    let (description, properties, required) = match tool {
        Tool::EndCall => (
            "Hang up. Say goodbye first; the call ends when your words have been heard.",
            json!({"outcome": {
                "type": "string", "enum": outcome::nameable(own), "description": "What came of the call."
            }}),
            json!([]),
        ),
        Tool::TransferCall => {
            let names: Vec<&str> =
                persona.transfer_targets.iter().map(|target| target.name.as_str()).collect();
            (
                "Hand the call to a person. Tell the caller first.",
                json!({"target": {"type": "string", "enum": names, "description": "Whom to connect."}}),
                json!(["target"]),
            )
        }
        Tool::LeaveVoicemail => (
            "Use when a voicemail or answering machine has answered: the message is said after its beep, then the call ends.",
            json!({"message": {"type": "string", "description": "What to say."}}),
            json!(["message"]),
        ),
        Tool::SendDtmf => (
            "Press telephone keys, for menus.",
            json!({"digits": {"type": "string", "description": "The keys: 0-9, * and #."}}),
            json!(["digits"]),
        ),
    };
    ToolForm {
        tool,
        description: description.to_owned(),
        parameters: json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false
        }),
    }
}

/// Reads a model's call; what is wrong with it is told to the model in words.
pub fn read(persona: &Persona, name: &str, arguments: &str) -> Result<ToolCall, String> {
    let usable = usable(persona);
    let tool = Tool::parse(name).filter(|tool| usable.contains(tool));
    let tool = tool.ok_or_else(|| format!("there is no tool {name}"))?;
    let arguments: Value = match arguments.trim() {
        "" => json!({}),
        text => serde_json::from_str(text).map_err(|_| "the arguments are not JSON".to_owned())?,
    };
    let text = |key: &str| arguments.get(key).and_then(Value::as_str).map(str::trim);
    match tool {
        Tool::EndCall => {
            let outcome = text("outcome").filter(|name| (1..=LONGEST_OUTCOME).contains(&name.len()));
            Ok(ToolCall::EndCall { outcome: outcome.map(str::to_owned) })
        }
        Tool::TransferCall => {
            let wanted = text("target").unwrap_or_default();
            let found =
                persona.transfer_targets.iter().find(|target| target.name.eq_ignore_ascii_case(wanted));
            found.cloned().map(ToolCall::TransferCall).ok_or_else(|| {
                let names: Vec<&str> =
                    persona.transfer_targets.iter().map(|target| target.name.as_str()).collect();
                format!("target must be one of: {}", names.join(", "))
            })
        }
        Tool::LeaveVoicemail => match text("message") {
            Some(message) if (1..=LONGEST_MESSAGE).contains(&message.chars().count()) => {
                Ok(ToolCall::LeaveVoicemail { message: message.to_owned() })
            }
            _ => Err(format!("message must have 1 to {LONGEST_MESSAGE} characters")),
        },
        Tool::SendDtmf => {
            let keys = text("digits").unwrap_or_default().chars().filter(|key| !key.is_whitespace());
            let keys: Option<Vec<Digit>> = keys.map(Digit::from_char).collect();
            keys.filter(|keys| (1..=MOST_KEYS).contains(&keys.len()))
                .map(ToolCall::SendDtmf)
                .ok_or_else(|| format!("digits must be 1 to {MOST_KEYS} of 0-9, * and #"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::E164;

    fn persona() -> Persona {
        let number = E164::parse("+14155550100").unwrap();
        Persona {
            instructions: String::new(),
            first_message: None,
            fallback_line: None,
            tools: Tool::ALL.into(),
            transfer_targets: vec![TransferTarget { name: "reception".to_owned(), number }],
        }
    }

    #[test]
    fn a_model_reaches_listed_people_only() {
        let persona = persona();
        let read = |arguments| read(&persona, "transfer_call", arguments);
        let reception = persona.transfer_targets.first().unwrap().clone();
        assert_eq!(read(r#"{"target":"Reception"}"#), Ok(ToolCall::TransferCall(reception)));
        assert_eq!(read(r#"{"target":"+19005550000"}"#).unwrap_err(), "target must be one of: reception");
        let alone = Persona { transfer_targets: Vec::new(), ..persona };
        assert_eq!(super::read(&alone, "transfer_call", "{}").unwrap_err(), "there is no tool transfer_call");
        assert_eq!(forms(&alone, &[]).len(), 3);
    }

    #[test]
    fn a_model_names_outcomes_that_there_are_and_none_that_only_facts_tell() {
        let forms = forms(&persona(), &["quote_sent".to_owned()]);
        let end = forms.iter().find(|form| form.tool == Tool::EndCall).unwrap();
        let names = end.parameters["properties"]["outcome"]["enum"].as_array().unwrap();
        assert!(names.contains(&json!("quote_sent")) && names.contains(&json!("incomplete")));
        assert!(!names.contains(&json!("transferred_to_human")));
    }

    #[test]
    fn what_was_not_allowed_or_is_malformed_is_told_in_words() {
        let mut persona = persona();
        assert_eq!(read(&persona, "end_call", ""), Ok(ToolCall::EndCall { outcome: None }));
        let named = |outcome: &str| read(&persona, "end_call", &json!({"outcome": outcome}).to_string());
        assert_eq!(named(" done "), Ok(ToolCall::EndCall { outcome: Some("done".to_owned()) }));
        for none in ["", " ", &"x".repeat(LONGEST_OUTCOME + 1)] {
            assert_eq!(named(none), Ok(ToolCall::EndCall { outcome: None }));
        }
        assert_eq!(read(&persona, "end_call", "{").unwrap_err(), "the arguments are not JSON");
        assert!(read(&persona, "send_dtmf", r#"{"digits":"12x"}"#).is_err());
        let keys = ['1', '#'].map(|key| Digit::from_char(key).unwrap()).to_vec();
        assert_eq!(read(&persona, "send_dtmf", r#"{"digits":"1 #"}"#), Ok(ToolCall::SendDtmf(keys)));
        persona.tools.remove(&Tool::EndCall);
        assert_eq!(read(&persona, "end_call", "{}").unwrap_err(), "there is no tool end_call");
    }
}
