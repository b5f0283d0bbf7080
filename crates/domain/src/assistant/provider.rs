//! The services of AI providers that an assistant is made of, and what opens their doors.

use url::Url;

use super::{Agent, Assistant, Brain, Engine};
use crate::secret::Secret;

/// One service of an AI provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Its address; it goes through the address guard at each connection.
    pub endpoint: Url,
    /// The model asked for.
    pub model: String,
    /// How we are let in.
    pub key: ProviderKey,
}

/// What opens a provider's door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderKey {
    /// Nothing.
    None,
    /// A key that is kept encrypted.
    Stored(Secret<String>),
    /// An environment variable, which the operator's allow-list must name.
    Variable(String),
}

/// What an assistant needs a provider for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProviderRole {
    /// Everything, from speech to speech.
    Realtime,
    /// Thinking.
    Chat,
    /// Hearing.
    Transcription,
    /// Speaking.
    Speech,
}

impl ProviderRole {
    /// Every role.
    pub const ALL: [Self; 4] = [Self::Realtime, Self::Chat, Self::Transcription, Self::Speech];

    /// The name that assistant files and the command line use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Realtime => "realtime",
            Self::Chat => "chat",
            Self::Transcription => "transcription",
            Self::Speech => "speech",
        }
    }

    /// Reads the name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }
}

impl Brain {
    /// Every provider that it is made of.
    pub fn providers(&self) -> Vec<(ProviderRole, &Provider)> {
        match self {
            Self::Realtime(realtime) => vec![(ProviderRole::Realtime, &realtime.provider)],
            Self::Cascade(cascade) => vec![
                (ProviderRole::Chat, &cascade.chat),
                (ProviderRole::Transcription, &cascade.transcription),
                (ProviderRole::Speech, &cascade.speech),
            ],
        }
    }

    /// The same, to change them.
    fn providers_mut(&mut self) -> Vec<(ProviderRole, &mut Provider)> {
        match self {
            Self::Realtime(realtime) => vec![(ProviderRole::Realtime, &mut realtime.provider)],
            Self::Cascade(cascade) => vec![
                (ProviderRole::Chat, &mut cascade.chat),
                (ProviderRole::Transcription, &mut cascade.transcription),
                (ProviderRole::Speech, &mut cascade.speech),
            ],
        }
    }
}

impl Assistant {
    /// Every provider that it is made of; a script has none.
    pub fn providers(&self) -> Vec<(ProviderRole, &Provider)> {
        match &self.engine {
            Engine::Builtin(_) => Vec::new(),
            Engine::Agent(agent) => agent.brain.providers(),
        }
    }

    /// Takes the place of `earlier`: whose it is and when it was made stay as they were, and a
    /// provider that comes without a key keeps the stored one, as long as it is at the same origin.
    /// A stored key never follows an endpoint to another host, where it would be told to strangers.
    pub fn succeed(&mut self, earlier: &Self) {
        (self.id, self.tenant, self.organization) = (earlier.id, earlier.tenant, earlier.organization);
        self.created_at = earlier.created_at;
        let Engine::Agent(agent) = &mut self.engine else { return };
        for (role, provider) in agent.brain.providers_mut() {
            let before = earlier.providers().into_iter().find(|(own, _)| *own == role);
            let Some((_, before)) = before else { continue };
            let stored = matches!(before.key, ProviderKey::Stored(_));
            if stored
                && provider.key == ProviderKey::None
                && provider.endpoint.origin() == before.endpoint.origin()
            {
                provider.key = before.key.clone();
            }
        }
    }

    /// Gives one of its providers, or all of them, this key; false when it has no such provider.
    pub fn set_provider_key(&mut self, role: Option<ProviderRole>, key: &ProviderKey) -> bool {
        let Engine::Agent(agent) = &mut self.engine else { return false };
        let Agent { brain, .. } = agent.as_mut();
        let mut found = false;
        for (own, provider) in brain.providers_mut() {
            if role.is_none_or(|role| role == own) {
                provider.key = key.clone();
                found = true;
            }
        }
        found
    }
}
