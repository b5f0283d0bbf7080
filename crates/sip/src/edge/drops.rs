//! What was dropped at the edge: counted, and one line of the log a minute.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

/// Why something was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// It names nothing of ours and does not come from a peer.
    Stranger,
    /// No SIP message, or too long.
    Malformed,
    /// A peer asks more than the limits allow.
    PeerLimit,
    /// More messages of one dialog or transaction than the limits allow.
    DialogLimit,
    /// It came faster than it was worked off.
    QueueFull,
    /// A connection of an address that is no peer's.
    StrangerConnection,
    /// A connection beyond the limits.
    ConnectionLimit,
    /// A connection that sent nothing usable in time.
    IdleConnection,
}

/// How often each reason occurred since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DropCounts {
    /// [`DropReason::Stranger`].
    pub strangers: u64,
    /// [`DropReason::Malformed`].
    pub malformed: u64,
    /// [`DropReason::PeerLimit`].
    pub peer_limit: u64,
    /// [`DropReason::DialogLimit`].
    pub dialog_limit: u64,
    /// [`DropReason::QueueFull`].
    pub queue_full: u64,
    /// [`DropReason::StrangerConnection`].
    pub stranger_connections: u64,
    /// [`DropReason::ConnectionLimit`].
    pub connection_limit: u64,
    /// [`DropReason::IdleConnection`].
    pub idle_connections: u64,
}

/// The counters.
#[derive(Default)]
pub struct Drops {
    counts: [AtomicU64; 8],
    /// The source of the last one since the last line.
    example: Mutex<Option<(DropReason, SocketAddr)>>,
}

impl Drops {
    /// Counts one.
    pub fn count(&self, why: DropReason, from: SocketAddr) {
        if let Some(counter) = self.counts.get(place(why)) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        // In a flood any source will do: nothing waits here.
        if let Some(mut example) = self.example.try_lock() {
            *example = Some((why, from));
        }
    }

    /// What was counted so far.
    pub fn counts(&self) -> DropCounts {
        let of = |why| self.counts.get(place(why)).map_or(0, |counter| counter.load(Ordering::Relaxed));
        DropCounts {
            strangers: of(DropReason::Stranger),
            malformed: of(DropReason::Malformed),
            peer_limit: of(DropReason::PeerLimit),
            dialog_limit: of(DropReason::DialogLimit),
            queue_full: of(DropReason::QueueFull),
            stranger_connections: of(DropReason::StrangerConnection),
            connection_limit: of(DropReason::ConnectionLimit),
            idle_connections: of(DropReason::IdleConnection),
        }
    }

    /// Logs what was dropped since `before`, if anything was, and returns what is counted now.
    pub fn log_since(&self, before: DropCounts) -> DropCounts {
        let now = self.counts();
        if now != before {
            let (why, from): (Option<DropReason>, Option<IpAddr>) =
                self.example.lock().take().map(|(why, from)| (why, from.ip())).unzip();
            tracing::warn!(
                strangers = now.strangers - before.strangers,
                malformed = now.malformed - before.malformed,
                peer_limit = now.peer_limit - before.peer_limit,
                dialog_limit = now.dialog_limit - before.dialog_limit,
                queue_full = now.queue_full - before.queue_full,
                stranger_connections = now.stranger_connections - before.stranger_connections,
                connection_limit = now.connection_limit - before.connection_limit,
                idle_connections = now.idle_connections - before.idle_connections,
                last_from = from.map(tracing::field::display),
                last_because = why.map(tracing::field::debug),
                "SIP messages or connections were dropped"
            );
        }
        now
    }
}

const fn place(why: DropReason) -> usize {
    match why {
        DropReason::Stranger => 0,
        DropReason::Malformed => 1,
        DropReason::PeerLimit => 2,
        DropReason::DialogLimit => 3,
        DropReason::QueueFull => 4,
        DropReason::StrangerConnection => 5,
        DropReason::ConnectionLimit => 6,
        DropReason::IdleConnection => 7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_a_counter_of_its_own() {
        let (drops, from) = (Drops::default(), SocketAddr::from(([192, 0, 2, 1], 5060)));
        for (times, why) in [
            (1, DropReason::Stranger),
            (2, DropReason::Malformed),
            (3, DropReason::PeerLimit),
            (4, DropReason::DialogLimit),
            (5, DropReason::QueueFull),
            (6, DropReason::StrangerConnection),
            (7, DropReason::ConnectionLimit),
            (8, DropReason::IdleConnection),
        ] {
            (0..times).for_each(|_| drops.count(why, from));
        }
        let expected = DropCounts {
            strangers: 1,
            malformed: 2,
            peer_limit: 3,
            dialog_limit: 4,
            queue_full: 5,
            stranger_connections: 6,
            connection_limit: 7,
            idle_connections: 8,
        };
        assert_eq!(drops.log_since(DropCounts::default()), expected);
        assert_eq!(*drops.example.lock(), None, "each line has an example of its own time");
    }
}
