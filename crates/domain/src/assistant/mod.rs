//! Voice assistants: which engine speaks, what it says, and how long it may.

mod agent;
mod conduct;
mod credential;
pub mod filling;
mod language;
mod provider;
mod script;
pub mod tool;

use std::time::Duration;

use time::OffsetDateTime;

pub use agent::{Agent, Brain, Cascade, Dialect, Persona, Realtime, TransferTarget};
pub use conduct::{Conduct, OnVoicemail};
pub use credential::{
    AllowedTenants, BoundKey, Credential, CredentialName, CredentialReference, CredentialRefused,
    Credentials, listed,
};
pub use language::Language;
pub use provider::{Provider, ProviderKey, ProviderRole};
pub use script::{Awaited, Script, Step};

use crate::ids::{AssistantId, OrganizationId, TenantId};
use crate::variables::Variables;

/// A voice assistant of an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assistant {
    /// Its identity.
    pub id: AssistantId,
    /// The tenant that it belongs to.
    pub tenant: TenantId,
    /// The organization that it works for.
    pub organization: OrganizationId,
    /// Its name, as call records show it.
    pub name: String,
    /// The team that owns it, if the organization has teams.
    pub team: Option<String>,
    /// What makes it speak.
    pub engine: Engine,
    /// The language of its lines, and so its voice.
    pub language: Language,
    /// When its calls end by themselves.
    pub limits: CallLimits,
    /// What it does on every call, whatever its engine.
    pub conduct: Conduct,
    /// The values of `{{variables}}` that a call does not bring.
    pub variables: Variables,
    /// When it was made.
    pub created_at: OffsetDateTime,
}

/// What makes an assistant speak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Built-in speech that follows a script; no AI and no recognition.
    Builtin(Script),
    /// An AI at the other end of a wire.
    Agent(Box<Agent>),
}

/// When a call ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallLimits {
    /// The longest connected time: 1 s to 4 h.
    pub max_duration: Duration,
    /// The assistant hangs up when nobody has spoken for so long: 1 s to 1 h.
    pub silence: Duration,
    /// The assistant asks again when the callee has been silent for so long: 1 s to 1 h.
    pub reprompt: Duration,
}

impl CallLimits {
    /// The longest `max_duration` that may be set.
    pub const LONGEST: Duration = Duration::from_hours(4);
}

impl Default for CallLimits {
    fn default() -> Self {
        Self {
            max_duration: Duration::from_mins(10),
            silence: Duration::from_secs(30),
            reprompt: Duration::from_secs(10),
        }
    }
}
