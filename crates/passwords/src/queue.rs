//! Work that waits, in an order that a flood of strangers cannot take from known people.
//!
//! Known people and strangers wait in a lane each, of [`WAITING`] places. Known people come first, but
//! every fourth turn is a stranger's. Within a lane, clients take turns, whatever number of places each has.

use std::collections::{BTreeMap, VecDeque};

use domain::ports::Requester;
use domain::rate_limit::Client;

/// Places of a lane: some two seconds' work.
pub(crate) const WAITING: usize = 64;

/// Places of one client in a lane.
pub(crate) const WAITING_OF_CLIENT: usize = 16;

/// Turns of known people before a stranger who waits has one.
const KNOWN_TURNS: u8 = 3;

/// The work that waits; work that is refused is given back, or dropped.
pub(crate) struct Queue<T> {
    known: Lane<T>,
    strangers: Lane<T>,
    /// Turns of known people since the last of a stranger.
    known_turns: u8,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { known: Lane::default(), strangers: Lane::default(), known_turns: 0 }
    }
}

impl<T> Queue<T> {
    /// Takes work in; `false` when there is no place for it. Work of another client may lose its place.
    pub(crate) fn push(&mut self, requester: Requester, work: T) -> bool {
        match requester {
            Requester::Known(client) => self.known.push(client, work),
            Requester::Stranger(client) => self.strangers.push(client, work),
        }
    }

    /// The work whose turn it is.
    pub(crate) fn pop(&mut self) -> Option<T> {
        let strangers_turn = self.known_turns >= KNOWN_TURNS;
        if !strangers_turn && let Some(work) = self.known.pop() {
            self.known_turns += 1;
            return Some(work);
        }
        self.known_turns = 0;
        self.strangers.pop().or_else(|| self.known.pop())
    }
}

/// Clients that take turns.
struct Lane<T> {
    waiting: usize,
    /// Never empty ones.
    of_client: BTreeMap<Client, VecDeque<T>>,
    /// Every client of `of_client` once, the one whose turn is next first.
    turns: VecDeque<Client>,
}

impl<T> Default for Lane<T> {
    fn default() -> Self {
        Self { waiting: 0, of_client: BTreeMap::new(), turns: VecDeque::new() }
    }
}

impl<T> Lane<T> {
    fn push(&mut self, client: Client, work: T) -> bool {
        let own = self.of_client.get(&client).map_or(0, VecDeque::len);
        if own >= WAITING_OF_CLIENT || (self.waiting >= WAITING && !self.make_room(own)) {
            return false;
        }
        if own == 0 {
            self.turns.push_back(client);
        }
        self.of_client.entry(client).or_default().push_back(work);
        self.waiting += 1;
        true
    }

    /// Drops the newest work of the client that has most, if it has more than a client with `own` will have.
    fn make_room(&mut self, own: usize) -> bool {
        let most = self.of_client.values_mut().max_by_key(|all| all.len());
        let Some(most) = most.filter(|all| all.len() > own + 1) else { return false };
        // It has two at least, so that it keeps its turn.
        most.pop_back();
        self.waiting -= 1;
        true
    }

    fn pop(&mut self) -> Option<T> {
        let client = self.turns.pop_front()?;
        let all = self.of_client.get_mut(&client)?;
        let work = all.pop_front()?;
        self.waiting -= 1;
        if all.is_empty() {
            self.of_client.remove(&client);
        } else {
            self.turns.push_back(client);
        }
        Some(work)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn client(number: u32) -> Client {
        Client::of(Ipv4Addr::from_bits(0x7F00_0000 + number).into())
    }

    fn stranger(number: u32) -> Requester {
        Requester::Stranger(client(number))
    }

    fn known(number: u32) -> Requester {
        Requester::Known(client(number))
    }

    fn all<T>(queue: &mut Queue<T>) -> Vec<T> {
        std::iter::from_fn(|| queue.pop()).collect()
    }

    #[test]
    fn known_user_is_next_while_hundreds_of_strangers_wait() {
        let mut queue = Queue::default();
        let taken = (0..600).filter(|number| queue.push(stranger(*number), "stranger")).count();
        assert_eq!(taken, WAITING);
        assert!(queue.push(known(1_000), "known"));
        assert_eq!(queue.pop(), Some("known"));
        assert_eq!(all(&mut queue), vec!["stranger"; WAITING]);
    }

    #[test]
    fn strangers_have_every_fourth_turn() {
        let mut queue = Queue::default();
        for number in 0..8 {
            assert!(queue.push(known(number), 'k') && queue.push(stranger(number), 's'));
        }
        let order: String = all(&mut queue).into_iter().collect();
        assert_eq!(order, "kkkskkkskkssssss");
    }

    #[test]
    fn clients_take_turns_and_each_has_16_places() {
        let mut queue = Queue::default();
        let many = (0..40).filter(|_| queue.push(stranger(1), 1)).count();
        assert_eq!(many, WAITING_OF_CLIENT);
        assert!(queue.push(stranger(2), 2) && queue.push(stranger(2), 2) && queue.push(stranger(3), 3));
        assert_eq!(all(&mut queue)[..7], [1, 2, 3, 1, 2, 1, 1]);
    }

    #[test]
    fn newcomer_takes_a_place_of_the_client_with_most() {
        let mut queue = Queue::default();
        for number in 0..4 {
            assert!((0..WAITING_OF_CLIENT).all(|_| queue.push(stranger(number), number)));
        }
        // All 64 places are taken by four clients; sixty others get one each.
        let newcomers = (100..300).filter(|number| queue.push(stranger(*number), *number)).count();
        assert_eq!(newcomers, 60);
        assert!(!queue.push(stranger(0), 0), "no client has more than one");
        let served = all(&mut queue);
        assert_eq!(served.len(), WAITING);
        assert_eq!(served[..5], [0, 1, 2, 3, 100]);
    }
}
