//! The keys that the callee presses, until they make a word for the agent.

use std::time::Duration;

use domain::audio::Digit;

use crate::moment::Millis;

/// So long after the last key the callee is done.
const DONE_AFTER: Duration = Duration::from_secs(2);
/// So many keys make a word at most.
const MOST_KEYS: usize = 32;

/// Keys that the agent was not told of.
#[derive(Debug, Default)]
pub(crate) struct Keypad {
    keys: String,
    last: Millis,
}

impl Keypad {
    pub(crate) fn press(&mut self, now: Millis, digit: Digit) {
        self.keys.push(digit.as_char());
        self.last = now;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys, once the callee is done: he paused, or ended with `#`.
    pub(crate) fn take(&mut self, now: Millis) -> Option<String> {
        let complete = self.keys.ends_with('#') || self.keys.len() >= MOST_KEYS;
        let done = !self.keys.is_empty() && (complete || now.since(self.last) >= DONE_AFTER);
        done.then(|| std::mem::take(&mut self.keys))
    }
}
