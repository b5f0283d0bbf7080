//! Redis away: killed, hanging, empty after a restart, out of memory. Never open, never shut.

use std::sync::Arc;
use std::time::Duration;

use domain::ports::RateLimitWindow;
use domain::rate_limit::Verdict;
use redis_window::RedisWindow;
use test_redis::TestRedis;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::support::{Lenient, Own, client, is_alone, is_shared, node};

const LIMIT: u32 = 600;

/// One deadline, and all that a busy machine may add; a deadline for each request would be more.
const BOUNDED: Duration = Duration::from_secs(5);

/// Requests of one client, one after the other.
async fn requests(node: &RedisWindow, who: u32, times: u32) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for _ in 0..times {
        verdicts.push(node.count(client(who), LIMIT, 0).await);
    }
    verdicts
}

fn allowed(verdicts: &[Verdict]) -> usize {
    verdicts.iter().filter(|verdict| verdict.allowed).count()
}

/// Loads both nodes with eight clients, 2,000 requests each by turns, while something happens to
/// Redis: the first 600 of each go through, and never more than 600 on either node.
async fn under_load(nodes: [Arc<RedisWindow>; 2], happening: impl FnOnce()) {
    let mut load = JoinSet::new();
    for who in 0..8 {
        let nodes = nodes.clone();
        load.spawn(async move {
            let (mut allowed, mut slowest) = (Vec::new(), Duration::ZERO);
            for count in 0..2_000 {
                let began = Instant::now();
                allowed.push(nodes[count % 2].count(client(who), LIMIT, 0).await.allowed);
                slowest = slowest.max(began.elapsed());
                if count % 20 == 0 {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            }
            (allowed, slowest)
        });
    }
    happening();
    for (allowed, slowest) in load.join_all().await {
        assert!(allowed[..600].iter().all(|allowed| *allowed));
        let through = allowed.iter().filter(|allowed| **allowed).count();
        assert!((600..=1_200).contains(&through), "{through} of 2,000 went through");
        assert!(slowest < BOUNDED, "{slowest:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redis_killed_under_load_leaves_every_node_its_own_count_until_it_is_back() {
    let mut redis = TestRedis::start();
    let nodes = [node(&redis, Own::default()), node(&redis, Own::default())];
    for node in &nodes {
        is_shared(node).await;
    }
    under_load(nodes.clone(), || redis.kill()).await;
    is_alone(&nodes[0]).await;
    redis.restart();
    sharing_again(&nodes).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redis_that_hangs_under_load_costs_a_deadline_and_no_client_its_requests() {
    let redis = TestRedis::start();
    let nodes = [node(&redis, Own::default()), node(&redis, Own::default())];
    for node in &nodes {
        is_shared(node).await;
    }
    under_load(nodes.clone(), || redis.freeze()).await;
    is_alone(&nodes[0]).await;
    redis.thaw();
    sharing_again(&nodes).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redis_restarted_empty_under_load_keeps_every_client_limited() {
    let mut redis = TestRedis::start();
    let nodes = [node(&redis, Own::default()), node(&redis, Own::default())];
    for node in &nodes {
        is_shared(node).await;
    }
    under_load(nodes.clone(), || {
        redis.kill();
        redis.restart();
    })
    .await;
    sharing_again(&nodes).await;
}

/// A fresh client is counted by both nodes together. A machine so busy that Redis misses its
/// deadline breaks the sharing, and then another client has to show it.
async fn sharing_again(nodes: &[Arc<RedisWindow>; 2]) {
    for fresh in 1_000..1_020 {
        for node in nodes {
            is_shared(node).await;
        }
        let mut through = 0;
        for turn in 0..LIMIT {
            through += allowed(&requests(&nodes[usize::from(turn % 2 == 1)], fresh, 1).await);
        }
        assert_eq!(through, 600);
        let next = [requests(&nodes[0], fresh, 1).await, requests(&nodes[1], fresh, 1).await];
        if next.iter().all(|verdicts| allowed(verdicts) == 0) {
            return;
        }
    }
    panic!("the nodes do not count together");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hanging_redis_costs_one_deadline_and_then_nothing() {
    let redis = TestRedis::start();
    let node = node(&redis, Own::default());
    is_shared(&node).await;
    redis.freeze();
    // Everybody who asks at once is let go by the first one's deadline.
    let began = Instant::now();
    let mut waiting = JoinSet::new();
    for who in 0..200 {
        let node = Arc::clone(&node);
        waiting.spawn(async move { node.count(client(who), LIMIT, 0).await });
    }
    assert_eq!(allowed(&waiting.join_all().await), 200);
    assert!(began.elapsed() < BOUNDED, "{:?}", began.elapsed());
    is_alone(&node).await;
    // From here on nobody waits: ten thousand deadlines would be eight minutes.
    let began = Instant::now();
    assert_eq!(allowed(&requests(&node, 1_000, 10_000).await), 600);
    assert!(began.elapsed() < BOUNDED, "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_at_its_limit_stays_there_when_redis_goes_away_and_when_it_comes_back_empty() {
    let mut redis = TestRedis::start();
    let node = node(&redis, Own::default());
    is_shared(&node).await;
    assert_eq!(allowed(&requests(&node, 1, 700).await), 600);
    redis.kill();
    is_alone(&node).await;
    assert_eq!(allowed(&requests(&node, 1, 10).await), 0);
    redis.restart();
    is_shared(&node).await;
    assert_eq!(allowed(&requests(&node, 1, 10).await), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_refused_because_of_another_node_is_refused_without_redis_too() {
    let mut redis = TestRedis::start();
    let nodes = [node(&redis, Own::default()), node(&redis, Own::default())];
    for node in &nodes {
        is_shared(node).await;
    }
    assert_eq!(allowed(&requests(&nodes[0], 1, 599).await), 599);
    assert_eq!(requests(&nodes[1], 1, 1).await[0].remaining, 0);
    redis.kill();
    // The second node saw one request of its own, and was told of six hundred.
    assert_eq!(allowed(&requests(&nodes[1], 1, 10).await), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_without_redis_counts_alone_until_it_comes() {
    let mut redis = TestRedis::absent();
    let node = node(&redis, Own::default());
    assert_eq!(allowed(&requests(&node, 1, 601).await), 600);
    redis.restart();
    is_shared(&node).await;
    assert_eq!(allowed(&requests(&node, 2, 601).await), 600);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redis_out_of_memory_is_a_redis_that_is_away() {
    let redis = TestRedis::start();
    let node = node(&redis, Own::default());
    is_shared(&node).await;
    redis.command(&["CONFIG", "SET", "maxmemory", "1"]);
    assert_eq!(allowed(&requests(&node, 1, 601).await), 600);
    is_alone(&node).await;
    redis.command(&["CONFIG", "SET", "maxmemory", "0"]);
    is_shared(&node).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_redis_forgot_is_given_to_it_again() {
    let redis = TestRedis::start();
    let node = node(&redis, Lenient);
    is_shared(&node).await;
    redis.command(&["SCRIPT", "FLUSH"]);
    for remaining in (0..600).rev() {
        assert_eq!(requests(&node, 1, 1).await[0].remaining, remaining);
    }
    assert!(node.is_shared());
}
