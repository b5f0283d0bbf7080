//! The rate-limit window of a single node: a table in memory that never outgrows its bound.

use std::hash::{BuildHasher, RandomState};

use async_trait::async_trait;
use domain::ports::RateLimitWindow;
use domain::rate_limit::{Client, Verdict};
use parking_lot::Mutex;

use super::shard::Shard;

/// So many shards that two cores hardly ever want the same lock.
const SHARDS: usize = 256;

/// Counts requests in this process.
///
/// It holds a fixed number of clients in about 50 bytes each. When it is full, the client that has
/// been idle longest gives way, but never one that is over a limit while its window lives. The
/// hash is keyed by chance, so that nobody can aim at a shard.
pub struct MemoryWindow {
    shards: Vec<Mutex<Shard>>,
    hasher: RandomState,
}

impl MemoryWindow {
    /// How many clients a node remembers: a flood of 17,000 new addresses a second for a whole
    /// window, in about 50 MiB.
    pub const CLIENTS: usize = 1 << 20;

    /// A table for `clients` clients. Who made more than `smallest_limit` requests is over a limit.
    pub fn new(clients: usize, smallest_limit: u32) -> Self {
        Self::with_shards(SHARDS, clients, smallest_limit)
    }

    fn with_shards(shards: usize, clients: usize, smallest_limit: u32) -> Self {
        let each = clients.div_ceil(shards).max(1);
        // A key of its own, so that shard and chain are not decided by the same bits.
        let shard = |_| Mutex::new(Shard::new(each, smallest_limit, RandomState::new()));
        Self { shards: (0..shards).map(shard).collect(), hasher: RandomState::new() }
    }

    /// Counts one request; see [`RateLimitWindow::count`].
    pub fn count_now(&self, client: Client, limit: u32, now_ms: u64) -> Verdict {
        let shards = u64::try_from(self.shards.len()).unwrap_or(1).max(1);
        let chosen = usize::try_from(self.hasher.hash_one(client) % shards).unwrap_or(0);
        match self.shards.get(chosen) {
            Some(shard) => shard.lock().count(client, limit, now_ms),
            None => domain::rate_limit::Window::count(None, limit, now_ms).1,
        }
    }
}

#[async_trait]
impl RateLimitWindow for MemoryWindow {
    async fn count(&self, client: Client, limit: u32, now_ms: u64) -> Verdict {
        self.count_now(client, limit, now_ms)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::net::Ipv4Addr;
    use std::time::{Duration, Instant};

    use domain::rate_limit::Window;
    use proptest::prelude::*;

    use super::*;

    fn client(number: u32) -> Client {
        Client::of(Ipv4Addr::from(number).into())
    }

    /// The rule itself, with all the memory in the world.
    #[derive(Default)]
    struct Model(HashMap<Client, Window>);

    impl Model {
        fn count(&mut self, client: Client, limit: u32, now_ms: u64) -> Verdict {
            let (window, verdict) = Window::count(self.0.get(&client).copied(), limit, now_ms);
            self.0.insert(client, window);
            verdict
        }
    }

    proptest! {
        #[test]
        fn with_room_for_all_the_table_is_the_rule(
            requests in prop::collection::vec((0u32..40, 0u64..40_000, 1u32..6), 1..400),
        ) {
            let table = MemoryWindow::with_shards(4, 400, 2);
            let (mut model, mut now_ms) = (Model::default(), 0);
            for (who, wait_ms, limit) in requests {
                now_ms += wait_ms;
                let expected = model.count(client(who), limit, now_ms);
                prop_assert_eq!(table.count_now(client(who), limit, now_ms), expected);
            }
        }

        #[test]
        fn a_client_over_a_limit_is_never_forgotten_while_its_window_lives(
            requests in prop::collection::vec((0u32..4, 0u64..9_000), 1..200),
        ) {
            // Four offenders at most in a table for eight, among strangers that come once each.
            let table = MemoryWindow::with_shards(1, 8, 1);
            let (mut model, mut now_ms, mut stranger) = (Model::default(), 0, 1_000);
            for (who, wait_ms) in requests {
                now_ms += wait_ms;
                for _ in 0..20 {
                    stranger += 1;
                    prop_assert!(table.count_now(client(stranger), 1, now_ms).allowed);
                }
                // Twice at once makes an offender; from then on the table has to agree.
                let before = model.0.get(&client(who)).copied();
                model.count(client(who), 1, now_ms);
                let expected = model.count(client(who), 1, now_ms);
                let first = table.count_now(client(who), 1, now_ms);
                prop_assert_eq!(table.count_now(client(who), 1, now_ms), expected);
                let offended = before.is_some_and(|w| w.requests() > 1 && now_ms - w.last_ms() < 60_000);
                prop_assert_eq!(first.allowed, !offended);
            }
        }
    }

    #[test]
    fn the_longest_idle_client_gives_way() {
        let table = MemoryWindow::with_shards(1, 3, 10);
        for (who, now_ms) in [(1, 0), (2, 1), (3, 2), (1, 3), (4, 4)] {
            table.count_now(client(who), 10, now_ms);
        }
        // Client 2 was the longest idle: it alone is counted anew.
        assert_eq!(table.count_now(client(1), 10, 5).remaining, 7);
        assert_eq!(table.count_now(client(3), 10, 5).remaining, 8);
        assert_eq!(table.count_now(client(4), 10, 5).remaining, 8);
        assert_eq!(table.count_now(client(2), 10, 5).remaining, 9);
    }

    #[test]
    fn a_table_full_of_offenders_lets_none_of_them_off_and_still_serves_newcomers() {
        let table = MemoryWindow::with_shards(1, 4, 1);
        for who in [1, 2, 3, 4, 1, 2, 3, 4] {
            table.count_now(client(who), 1, 0);
        }
        for stranger in 100..200 {
            assert!(table.count_now(client(stranger), 1, 59_999).allowed);
        }
        for who in 1..=4 {
            assert!(!table.count_now(client(who), 1, 59_999).allowed);
        }
        // A minute later all of them are forgiven, and their places are free.
        for stranger in 300..304 {
            assert!(table.count_now(client(stranger), 1, 119_999).allowed);
            assert!(!table.count_now(client(stranger), 1, 119_999).allowed);
        }
    }

    #[test]
    fn a_spray_of_five_million_addresses_stays_within_its_memory_and_forgives_no_offender() {
        let table = MemoryWindow::new(MemoryWindow::CLIENTS, 2);
        let offender = client(u32::MAX);
        for _ in 0..3 {
            table.count_now(offender, 2, 0);
        }
        #[expect(clippy::disallowed_methods, reason = "this measures the real machine")]
        let started = Instant::now();
        for stranger in 0..5_000_000 {
            table.count_now(client(stranger), 2, 1);
        }
        let each = started.elapsed() / 5_000_000;
        assert!(!table.count_now(offender, 2, 2).allowed);
        let (clients, bytes) = table.shards.iter().fold((0, 0), |(clients, bytes), shard| {
            let shard = shard.lock();
            (clients + shard.clients(), bytes + shard.bytes())
        });
        assert_eq!(clients, MemoryWindow::CLIENTS);
        assert!(bytes < 64 << 20, "{bytes} bytes");
        println!("{each:?} a check, {} MiB", bytes >> 20);
        // The limit is for builds that serve.
        assert!(cfg!(debug_assertions) || each < Duration::from_micros(1), "{each:?} a check");
    }
}
