//! When what happened to each call: written from any thread, read at the end.

use std::net::SocketAddr;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::figure::Spread;

/// A moment in a call's life.
#[derive(Clone, Copy)]
pub(crate) enum Moment {
    /// Its HTTP request was sent.
    Requested,
    /// Its INVITE arrived at the peer.
    Invited,
    /// The peer sent BYE.
    HungUp,
    /// Its callback arrived whole at the receiver.
    CalledBack,
    /// The last packet with speech of a turn left the callee.
    Said,
    /// That speech was at the provider.
    Reached,
    /// The provider sent the first sound of its answer.
    Answered,
    /// The packet with it was at the callee.
    Heard,
}

/// How many moments there are.
const MOMENTS: usize = 8;

/// One row a call, or a turn.
pub(crate) struct Board {
    epoch: Instant,
    rows: Vec<[AtomicU64; MOMENTS]>,
    /// Where the server's SIP comes from.
    caller: OnceLock<SocketAddr>,
}

impl Board {
    pub(crate) fn new(calls: u32) -> Self {
        let rows = (0..calls).map(|_| Default::default()).collect();
        Self { epoch: Instant::now(), rows, caller: OnceLock::new() }
    }

    /// Notes that it happens now; only the first time counts.
    pub(crate) fn note(&self, call: u32, moment: Moment) {
        let now = u64::try_from(self.epoch.elapsed().as_nanos()).unwrap();
        if let Some(row) = self.rows.get(call as usize) {
            let _ = row[moment as usize].compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Notes where the server sends SIP from; only the first time counts.
    pub(crate) fn meet(&self, caller: SocketAddr) {
        let _ = self.caller.set(caller);
    }

    /// Where the server's SIP comes from, and goes to; some call has to have left before.
    pub(crate) fn caller(&self) -> SocketAddr {
        *self.caller.get().expect("no call has left")
    }

    /// From one moment to another, of those calls from `first` on that saw both.
    pub(crate) fn spread(&self, first: u32, from: Moment, to: Moment) -> Spread {
        self.within(first..self.rows.len() as u32, from, to)
    }

    /// The same of the calls of a range.
    pub(crate) fn within(&self, calls: Range<u32>, from: Moment, to: Moment) -> Spread {
        let at = |row: &[AtomicU64; MOMENTS], moment: Moment| row[moment as usize].load(Ordering::Relaxed);
        let rows = self.rows[calls.start as usize..calls.end as usize]
            .iter()
            .map(|row| (at(row, from), at(row, to)));
        let both = rows.filter(|(from, to)| *from > 0 && *to > 0);
        Spread::new(both.map(|(from, to)| Duration::from_nanos(to.saturating_sub(from))).collect())
    }

    /// The same over two stretches together, of those rows that saw both whole.
    pub(crate) fn sum(&self, [one, other]: [(Moment, Moment); 2]) -> Spread {
        let at = |row: &[AtomicU64; MOMENTS], moment: Moment| row[moment as usize].load(Ordering::Relaxed);
        let over = |row, (from, to)| {
            let (from, to) = (at(row, from), at(row, to));
            (from > 0 && to >= from).then(|| to - from)
        };
        let sums = self.rows.iter().filter_map(|row| Some(over(row, one)? + over(row, other)?));
        Spread::new(sums.map(Duration::from_nanos).collect())
    }

    /// How many calls saw it.
    pub(crate) fn count(&self, moment: Moment) -> usize {
        self.rows.iter().filter(|row| row[moment as usize].load(Ordering::Relaxed) > 0).count()
    }
}
