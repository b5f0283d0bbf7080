//! What a user may do once at a time in this process.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use domain::ids::UserId;

/// Who is at it.
#[derive(Clone, Default)]
pub(crate) struct Turns(Arc<Mutex<HashSet<UserId>>>);

/// A user's turn, until it is dropped.
pub(crate) struct Turn {
    turns: Turns,
    user: UserId,
}

impl Turns {
    /// The user's turn; none while they have it already.
    pub(crate) fn take(&self, user: UserId) -> Option<Turn> {
        let free = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(user);
        free.then(|| Turn { turns: self.clone(), user })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.user);
    }
}
