//! What requests with an idempotency key were answered with, in memory.

use std::collections::HashMap;

use time::OffsetDateTime;

use crate::idempotency::{Earlier, IdempotencyKey, LIFETIME, Once};
use crate::scope::Scope;

/// The answers of one operation: equal keys of another one are other keys.
pub(super) struct Answers<T>(HashMap<(Scope, IdempotencyKey), Kept<T>>);

struct Kept<T> {
    fingerprint: [u8; 32],
    at: OffsetDateTime,
    answer: T,
}

impl<T> Default for Answers<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T: Clone> Answers<T> {
    /// What an earlier request left that is not too long ago at `now`.
    pub(super) fn earlier(&self, once: &Once, now: OffsetDateTime) -> Option<Earlier<T>> {
        let kept = self.0.get(&(once.scope, once.key.clone()))?;
        if kept.at < now - LIFETIME {
            return None;
        }
        let same = kept.fingerprint == once.fingerprint;
        Some(if same { Earlier::Same(kept.answer.clone()) } else { Earlier::Different })
    }

    /// Keeps what a request is answered with.
    pub(super) fn keep(&mut self, once: Once, at: OffsetDateTime, answer: T) {
        self.0.insert((once.scope, once.key), Kept { fingerprint: once.fingerprint, at, answer });
    }

    /// Forgets what was kept before `before`.
    pub(super) fn forget(&mut self, before: OffsetDateTime) {
        self.0.retain(|_, kept| kept.at >= before);
    }
}
