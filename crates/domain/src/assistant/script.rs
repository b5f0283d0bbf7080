//! The script of the built-in engine.

use std::collections::BTreeMap;

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
