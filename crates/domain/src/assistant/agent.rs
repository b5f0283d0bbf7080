//! Assistants that are an AI: who it plays, and which providers it is made of.

use std::collections::BTreeSet;
use std::fmt;

use super::provider::Provider;
use super::tool::Tool;
use crate::number::E164;

/// An AI assistant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Who it plays.
    pub persona: Persona,
    /// What makes it think, hear and speak.
    pub brain: Brain,
}

/// Who an AI assistant plays; texts may hold `{{variables}}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Persona {
    /// What the model is told of its task.
    pub instructions: String,
    /// Said when the callee answers; without it the assistant lets the callee speak first.
    pub first_message: Option<String>,
    /// Said by the built-in voice when the provider fails; a line of the language's own when absent.
    pub fallback_line: Option<String>,
    /// What it may do besides speaking.
    pub tools: BTreeSet<Tool>,
    /// Whom it may hand a call to: the model names one of these and never dials a number of its own.
    pub transfer_targets: Vec<TransferTarget>,
}

/// Somebody whom an assistant may hand a call to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferTarget {
    /// How the model names it, e.g. `reception`.
    pub name: String,
    /// The number that the trunk is asked to connect.
    pub number: E164,
}

/// What makes an AI assistant think, hear and speak.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there is one a call, and an agent is boxed as a whole")]
pub enum Brain {
    /// One model from speech to speech.
    Realtime(Realtime),
    /// Recognition, a language model, and a voice, one after the other.
    Cascade(Cascade),
}

/// A speech-to-speech model behind the Realtime protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Realtime {
    /// Where it is and how we are let in; the endpoint is `ws` or `wss`.
    pub provider: Provider,
    /// How the provider speaks the protocol.
    pub dialect: Dialect,
    /// The provider's voice; its own default when absent.
    pub voice: Option<String>,
    /// The model that writes down what the callee says; without it the transcript holds no words of his.
    pub transcription_model: Option<String>,
}

/// Three services behind `OpenAI`'s HTTP endpoints; endpoints are bases such as `https://host/v1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cascade {
    /// `chat/completions`.
    pub chat: Provider,
    /// `audio/transcriptions`.
    pub transcription: Provider,
    /// `audio/speech`.
    pub speech: Provider,
    /// The voice that `audio/speech` is asked for.
    pub voice: String,
}

/// How a provider speaks the Realtime protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The protocol as published.
    OpenAi,
    /// Its own path, with a deployment for a model, and `api-key`.
    Azure,
    /// `voice` and `turn_detection` at the top of `session`.
    XAi,
    /// PCM only.
    LocalAi,
    /// As published, served locally; no `type` on sessions is insisted on.
    Speaches,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 5] = [Self::OpenAi, Self::Azure, Self::XAi, Self::LocalAi, Self::Speaches];

    /// The dialect's written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Azure => "azure",
            Self::XAi => "xai",
            Self::LocalAi => "localai",
            Self::Speaches => "speaches",
        }
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.as_str() == text)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
