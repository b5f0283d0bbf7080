//! The tools that the agent uses, one after the other, each when its words have been heard.

use std::collections::VecDeque;
use std::time::Duration;

use domain::assistant::TransferTarget;
use domain::audio::Digit;

use crate::moment::Millis;

/// How long a key is pressed.
pub(crate) const KEY: Duration = Duration::from_millis(160);
/// The pause after it.
const KEY_PAUSE: Duration = Duration::from_millis(100);
/// So many uses wait at most; others are refused.
const MOST_WAITING: usize = 8;

/// A tool that is being used, or waits for its turn.
#[derive(Debug)]
pub(crate) struct Use {
    /// The provider's name for it.
    pub(crate) id: String,
    pub(crate) deed: Deed,
}

#[derive(Debug)]
pub(crate) enum Deed {
    EndCall {
        /// What the model says that the call came to, if the call ends so.
        outcome: Option<String>,
    },
    Transfer {
        target: TransferTarget,
        /// When the trunk was asked.
        asked: Option<Millis>,
    },
    Press(Keys),
}

/// Keys on their way to the callee.
#[derive(Debug)]
pub(crate) struct Keys {
    left: VecDeque<Digit>,
    pressed: String,
    began: Millis,
    next_at: Millis,
}

impl Keys {
    pub(crate) fn new(keys: Vec<Digit>) -> Self {
        Self { left: keys.into(), pressed: String::new(), began: Millis::ANSWER, next_at: Millis::ANSWER }
    }

    /// The key that is to be pressed now.
    pub(crate) fn next(&mut self, now: Millis) -> Option<Digit> {
        if now < self.next_at {
            return None;
        }
        let digit = self.left.pop_front()?;
        if self.pressed.is_empty() {
            self.began = now;
        }
        self.pressed.push(digit.as_char());
        self.next_at = now + (KEY + KEY_PAUSE);
        Some(digit)
    }

    pub(crate) fn is_done(&self, now: Millis) -> bool {
        self.left.is_empty() && now >= self.next_at
    }

    /// Which keys were pressed, and since when.
    pub(crate) fn pressed(&self) -> Option<(Millis, &str)> {
        (!self.pressed.is_empty()).then_some((self.began, self.pressed.as_str()))
    }
}

/// Tools in use.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    uses: VecDeque<Use>,
}

impl Uses {
    /// Takes a use, if there is room.
    pub(crate) fn push(&mut self, id: String, deed: Deed) -> Result<(), String> {
        if self.uses.len() >= MOST_WAITING {
            return Err(id);
        }
        self.uses.push_back(Use { id, deed });
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.uses.is_empty()
    }

    pub(crate) fn front(&mut self) -> Option<&mut Use> {
        self.uses.front_mut()
    }

    /// The first is done.
    pub(crate) fn done(&mut self) -> Option<Use> {
        self.uses.pop_front()
    }

    /// Whether keys are being pressed.
    pub(crate) fn is_pressing(&self) -> bool {
        let begun = |one: &Use| matches!(&one.deed, Deed::Press(keys) if keys.pressed().is_some());
        self.uses.front().is_some_and(begun)
    }

    /// Whether the trunk was asked to hand the call over.
    pub(crate) fn is_transferring(&self) -> bool {
        let asked = |one: &Use| matches!(one.deed, Deed::Transfer { asked: Some(_), .. });
        self.uses.front().is_some_and(asked)
    }

    /// Takes those that would end the call or hand it over, unless the trunk was asked already.
    pub(crate) fn cancel_leaving(&mut self) -> Vec<Use> {
        let leaves =
            |one: &Use| matches!(one.deed, Deed::EndCall { .. } | Deed::Transfer { asked: None, .. });
        let (leaving, staying) = std::mem::take(&mut self.uses).into_iter().partition(leaves);
        self.uses = staying;
        Vec::from(leaving)
    }

    /// Takes all.
    pub(crate) fn cancel_all(&mut self) -> VecDeque<Use> {
        std::mem::take(&mut self.uses)
    }
}
