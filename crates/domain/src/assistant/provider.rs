//! The services of AI providers that an assistant is made of, and what opens their doors.

use url::Url;

use super::{Agent, Assistant, BoundKey, Brain, CredentialName, Engine};
use crate::network::Origin;
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
    /// A key that is kept encrypted, for one origin.
    Stored(BoundKey),
    /// A credential of the operator.
    Credential(CredentialName),
    /// The credential of the operator whose key is in this environment variable.
    Variable(String),
}

impl Provider {
    /// Stores a key for the origin of the endpoint, or forgets whatever key there is.
    fn set_key(&mut self, key: Option<&Secret<String>>) {
        let bound = key.zip(Origin::of(&self.endpoint));
        self.key = bound.map_or(ProviderKey::None, |(key, origin)| {
            ProviderKey::Stored(BoundKey::new(key.clone(), origin))
        });
    }
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
            let Some((_, Provider { key: ProviderKey::Stored(key), .. })) = before else { continue };
            if provider.key == ProviderKey::None && key.for_endpoint(&provider.endpoint).is_ok() {
                provider.key = ProviderKey::Stored(key.clone());
            }
        }
    }

    /// The providers that had a stored key in `earlier` and have no key any more.
    pub fn keys_lost_since(&self, earlier: &Self) -> Vec<ProviderRole> {
        let had_stored = |role: ProviderRole| {
            let mut before = earlier.providers().into_iter();
            before.any(|(own, provider)| own == role && matches!(provider.key, ProviderKey::Stored(_)))
        };
        let without = self.providers().into_iter().filter(|(_, own)| own.key == ProviderKey::None);
        without.map(|(role, _)| role).filter(|role| had_stored(*role)).collect()
    }

    /// Stores a key for one of its providers, or for all of them, each for the origin of its own
    /// endpoint; without a key, forgets what they have. Returns `false` when it has no such provider.
    pub fn set_provider_key(&mut self, role: Option<ProviderRole>, key: Option<&Secret<String>>) -> bool {
        let Engine::Agent(agent) = &mut self.engine else { return false };
        let Agent { brain, .. } = agent.as_mut();
        let mut found = false;
        for (own, provider) in brain.providers_mut() {
            if role.is_none_or(|role| role == own) {
                provider.set_key(key);
                found = true;
            }
        }
        found
    }
}
