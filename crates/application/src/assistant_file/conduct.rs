//! What an assistant does whatever its engine, and the variables it knows.

use std::collections::{BTreeMap, BTreeSet};

use domain::assistant::{Conduct, OnVoicemail};
use domain::call::Outcome;
use domain::variables::Variables;
use serde::Deserialize;

use super::BadFile;
use super::checks::{bad, line, optional_line};

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
            return Err(bad("recording_notice", "nothing is recorded with record = false"));
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
                Err(bad("voicemail.message", "goes with action = \"leave-message\" only"))
            }
            (VoicemailAction::LeaveMessage, Some(message)) => {
                line("voicemail.message", message).map(OnVoicemail::LeaveMessage)
            }
            (VoicemailAction::LeaveMessage, None) => {
                Err(bad("voicemail.message", "action = \"leave-message\" needs one"))
            }
        }
    }
}

fn outcomes(named: Vec<String>) -> Result<Vec<String>, BadFile> {
    if named.len() > OUTCOMES_MAX {
        return Err(bad("outcomes", format!("at most {OUTCOMES_MAX}")));
    }
    let mut seen = BTreeSet::new();
    for outcome in &named {
        let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let begins = outcome.starts_with(|first: char| first.is_ascii_lowercase());
        if !begins || outcome.len() > OUTCOME_MAX || !outcome.bytes().all(letters) {
            let allowed = format!("expected names such as quote_sent, of at most {OUTCOME_MAX} characters");
            return Err(bad("outcomes", allowed));
        }
        if Outcome::ALL.iter().any(|standard| standard.as_str() == outcome) {
            return Err(bad(
                "outcomes",
                format!("{outcome} is a standard outcome, known without being named"),
            ));
        }
        if !seen.insert(outcome) {
            return Err(bad("outcomes", format!("{outcome} stands there twice")));
        }
    }
    Ok(named)
}

/// Reads the values that a call may leave out.
pub(super) fn variables(named: BTreeMap<String, String>) -> Result<Variables, BadFile> {
    if named.len() > VARIABLES_MAX {
        return Err(bad("variables", format!("at most {VARIABLES_MAX}")));
    }
    for (name, value) in &named {
        // A place's name is trimmed, and ends with the first braces.
        let findable = name.trim() == name && !name.is_empty() && !name.contains("}}");
        if !findable || name.chars().count() > VARIABLE_NAME_MAX || name.contains(char::is_control) {
            let allowed = format!("expected names of 1 to {VARIABLE_NAME_MAX} characters");
            return Err(bad("variables", allowed));
        }
        if value.chars().count() > VARIABLE_MAX || value.contains('\0') {
            let allowed = format!("expected at most {VARIABLE_MAX} characters of text");
            return Err(bad(&format!("variables.{name}"), allowed));
        }
    }
    Ok(named)
}
