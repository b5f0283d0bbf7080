//! An assistant as its file again: all that [`parse`](super::parse) reads, without any stored key.

use std::collections::BTreeMap;

use domain::assistant::tool::Tool;
use domain::assistant::{
    Agent, Assistant, Awaited, Brain, Engine, OnVoicemail, Provider, ProviderKey, Script, Step,
};
use serde::Serialize;

// In the order in which people read it; TOML wants plain values before tables.
#[derive(Default, Serialize)]
struct Written<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    team: Option<&'a str>,
    engine: &'static str,
    language: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    closing_line: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reprompt: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback_line: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<&'static str>>,
    record: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    recording_notice: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    outcomes: &'a [String],
    limits: Limits,
    #[serde(skip_serializing_if = "Option::is_none")]
    voicemail: Option<Voicemail<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    realtime: Option<Realtime<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cascade: Option<Cascade<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<&'a BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<WrittenStep<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    transfer_targets: Vec<Target<'a>>,
}

#[derive(Default, Serialize)]
#[expect(clippy::struct_field_names, reason = "members are named as in the file")]
struct Limits {
    max_duration_seconds: u64,
    silence_seconds: u64,
    reprompt_seconds: u64,
}

#[derive(Serialize)]
struct Voicemail<'a> {
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

#[derive(Serialize)]
struct WrittenStep<'a> {
    wait_for: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    digits: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    say: Option<&'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    replies: &'a BTreeMap<String, String>,
}

#[derive(Serialize)]
struct Target<'a> {
    name: &'a str,
    number: &'a str,
}

#[derive(Serialize)]
struct WrittenProvider<'a> {
    endpoint: &'a str,
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    credential: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_variable: Option<&'a str>,
}

#[derive(Serialize)]
struct Realtime<'a> {
    dialect: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    voice: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transcription_model: Option<&'a str>,
    #[serde(flatten)]
    provider: WrittenProvider<'a>,
}

#[derive(Serialize)]
struct Cascade<'a> {
    voice: &'a str,
    chat: WrittenProvider<'a>,
    transcription: WrittenProvider<'a>,
    speech: WrittenProvider<'a>,
}

/// Writes the file that describes an assistant.
pub fn write(assistant: &Assistant) -> String {
    let (conduct, limits) = (&assistant.conduct, assistant.limits);
    let mut written = Written {
        name: &assistant.name,
        team: assistant.team.as_deref(),
        language: assistant.language.as_str(),
        record: conduct.records,
        recording_notice: conduct.recording_notice.as_deref(),
        outcomes: &conduct.outcomes,
        limits: Limits {
            max_duration_seconds: limits.max_duration.as_secs(),
            silence_seconds: limits.silence.as_secs(),
            reprompt_seconds: limits.reprompt.as_secs(),
        },
        voicemail: conduct.voicemail.as_ref().map(|action| match action {
            OnVoicemail::HangUp => Voicemail { action: "hang-up", message: None },
            OnVoicemail::LeaveMessage(message) => {
                Voicemail { action: "leave-message", message: Some(message) }
            }
        }),
        variables: Some(&assistant.variables).filter(|all| !all.is_empty()),
        ..Written::default()
    };
    match &assistant.engine {
        Engine::Builtin(script) => written.script(script),
        Engine::Agent(agent) => written.agent(agent),
    }
    // Texts, numbers and tables of them can always be written.
    toml::to_string_pretty(&written).unwrap_or_default()
}

impl<'a> Written<'a> {
    fn script(&mut self, script: &'a Script) {
        self.engine = "builtin";
        self.first_message = Some(&script.first_message);
        self.closing_line = script.closing_line.as_deref();
        self.reprompt = script.reprompt.as_deref();
        self.steps = script.steps.iter().map(step).collect();
    }

    fn agent(&mut self, agent: &'a Agent) {
        let persona = &agent.persona;
        self.instructions = Some(&persona.instructions);
        self.first_message = persona.first_message.as_deref();
        self.fallback_line = persona.fallback_line.as_deref();
        self.tools = Some(persona.tools.iter().copied().map(Tool::as_str).collect());
        let targets = persona.transfer_targets.iter();
        self.transfer_targets =
            targets.map(|target| Target { name: &target.name, number: target.number.as_str() }).collect();
        match &agent.brain {
            Brain::Realtime(realtime) => {
                self.engine = "realtime";
                self.realtime = Some(Realtime {
                    dialect: realtime.dialect.as_str(),
                    voice: realtime.voice.as_deref(),
                    transcription_model: realtime.transcription_model.as_deref(),
                    provider: provider(&realtime.provider),
                });
            }
            Brain::Cascade(cascade) => {
                self.engine = "cascade";
                self.cascade = Some(Cascade {
                    voice: &cascade.voice,
                    chat: provider(&cascade.chat),
                    transcription: provider(&cascade.transcription),
                    speech: provider(&cascade.speech),
                });
            }
        }
    }
}

fn step(step: &Step) -> WrittenStep<'_> {
    let (wait_for, digits) = match step.wait_for {
        Awaited::Speech => ("speech", None),
        Awaited::Digits(digits) => ("digits", Some(digits)),
        Awaited::SpeechOrDigit => ("speech-or-digit", None),
    };
    WrittenStep { wait_for, digits, say: step.say.as_deref(), replies: &step.replies }
}

fn provider(provider: &Provider) -> WrittenProvider<'_> {
    let (credential, key_variable) = match &provider.key {
        ProviderKey::Credential(name) => (Some(name.as_str()), None),
        ProviderKey::Variable(name) => (None, Some(name.as_str())),
        ProviderKey::None | ProviderKey::Stored(_) => (None, None),
    };
    let endpoint = provider.endpoint.as_str();
    WrittenProvider { endpoint, model: &provider.model, credential, key_variable }
}
