//! The names of what lives: the branches of our transactions, and the Call-IDs of our dialogs with
//! our tags. What names one of them passes from any address.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::admission::{Lookup, Standing};
use super::limits::{Bucket, Rate};

type Key = Arc<[u8]>;

/// What one dialog or transaction may receive: retransmissions and keys by INFO fit in, a peer that
/// floods its own call does not.
const MESSAGES: (u32, u32) = (20, 64);

/// The re-INVITEs among them, each of which may wait 32 s for its ACK.
const INVITES: (u32, u32) = (1, 8);

/// The names of what lives.
pub struct Live {
    names: Mutex<Names>,
    linger: Duration,
    messages: Rate,
    invites: Rate,
}

#[derive(Default)]
struct Names {
    dialogs: HashMap<Key, Entry>,
    branches: HashMap<Key, Entry>,
    /// What ended, in the order of its end, and when it is forgotten.
    ended: VecDeque<(Instant, Kind, Key)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Dialog,
    Branch,
}

struct Entry {
    /// Our tag; nothing for a branch.
    tag: Key,
    references: usize,
    forgotten_at: Option<Instant>,
    messages: Bucket,
    invites: Bucket,
}

impl Live {
    /// Names that are known for `linger` beyond their end, because a retransmission may still come
    /// (64 × T1 in RFC 3261 §17).
    pub fn new(linger: Duration) -> Arc<Self> {
        Arc::new(Self {
            names: Mutex::default(),
            linger,
            messages: Rate::new(MESSAGES.0, MESSAGES.1),
            invites: Rate::new(INVITES.0, INVITES.1),
        })
    }

    /// A dialog, or a call that may become one.
    pub fn register_dialog(self: &Arc<Self>, call_id: &str, local_tag: &str) -> LiveName {
        self.enter(Kind::Dialog, call_id.trim().as_bytes(), local_tag.as_bytes())
    }

    /// A transaction of ours.
    pub fn register_transaction(self: &Arc<Self>, branch: &str) -> LiveName {
        self.enter(Kind::Branch, branch.as_bytes(), &[])
    }

    /// How many names are known.
    pub fn len(&self) -> usize {
        let names = self.names.lock();
        names.dialogs.len() + names.branches.len()
    }

    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn enter(self: &Arc<Self>, kind: Kind, key: &[u8], tag: &[u8]) -> LiveName {
        let mut names = self.names.lock();
        names.forget(Instant::now());
        let entries = names.of(kind);
        let key: Key = match entries.get_key_value(key) {
            Some((known, _)) => known.clone(),
            None => key.into(),
        };
        let entry = entries.entry(key.clone()).or_insert_with(|| Entry {
            tag: tag.into(),
            references: 0,
            forgotten_at: None,
            messages: Bucket::default(),
            invites: Bucket::default(),
        });
        if *entry.tag != *tag {
            entry.tag = tag.into();
        }
        entry.references += 1;
        entry.forgotten_at = None;
        LiveName { live: self.clone(), kind, key }
    }
}

impl Names {
    fn of(&mut self, kind: Kind) -> &mut HashMap<Key, Entry> {
        match kind {
            Kind::Dialog => &mut self.dialogs,
            Kind::Branch => &mut self.branches,
        }
    }

    fn forget(&mut self, now: Instant) {
        while let Some((_, kind, key)) = self.ended.pop_front_if(|(at, ..)| *at <= now) {
            let entries = self.of(kind);
            // It may have been entered again, and ended again, since.
            if entries.get(&key).is_some_and(|entry| entry.forgotten_at.is_some_and(|at| at <= now)) {
                entries.remove(&key);
            }
        }
    }
}

impl Lookup for Live {
    fn transaction(&self, branch: &[u8], now: Instant) -> Standing {
        let mut names = self.names.lock();
        let Some(entry) = names.branches.get_mut(branch) else { return Standing::Unknown };
        Standing::within(entry.messages.take(self.messages, now))
    }

    fn dialog(&self, call_id: &[u8], local_tag: &[u8], is_invite: bool, now: Instant) -> Standing {
        let mut names = self.names.lock();
        let entry = names.dialogs.get_mut(call_id).filter(|entry| *entry.tag == *local_tag);
        let Some(entry) = entry else { return Standing::Unknown };
        // INVITEs that are refused here leave the rate to what ends the call.
        let within =
            (!is_invite || entry.invites.take(self.invites, now)) && entry.messages.take(self.messages, now);
        Standing::within(within)
    }
}

/// Keeps a name alive; it ends when the last reference is dropped.
pub struct LiveName {
    live: Arc<Live>,
    kind: Kind,
    key: Key,
}

impl Drop for LiveName {
    fn drop(&mut self) {
        let now = Instant::now();
        let forgotten_at = now + self.live.linger;
        let mut names = self.live.names.lock();
        names.forget(now);
        let Some(entry) = names.of(self.kind).get_mut(&self.key) else { return };
        entry.references = entry.references.saturating_sub(1);
        if entry.references == 0 {
            entry.forgotten_at = Some(forgotten_at);
            names.ended.push_back((forgotten_at, self.kind, self.key.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINGER: Duration = Duration::from_secs(32);

    #[tokio::test(start_paused = true)]
    async fn a_name_is_known_while_it_lives_and_a_while_after() {
        let live = Live::new(LINGER);
        let dialog = live.register_dialog("id@h", "ours");
        let (invite, cancel) = (live.register_transaction("z9hG4bK1"), live.register_transaction("z9hG4bK1"));
        let dialog_stands = |tag: &str| live.dialog(b"id@h", tag.as_bytes(), false, Instant::now());
        assert_eq!(dialog_stands("ours"), Standing::Live);
        assert_eq!(dialog_stands("theirs"), Standing::Unknown);
        assert_eq!(live.transaction(b"z9hG4bK2", Instant::now()), Standing::Unknown);

        drop((dialog, invite));
        tokio::time::advance(LINGER / 2).await;
        drop(cancel);
        assert_eq!(dialog_stands("ours"), Standing::Live);
        tokio::time::advance(LINGER / 2).await;
        let other = live.register_transaction("z9hG4bK3");
        assert_eq!(dialog_stands("ours"), Standing::Unknown);
        assert_eq!(live.transaction(b"z9hG4bK1", Instant::now()), Standing::Live);
        tokio::time::advance(LINGER / 2).await;
        drop(other);
        assert_eq!(live.len(), 1, "only what ended last is still known");
        assert!(!live.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_name_that_is_entered_again_outlives_its_first_end() {
        let live = Live::new(LINGER);
        drop(live.register_dialog("id", "tag"));
        tokio::time::advance(LINGER / 2).await;
        let again = live.register_dialog("id", "tag");
        tokio::time::advance(LINGER).await;
        drop(live.register_dialog("other", "tag"));
        assert_eq!(live.dialog(b"id", b"tag", false, Instant::now()), Standing::Live);
        drop(again);
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_floods_its_own_call_is_slowed_down_alone() {
        let live = Live::new(LINGER);
        let _names = (
            live.register_dialog("one", "t"),
            live.register_dialog("two", "t"),
            live.register_transaction("b"),
        );
        let now = Instant::now();
        let within =
            |invite| (0..20_000).filter(|_| live.dialog(b"one", b"t", invite, now) == Standing::Live).count();
        assert_eq!(within(true), 8);
        assert_eq!(within(false), 64 - 8);
        assert_eq!(live.dialog(b"one", b"t", false, now), Standing::Overrun);
        assert_eq!(live.dialog(b"two", b"t", false, now), Standing::Live);
        assert_eq!(live.transaction(b"b", now), Standing::Live);
    }
}
