//! One shard of the table: clients by hash chain, and in order of their last request.

use std::hash::{BuildHasher, RandomState};

use domain::rate_limit::{Client, Verdict, WINDOW, Window};

/// The ends of the two rings: ordinary clients, and clients over a limit.
const ORDINARY: u32 = 0;
const HELD: u32 = 1;
/// No slot: the end of a hash chain (slots 0 and 1 are ring ends and are in no chain).
const NONE: u32 = 0;

/// One client, in a hash chain and in a ring. 40 bytes.
struct Slot {
    client: Client,
    window: Window,
    chained: u32,
    older: u32,
    newer: u32,
}

/// A bounded set of clients; every operation takes constant time.
pub(super) struct Shard {
    slots: Vec<Slot>,
    chains: Vec<u32>,
    hasher: RandomState,
    capacity: usize,
    /// A client with more requests than this in its window is over a limit.
    held_above: u32,
}

impl Shard {
    /// Makes room for `capacity` clients; memory is touched only as clients come.
    pub(super) fn new(capacity: usize, held_above: u32, hasher: RandomState) -> Self {
        let mut slots = Vec::with_capacity(capacity.saturating_add(2));
        let (nobody, _) = Window::count(None, 0, 0);
        let client = Client::of(std::net::Ipv4Addr::UNSPECIFIED.into());
        for end in [ORDINARY, HELD] {
            slots.push(Slot { client, window: nobody, chained: NONE, older: end, newer: end });
        }
        Self { slots, chains: vec![NONE; capacity.next_power_of_two()], hasher, capacity, held_above }
    }

    /// Counts one request of `client`.
    pub(super) fn count(&mut self, client: Client, limit: u32, now_ms: u64) -> Verdict {
        let chain = self.chain_of(client);
        let known = self.find(chain, client);
        let earlier = (known != NONE).then(|| self.slot(known).window);
        let (window, verdict) = Window::count(earlier, limit, now_ms);
        if known != NONE {
            self.leave_ring(known);
            self.slot_mut(known).window = window;
            self.enter_ring(known);
        } else if let Some(free) = self.room(now_ms) {
            let chained = self.chain(chain);
            let slot = self.slot_mut(free);
            (slot.client, slot.window, slot.chained) = (client, window, chained);
            self.set_chain(chain, free);
            self.enter_ring(free);
        }
        // Without room every client here is over a limit: the newcomer is judged by itself, and
        // none of the others is let off.
        verdict
    }

    /// What one more request of `client` would be told.
    pub(super) fn foresee(&self, client: Client, limit: u32, now_ms: u64) -> Verdict {
        let known = self.find(self.chain_of(client), client);
        let earlier = (known != NONE).then(|| self.slot(known).window);
        Window::count(earlier, limit, now_ms).1
    }

    /// Raises the count of a client that is remembered.
    pub(super) fn learn(&mut self, client: Client, requests: u32) {
        let known = self.find(self.chain_of(client), client);
        if known != NONE {
            self.leave_ring(known);
            self.slot_mut(known).window = self.slot(known).window.raised_to(requests);
            self.enter_ring(known);
        }
    }

    /// How many clients are remembered.
    #[cfg(test)]
    pub(super) fn clients(&self) -> usize {
        self.slots.len() - 2
    }

    /// Bytes taken when full.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>() + self.chains.capacity() * size_of::<u32>()
    }

    /// A slot for a newcomer: a fresh one, or that of the client that has been idle longest. A
    /// client over a limit gives way only once its window is over.
    fn room(&mut self, now_ms: u64) -> Option<u32> {
        let used = self.slots.len();
        if used < self.capacity.saturating_add(2) {
            let fresh = u32::try_from(used).ok()?;
            let (window, _) = Window::count(None, 0, now_ms);
            let client = Client::of(std::net::Ipv4Addr::UNSPECIFIED.into());
            self.slots.push(Slot { client, window, chained: NONE, older: fresh, newer: fresh });
            return Some(fresh);
        }
        let window_ms = u64::try_from(WINDOW.as_millis()).unwrap_or(u64::MAX);
        let ordinary = Some(self.slot(ORDINARY).newer).filter(|oldest| *oldest != ORDINARY);
        let held = Some(self.slot(HELD).newer)
            .filter(|oldest| *oldest != HELD)
            .filter(|oldest| now_ms.saturating_sub(self.slot(*oldest).window.last_ms()) >= window_ms);
        let victim = ordinary.into_iter().chain(held).min_by_key(|slot| self.slot(*slot).window.last_ms())?;
        self.leave_ring(victim);
        self.leave_chain(victim);
        Some(victim)
    }

    fn chain_of(&self, client: Client) -> usize {
        let hash = self.hasher.hash_one(client);
        // The number of chains is a power of two, so the mask keeps the index inside.
        usize::try_from(hash).unwrap_or(usize::MAX) & (self.chains.len() - 1)
    }

    fn find(&self, chain: usize, client: Client) -> u32 {
        let mut at = self.chain(chain);
        while at != NONE && self.slot(at).client != client {
            at = self.slot(at).chained;
        }
        at
    }

    fn leave_chain(&mut self, leaving: u32) {
        let next = self.slot(leaving).chained;
        let chain = self.chain_of(self.slot(leaving).client);
        let mut at = self.chain(chain);
        if at == leaving {
            self.set_chain(chain, next);
            return;
        }
        while at != NONE {
            let after = self.slot(at).chained;
            if after == leaving {
                self.slot_mut(at).chained = next;
                return;
            }
            at = after;
        }
    }

    fn leave_ring(&mut self, leaving: u32) {
        let Slot { older, newer, .. } = *self.slot(leaving);
        self.slot_mut(older).newer = newer;
        self.slot_mut(newer).older = older;
    }

    /// Puts a slot at the newest place of the ring where its window belongs.
    fn enter_ring(&mut self, entering: u32) {
        let end = if self.slot(entering).window.requests() > self.held_above { HELD } else { ORDINARY };
        let newest = self.slot(end).older;
        let slot = self.slot_mut(entering);
        (slot.older, slot.newer) = (newest, end);
        self.slot_mut(newest).newer = entering;
        self.slot_mut(end).older = entering;
    }
}

/// Access by number. Numbers are only handed out by [`Shard::room`], and slots are never removed.
#[expect(clippy::indexing_slicing, reason = "every slot number was handed out by this table, and slots stay")]
impl Shard {
    fn slot(&self, number: u32) -> &Slot {
        &self.slots[usize::try_from(number).unwrap_or(usize::MAX)]
    }

    fn slot_mut(&mut self, number: u32) -> &mut Slot {
        &mut self.slots[usize::try_from(number).unwrap_or(usize::MAX)]
    }

    fn chain(&self, chain: usize) -> u32 {
        self.chains[chain]
    }

    fn set_chain(&mut self, chain: usize, first: u32) {
        self.chains[chain] = first;
    }
}
