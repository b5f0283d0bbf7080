//! What a conversation begins with: the assistant, with its places filled.

use domain::assistant::filling::Filling;
use domain::assistant::tool::Tool;
use domain::assistant::{Assistant, Brain, Engine, OnVoicemail, tool};
use domain::audio::AudioFormat;
use domain::call::outcome;
use domain::ids::CallId;
use domain::ports::{AgentSpec, Detects};

use domain::spoken::speakable;

use crate::fallback;
use crate::lines::Lines;
use crate::script::Recital;

/// What a conversation begins with.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// Who talks.
    pub assistant: &'a Assistant,
    /// The values of its texts.
    pub filling: &'a Filling,
    /// The format of both directions.
    pub format: AudioFormat,
}

/// What is said on a call, in words.
#[derive(Clone, Copy)]
pub(crate) struct Wording<'a>(pub(crate) &'a Filling);

impl Wording<'_> {
    /// Words to be spoken: filled, and without markup.
    pub(crate) fn words(self, template: &str) -> String {
        speakable(&self.0.text(template))
    }

    /// What is said before all else.
    pub(crate) fn notice(self, assistant: &Assistant) -> Option<String> {
        let notice = assistant.conduct.recording_notice.as_ref().filter(|_| assistant.conduct.records)?;
        Some(self.words(notice)).filter(|words| !words.is_empty())
    }

    /// What is done when a machine answers.
    pub(crate) fn voicemail(self, assistant: &Assistant) -> Option<OnVoicemail> {
        Some(match assistant.conduct.voicemail.as_ref()? {
            OnVoicemail::HangUp => OnVoicemail::HangUp,
            OnVoicemail::LeaveMessage(text) => OnVoicemail::LeaveMessage(self.words(text)),
        })
    }

    /// What the built-in voice says when an agent is lost.
    pub(crate) fn fallback(self, assistant: &Assistant) -> String {
        let own = match &assistant.engine {
            Engine::Agent(agent) => agent.persona.fallback_line.as_deref(),
            Engine::Builtin(_) => None,
        };
        let own = own.map(|line| self.words(line)).filter(|line| !line.is_empty());
        own.unwrap_or_else(|| fallback::line(assistant.language).to_owned())
    }
}

/// The session that an assistant's call needs, if it is an agent.
pub(crate) fn spec(assistant: &Assistant, filling: &Filling, call: CallId) -> Option<AgentSpec> {
    let Engine::Agent(agent) = &assistant.engine else { return None };
    let outcomes = outcome::nameable(&assistant.conduct.outcomes).into_iter().map(str::to_owned);
    let outcomes: Vec<String> = outcomes.collect();
    Some(AgentSpec {
        call,
        tenant: assistant.tenant,
        brain: agent.brain.clone(),
        instructions: filling.text(&agent.persona.instructions),
        language: assistant.language,
        tools: tool::forms(&agent.persona, &outcomes),
    })
}

/// What must be found in the sound that is heard.
pub(crate) fn detects(assistant: &Assistant) -> Detects {
    let (hears_itself, leaves_messages) = match &assistant.engine {
        Engine::Agent(agent) => {
            let tools = &agent.persona.tools;
            (matches!(agent.brain, Brain::Realtime(_)), tools.contains(&Tool::LeaveVoicemail))
        }
        Engine::Builtin(_) => (false, false),
    };
    let tones = assistant.conduct.voicemail.is_some() || leaves_messages;
    Detects { speech: tones || !hears_itself, tones }
}

/// Every line of the built-in voice that may be said.
pub(crate) fn lines(assistant: &Assistant, filling: &Filling) -> Vec<String> {
    let wording = Wording(filling);
    let mut lines = match &assistant.engine {
        Engine::Builtin(script) => Recital::lines(script, wording, wording.notice(assistant)),
        Engine::Agent(_) => {
            let mut lines = Lines::default();
            lines.add(wording.fallback(assistant));
            lines
        }
    };
    if let Some(OnVoicemail::LeaveMessage(text)) = wording.voicemail(assistant) {
        lines.add(text);
    }
    lines.into_texts()
}
