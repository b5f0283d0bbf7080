//! Voice assistants: which engine speaks, what it says, and how long it may.

use std::collections::BTreeMap;
use std::time::Duration;

use time::OffsetDateTime;

use crate::ids::{AssistantId, OrganizationId, TenantId};

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
    /// When it was made.
    pub created_at: OffsetDateTime,
}

/// What makes an assistant speak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Built-in speech that follows a script; no AI and no recognition.
    Builtin(Script),
}

/// What the built-in engine says and waits for; lines may hold `{{variables}}`.
///
/// The first message comes first; then each step waits and speaks in turn; then comes the closing
/// line, and the assistant hangs up. A script without steps and without a closing line never ends
/// by itself: the assistant listens until the callee hangs up or a limit ends the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Said when the callee answers.
    pub first_message: String,
    /// What follows, in order.
    pub steps: Vec<Step>,
    /// Said before hanging up.
    pub closing_line: Option<String>,
    /// Said after a silence of `CallLimits::reprompt`; the last line is repeated when absent.
    pub reprompt: Option<String>,
}

impl Script {
    /// Whether the assistant hangs up by itself when everything is said.
    pub fn ends_by_itself(&self) -> bool {
        self.closing_line.is_some() || !self.steps.is_empty()
    }
}

/// One exchange: wait for the callee, then say something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What the callee must do before the script goes on.
    pub wait_for: Awaited,
    /// Lines for particular keys, by the keys pressed (e.g. `1`).
    pub replies: BTreeMap<String, String>,
    /// Said when no reply matches the keys, and after speech; nothing is said when absent.
    pub say: Option<String>,
}

/// What a step waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The callee spoke and then paused.
    Speech,
    /// So many keys (1–32), or fewer ended by `#`.
    Digits(u8),
    /// Speech or one key, whichever comes first.
    SpeechOrDigit,
}

/// A language with a built-in voice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// `en-US`
    EnglishUnitedStates,
    /// `en-GB`
    EnglishGreatBritain,
    /// `fr-FR`
    French,
    /// `de-DE`
    German,
    /// `es-ES`
    Spanish,
    /// `it-IT`
    Italian,
}

impl Language {
    /// Every language that can be chosen.
    pub const ALL: [Self; 6] = [
        Self::EnglishUnitedStates,
        Self::EnglishGreatBritain,
        Self::French,
        Self::German,
        Self::Spanish,
        Self::Italian,
    ];

    /// The BCP 47 tag.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EnglishUnitedStates => "en-US",
            Self::EnglishGreatBritain => "en-GB",
            Self::French => "fr-FR",
            Self::German => "de-DE",
            Self::Spanish => "es-ES",
            Self::Italian => "it-IT",
        }
    }

    /// Reads a BCP 47 tag from the list.
    pub fn parse(tag: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == tag)
    }
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
