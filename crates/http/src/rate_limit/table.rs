//! The rate-limit window of a single node: a table in memory that never outgrows its bound.

use std::hash::{BuildHasher, RandomState};

use async_trait::async_trait;
use domain::ports::{OwnWindow, RateLimitWindow};
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

    #[expect(
        clippy::indexing_slicing,
        reason = "there is at least one shard, and the rest is below their number"
    )]
    fn shard_of(&self, client: Client) -> &Mutex<Shard> {
        let shards = u64::try_from(self.shards.len()).unwrap_or(u64::MAX);
        &self.shards[usize::try_from(self.hasher.hash_one(client) % shards).unwrap_or(0)]
    }
}

impl OwnWindow for MemoryWindow {
    fn count_now(&self, client: Client, limit: u32, now_ms: u64) -> Verdict {
        self.shard_of(client).lock().count(client, limit, now_ms)
    }

    fn foresee(&self, client: Client, limit: u32, now_ms: u64) -> Verdict {
        self.shard_of(client).lock().foresee(client, limit, now_ms)
    }

    fn learn(&self, client: Client, requests: u32) {
        self.shard_of(client).lock().learn(client, requests);
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

    use domain::rate_limit::Window;
    use domain::testing::RateLimitModel;
    use proptest::prelude::*;

    use super::*;

    fn client(number: u32) -> Client {
        Client::of(Ipv4Addr::from(number).into())
    }

    /// What a table without bounds would know.
    #[derive(Default)]
    struct Model(HashMap<Client, Window>);

    impl Model {
        fn count(&mut self, client: Client, limit: u32, now_ms: u64) -> Verdict {
            let (window, verdict) = Window::count(self.0.get(&client).copied(), limit, now_ms);
            self.0.insert(client, window);
            verdict
        }
    }

    /// Mostly at once; at times just short of a window, or just a window.
    fn wait() -> impl Strategy<Value = u64> {
        prop_oneof![20 => Just(0), 10 => 1..10_000u64, 2 => 59_990..60_010u64, 1 => Just(59_999), 1 => Just(60_000)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn with_room_for_all_the_table_is_the_rule_for_a_hundred_thousand_steps(
            requests in prop::collection::vec((0u32..40, wait(), 1u32..12), 400),
        ) {
            let table = MemoryWindow::with_shards(4, 400, 2);
            let (mut model, mut now_ms) = (RateLimitModel::default(), 0);
            for (who, wait_ms, limit) in requests {
                now_ms += wait_ms;
                let expected = model.request(who, limit, now_ms);
                prop_assert_eq!(table.foresee(client(who), limit, now_ms), expected);
                prop_assert_eq!(table.count_now(client(who), limit, now_ms), expected);
            }
        }
    }

    proptest! {
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
    fn who_is_over_the_smaller_of_two_limits_is_remembered_though_below_the_larger() {
        // As with 300 and 1210 of the interface: who made four requests may not make a fifth to one
        // endpoint, and has eight left at the other.
        let (small, large) = (3, 12);
        let table = MemoryWindow::with_shards(1, 8, small);
        for (who, requests) in [(1, 4), (2, 3)] {
            for _ in 0..requests {
                assert!(table.count_now(client(who), large, 0).allowed);
            }
        }
        for stranger in 100..200 {
            table.count_now(client(stranger), large, 1);
        }
        assert!(!table.count_now(client(1), small, 2).allowed);
        assert_eq!(table.count_now(client(1), large, 2).remaining, 6);
        // Who only reached the smaller limit was over none, and gave way.
        assert_eq!(table.count_now(client(2), small, 2).remaining, 2);
    }

    #[test]
    fn what_was_counted_elsewhere_counts_here_and_is_never_taken_back() {
        let table = MemoryWindow::with_shards(1, 8, 10);
        table.count_now(client(1), 10, 0);
        table.learn(client(1), 8);
        table.learn(client(1), 3);
        assert_eq!(table.count_now(client(1), 10, 0).remaining, 1);
        // A client that became an offender elsewhere is one here too.
        table.learn(client(1), 11);
        for stranger in 100..200 {
            table.count_now(client(stranger), 10, 1);
        }
        assert!(!table.count_now(client(1), 10, 2).allowed);
        // Of somebody unknown nothing is learned.
        table.learn(client(2), 11);
        assert!(table.count_now(client(2), 10, 2).allowed);
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
        for stranger in 0..5_000_000 {
            table.count_now(client(stranger), 2, 1);
        }
        assert!(!table.count_now(offender, 2, 2).allowed);
        let (clients, bytes) = table.shards.iter().fold((0, 0), |(clients, bytes), shard| {
            let shard = shard.lock();
            (clients + shard.clients(), bytes + shard.bytes())
        });
        assert_eq!(clients, MemoryWindow::CLIENTS);
        assert!(bytes < 64 << 20, "{bytes} bytes");
    }
}
