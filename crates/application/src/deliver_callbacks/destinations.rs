//! How many tries are under way, to whom, and who waits for a place.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use domain::ids::CallId;
use domain::ports::ClaimedCallback;

use super::redeliver::ByHand;

/// Concurrent tries of this node.
const AT_ONCE: usize = 256;

/// Concurrent tries to one host and port, so that hanging receivers starve nobody.
const AT_ONCE_PER_DESTINATION: usize = 16;

/// Callbacks of one destination that wait here for their turn; the rest wait in the store.
const WAITING_PER_DESTINATION: usize = 256;

/// Callbacks that wait here because this node makes as many tries as it may; the rest wait in the
/// store.
const WAITING: usize = 4096;

/// Who is being called now, and who waits.
#[derive(Default)]
pub(super) struct Destinations {
    in_flight: usize,
    by_address: HashMap<String, Destination>,
    waiting: VecDeque<(String, Waiting)>,
}

/// What waits here waits for one of its own places, all of which are taken.
#[derive(Default)]
struct Destination {
    in_flight: usize,
    waiting: VecDeque<Waiting>,
}

/// A callback that this boot holds the claim of, and that waits for a free place.
pub(super) enum Waiting {
    /// Just queued by a conclusion: claimed, but not fetched.
    Fresh(CallId),
    /// Fetched by the poll, under a lease that began at this time since boot.
    Claimed(Box<ClaimedCallback>, Duration),
    /// Sent again by hand.
    ByHand(Box<ByHand>),
}

impl Destinations {
    /// Takes a place for a try, or lets it wait for one.
    pub(super) fn admit(&mut self, address: String, next: Waiting) -> Option<(String, Waiting)> {
        let destination = self.by_address.get_mut(&address);
        if let Some(full) = destination.filter(|own| own.in_flight >= AT_ONCE_PER_DESTINATION) {
            if full.waiting.len() < WAITING_PER_DESTINATION {
                full.waiting.push_back(next);
            }
            return None;
        }
        if self.in_flight >= AT_ONCE {
            if self.waiting.len() < WAITING {
                self.waiting.push_back((address, next));
            }
            return None;
        }
        self.in_flight += 1;
        self.by_address.entry(address.clone()).or_default().in_flight += 1;
        Some((address, next))
    }

    /// Gives a place back, or hands it to the next that waits: for the same destination, or for
    /// any place at all.
    pub(super) fn give_back(&mut self, address: &str) -> Option<(String, Waiting)> {
        let destination = self.by_address.get_mut(address)?;
        if let Some(next) = destination.waiting.pop_front() {
            return Some((address.to_owned(), next));
        }
        destination.in_flight = destination.in_flight.saturating_sub(1);
        self.in_flight = self.in_flight.saturating_sub(1);
        if destination.in_flight == 0 {
            self.by_address.remove(address);
        }
        while let Some((address, next)) = self.waiting.pop_front() {
            let admitted = self.admit(address, next);
            if admitted.is_some() {
                return admitted;
            }
        }
        None
    }

    /// How many more tries this node may make now.
    pub(super) fn room(&self) -> usize {
        AT_ONCE.saturating_sub(self.in_flight)
    }

    /// The destinations that have no free place.
    pub(super) fn full(&self) -> Vec<String> {
        let full = self
            .by_address
            .iter()
            .filter(|(_, destination)| destination.in_flight >= AT_ONCE_PER_DESTINATION);
        full.map(|(address, _)| address.clone()).collect()
    }
}
