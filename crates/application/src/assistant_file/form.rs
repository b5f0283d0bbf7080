//! The file as a whole: all keys of all engines, and which of them go together.

use std::collections::BTreeMap;

use domain::assistant::CallLimits;
use serde::Deserialize;

use super::BadFile;
use super::agent::{FileAgent, FileCascade, FileRealtime, FileTarget};
use super::checks::{bad, seconds};
use super::conduct::{FileConduct, FileVoicemail};
use super::script::{FileScript, FileStep};
use crate::rules::Rule;

/// The keys as they are written, before they are sorted by what they belong to.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    name: String,
    team: Option<String>,
    engine: EngineName,
    language: Option<String>,
    first_message: Option<String>,
    closing_line: Option<String>,
    reprompt: Option<String>,
    steps: Option<Vec<FileStep>>,
    instructions: Option<String>,
    fallback_line: Option<String>,
    tools: Option<Vec<String>>,
    transfer_targets: Option<Vec<FileTarget>>,
    realtime: Option<FileRealtime>,
    cascade: Option<FileCascade>,
    record: Option<bool>,
    recording_notice: Option<String>,
    voicemail: Option<FileVoicemail>,
    #[serde(default)]
    outcomes: Vec<String>,
    #[serde(default)]
    variables: BTreeMap<String, String>,
    #[serde(default)]
    limits: FileLimits,
}

/// A file that has the form of one.
#[derive(Deserialize)]
#[serde(from = "Keys")]
pub(super) struct File {
    pub(super) name: String,
    pub(super) team: Option<String>,
    pub(super) engine: EngineName,
    pub(super) language: Option<String>,
    pub(super) first_message: Option<String>,
    pub(super) script: FileScript,
    pub(super) agent: FileAgent,
    pub(super) conduct: FileConduct,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) limits: FileLimits,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum EngineName {
    Builtin,
    Realtime,
    Cascade,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileLimits {
    #[serde(rename = "max_duration_seconds")]
    max_duration: Option<u64>,
    #[serde(rename = "silence_seconds")]
    silence: Option<u64>,
    #[serde(rename = "reprompt_seconds")]
    reprompt: Option<u64>,
}

impl From<Keys> for File {
    fn from(keys: Keys) -> Self {
        Self {
            name: keys.name,
            team: keys.team,
            engine: keys.engine,
            language: keys.language,
            first_message: keys.first_message,
            script: FileScript {
                steps: keys.steps,
                closing_line: keys.closing_line,
                reprompt: keys.reprompt,
            },
            agent: FileAgent {
                instructions: keys.instructions,
                fallback_line: keys.fallback_line,
                tools: keys.tools,
                transfer_targets: keys.transfer_targets,
                realtime: keys.realtime,
                cascade: keys.cascade,
            },
            conduct: FileConduct {
                record: keys.record,
                recording_notice: keys.recording_notice,
                voicemail: keys.voicemail,
                outcomes: keys.outcomes,
            },
            variables: keys.variables,
            limits: keys.limits,
        }
    }
}

impl File {
    /// Refuses keys that another engine has.
    pub(super) fn refuse_misfits(&self) -> Result<(), BadFile> {
        let builtin = self.engine == EngineName::Builtin;
        let (script, agent) = (self.script.written(), self.agent.written());
        let (misfits, theirs): (&[_], &[_]) =
            if builtin { (&agent, &["realtime", "cascade"]) } else { (&script, &["builtin"]) };
        let goes_with = |key, engines| Err(bad(key, Rule::GoesWith { key: "engine", values: engines }));
        if let Some((key, _)) = misfits.iter().find(|(_, written)| *written) {
            return goes_with(key, theirs);
        }
        match self.engine {
            EngineName::Realtime if self.agent.cascade.is_some() => goes_with("cascade", &["cascade"]),
            EngineName::Cascade if self.agent.realtime.is_some() => goes_with("realtime", &["realtime"]),
            EngineName::Realtime if self.agent.realtime.is_none() => Err(bad("realtime", Rule::Realtime)),
            EngineName::Cascade if self.agent.cascade.is_none() => Err(bad("cascade", Rule::Cascade)),
            _ => Ok(()),
        }
    }
}

impl FileLimits {
    pub(super) fn check(self) -> Result<CallLimits, BadFile> {
        let usual = CallLimits::default();
        let hour = 1..=3_600;
        Ok(CallLimits {
            max_duration: seconds(
                "max_duration_seconds",
                self.max_duration,
                &(1..=CallLimits::LONGEST.as_secs()),
                usual.max_duration,
            )?,
            silence: seconds("silence_seconds", self.silence, &hour, usual.silence)?,
            reprompt: seconds("reprompt_seconds", self.reprompt, &hour, usual.reprompt)?,
        })
    }
}
