//! What a phone does with a call: whether it answers, and what it does then.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use domain::audio::Digit;

use crate::sound::Sound;

/// How a call is received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// Answers (200) so long after the INVITE, with a 180 before when `ringing`.
    Answer {
        /// From the INVITE to the answer.
        after: Duration,
        /// Whether the caller is told that it rings.
        ringing: bool,
    },
    /// Rings (180) until the caller gives up (CANCEL, 487).
    NeverAnswer,
    /// 486 Busy Here.
    Busy,
    /// 603 Decline.
    Decline,
    /// Another refusal.
    Reject {
        /// Status code, 300–699.
        code: u16,
        /// Reason phrase.
        phrase: String,
    },
}

impl Default for Behaviour {
    fn default() -> Self {
        Self::Answer { after: Duration::from_secs(1), ringing: true }
    }
}

/// One thing that the phone does on an answered call; times are rounded up to 20 ms.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Waits so long.
    Wait(Duration),
    /// Waits until the other side has spoken and then been silent for `quiet`, but for `at_most`.
    Listen {
        /// How long a pause ends what the other side says.
        quiet: Duration,
        /// When to go on although nobody spoke, or nobody stopped.
        at_most: Duration,
    },
    /// Makes a sound, to its end.
    Say(Sound),
    /// Presses keys one after the other (RFC 4733).
    Press(Vec<Digit>),
    /// Hangs up.
    HangUp,
}

impl Action {
    /// The usual patience: a pause of 700 ms is the end of a turn, and half a minute is enough.
    pub const LISTEN: Self =
        Self::Listen { quiet: Duration::from_millis(700), at_most: Duration::from_secs(30) };
}

/// What becomes of a caller's wish to have the phone connected with somebody else (REFER).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transfers {
    /// Accepted, and the target answers: the phone only says so, nobody is called.
    #[default]
    Accept,
    /// Accepted, but the target is busy.
    Fail,
    /// 603 Decline.
    Refuse,
}

impl Transfers {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::Accept, Self::Fail, Self::Refuse];

    /// The written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Fail => "fail",
            Self::Refuse => "refuse",
        }
    }
}

/// Everything that happens to one call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallScript {
    /// How it is received.
    pub behaviour: Behaviour,
    /// Whether the ringing is heard: a 183 with SDP and a ringback tone instead of a 180.
    pub early_media: bool,
    /// What is done once the answer is acknowledged, in order.
    pub actions: Vec<Action>,
    /// Where to record what is heard: a folder for one WAV a call, or a file name; an existing file
    /// is never overwritten.
    pub record: Option<PathBuf>,
    /// What becomes of transfers.
    pub transfers: Transfers,
    /// Hangs up so long after the answer, whatever is going on.
    pub hang_up_after: Option<Duration>,
}

impl CallScript {
    /// Receives the call so, and does nothing more.
    pub fn that(behaviour: Behaviour) -> Self {
        Self { behaviour, ..Self::default() }
    }

    /// Answers at once, without ringing.
    pub fn answering() -> Self {
        Self::that(Behaviour::Answer { after: Duration::ZERO, ringing: false })
    }

    /// The same, with these actions.
    #[must_use]
    pub fn then(mut self, actions: impl IntoIterator<Item = Action>) -> Self {
        self.actions.extend(actions);
        self
    }
}

/// Which script a call gets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scripts {
    /// For numbers without one of their own.
    pub default: CallScript,
    /// By the user part of the Request-URI, with or without its `+`.
    pub by_number: HashMap<String, CallScript>,
}

impl From<CallScript> for Scripts {
    fn from(default: CallScript) -> Self {
        Self { default, by_number: HashMap::new() }
    }
}
