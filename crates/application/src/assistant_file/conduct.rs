//! What an assistant does whatever its engine, and the variables it knows.

use std::collections::{BTreeMap, BTreeSet};

use domain::assistant::{Conduct, OnVoicemail};
use domain::call::Outcome;
use domain::variables::Variables;
use serde::Deserialize;

use super::BadFile;
use super::checks::{bad, line, optional_line};
use crate::rules::Rule;

/// The most outcomes of an assistant's own.
const OUTCOMES_MAX: usize = 20;
/// The longest outcome, in characters.
const OUTCOME_MAX: usize = 50;
/// The most variables.
const VARIABLES_MAX: usize = 200;
/// The longest name of a variable, in characters.
const VARIABLE_NAME_MAX: usize = 255;
/// The longest value of a variable, in characters.
const VARIABLE_MAX: usize = 4_000;

pub(super) struct FileConduct {
    pub(super) record: Option<bool>,
    pub(super) recording_notice: Option<String>,
    pub(super) voicemail: Option<FileVoicemail>,
    pub(super) outcomes: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileVoicemail {
    action: VoicemailAction,
    message: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum VoicemailAction {
    HangUp,
    LeaveMessage,
}

impl FileConduct {
    pub(super) fn check(self) -> Result<Conduct, BadFile> {
        let records = self.record.unwrap_or(true);
        if !records && self.recording_notice.is_some() {
            return Err(bad("recording_notice", Rule::NothingRecorded));
        }
        Ok(Conduct {
            records,
            recording_notice: optional_line("recording_notice", self.recording_notice)?,
            voicemail: self.voicemail.map(FileVoicemail::check).transpose()?,
            outcomes: outcomes(self.outcomes)?,
        })
    }
}

impl FileVoicemail {
    fn check(self) -> Result<OnVoicemail, BadFile> {
        match (self.action, self.message) {
            (VoicemailAction::HangUp, None) => Ok(OnVoicemail::HangUp),
            (VoicemailAction::HangUp, Some(_)) => {
                let rule = Rule::GoesWith { key: "action", values: &["leave-message"] };
                Err(bad("voicemail.message", rule))
            }
            (VoicemailAction::LeaveMessage, Some(message)) => {
                line("voicemail.message", message).map(OnVoicemail::LeaveMessage)
            }
            (VoicemailAction::LeaveMessage, None) => Err(bad("voicemail.message", Rule::VoicemailMessage)),
        }
    }
}

fn outcomes(named: Vec<String>) -> Result<Vec<String>, BadFile> {
    if named.len() > OUTCOMES_MAX {
        return Err(bad("outcomes", Rule::AtMost(OUTCOMES_MAX)));
    }
    let mut seen = BTreeSet::new();
    for outcome in &named {
        let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let begins = outcome.starts_with(|first: char| first.is_ascii_lowercase());
        if !begins || outcome.len() > OUTCOME_MAX || !outcome.bytes().all(letters) {
            return Err(bad("outcomes", Rule::OutcomeNames(OUTCOME_MAX)));
        }
        if Outcome::ALL.iter().any(|standard| standard.as_str() == outcome) {
            return Err(bad("outcomes", Rule::StandardOutcome(outcome.clone())));
        }
        if !seen.insert(outcome) {
            return Err(bad("outcomes", Rule::Twice(outcome.clone())));
        }
    }
    Ok(named)
}

/// Reads the values that a call may leave out.
pub(super) fn variables(named: BTreeMap<String, String>) -> Result<Variables, BadFile> {
    if named.len() > VARIABLES_MAX {
        return Err(bad("variables", Rule::AtMost(VARIABLES_MAX)));
    }
    for (name, value) in &named {
        // A place's name is trimmed, and ends with the first braces.
        let findable = name.trim() == name && !name.is_empty() && !name.contains("}}");
        if !findable || name.chars().count() > VARIABLE_NAME_MAX || name.contains(char::is_control) {
            return Err(bad("variables", Rule::VariableNames(VARIABLE_NAME_MAX)));
        }
        if value.chars().count() > VARIABLE_MAX || value.contains('\0') {
            return Err(bad(&format!("variables.{name}"), Rule::ShortText(VARIABLE_MAX)));
        }
    }
    Ok(named)
}
