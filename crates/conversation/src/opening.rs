//! What a conversation begins with: the assistant, with its places filled.

use domain::assistant::{Assistant, Brain, Engine, Script, tool};
use domain::audio::AudioFormat;
use domain::ids::CallId;
use domain::ports::AgentSpec;
use domain::variables::{self, Variables};

use crate::spoken_text::plain;

/// What a conversation begins with.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// Who talks.
    pub assistant: &'a Assistant,
    /// The call's values; the assistant's own stand in for those that are missing.
    pub values: &'a Variables,
    /// The format of both directions.
    pub format: AudioFormat,
}

/// The values for an assistant's texts.
pub(crate) struct Filling(Variables);

impl Filling {
    pub(crate) fn new(assistant: &Assistant, values: &Variables) -> Self {
        let mut filling = assistant.variables.clone();
        filling.extend(values.iter().map(|(name, value)| (name.clone(), value.clone())));
        Self(filling)
    }

    /// A text with its places filled.
    pub(crate) fn text(&self, template: &str) -> String {
        variables::fill(template, &self.0)
    }

    /// Words to be spoken: filled, and without markup.
    pub(crate) fn words(&self, template: &str) -> String {
        plain(&self.text(template))
    }

    /// What is said before all else.
    pub(crate) fn notice(&self, assistant: &Assistant) -> Option<String> {
        let notice = assistant.conduct.recording_notice.as_ref().filter(|_| assistant.conduct.records)?;
        Some(self.words(notice)).filter(|words| !words.trim().is_empty())
    }
}

/// The session that an assistant's call needs, if it is an agent.
pub(crate) fn spec(assistant: &Assistant, values: &Variables, call: CallId) -> Option<AgentSpec> {
    let Engine::Agent(agent) = &assistant.engine else { return None };
    Some(AgentSpec {
        call,
        brain: agent.brain.clone(),
        instructions: Filling::new(assistant, values).text(&agent.persona.instructions),
        language: assistant.language,
        tools: tool::forms(&agent.persona, &assistant.conduct.outcomes),
    })
}

/// Whether speech and tones must be found in what is heard; else only the agent finds them.
pub(crate) fn needs_sound(assistant: &Assistant) -> bool {
    match &assistant.engine {
        Engine::Agent(agent) if matches!(agent.brain, Brain::Realtime(_)) => {
            let leaves_messages = agent.persona.tools.contains(&tool::Tool::LeaveVoicemail);
            assistant.conduct.voicemail.is_some() || leaves_messages
        }
        Engine::Agent(_) | Engine::Builtin(_) => true,
    }
}

/// The script, if it follows one.
pub(crate) fn script(assistant: &Assistant) -> Option<&Script> {
    match &assistant.engine {
        Engine::Builtin(script) => Some(script),
        Engine::Agent(_) => None,
    }
}
