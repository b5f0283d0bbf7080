//! What a user does once at a time in this process, and what one after the other.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use domain::ids::UserId;
use tokio::sync::OwnedMutexGuard;
use tokio::time::timeout;

/// Nobody waits longer for their turn: whoever asks for more at a time is told to come back.
const PATIENCE: Duration = Duration::from_secs(5);

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

/// What each user has under way, and waits for.
#[derive(Default)]
pub(crate) struct Queues(Mutex<HashMap<UserId, Weak<tokio::sync::Mutex<()>>>>);

impl Queues {
    /// The user's turn until it is dropped, as soon as theirs before it have ended; none when that takes
    /// too long.
    pub(crate) async fn turn(&self, user: UserId) -> Option<OwnedMutexGuard<()>> {
        timeout(PATIENCE, self.of(user).lock_owned()).await.ok()
    }

    fn of(&self, user: UserId) -> Arc<tokio::sync::Mutex<()>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, own| own.strong_count() > 0);
        if let Some(own) = all.get(&user).and_then(Weak::upgrade) {
            return own;
        }
        let own = Arc::default();
        all.insert(user, Arc::downgrade(&own));
        own
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_user_waits_for_their_own_turns_alone_and_not_for_ever() {
        let queues = Queues::default();
        let [one, other] = [1, 2].map(|id| UserId::from_uuid(Uuid::from_u128(id)));
        let turn = queues.turn(one).await;
        assert!(turn.is_some() && queues.turn(other).await.is_some());
        assert!(queues.turn(one).await.is_none());
        let (next, ()) = tokio::join!(queues.turn(one), async { drop(turn) });
        assert!(next.is_some());
        drop(queues.turn(other).await);
        drop(next);
        queues.turn(other).await.unwrap();
        assert_eq!(queues.0.lock().unwrap().len(), 1);
    }
}
