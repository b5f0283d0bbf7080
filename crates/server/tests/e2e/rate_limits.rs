//! Two nodes that share a Redis count every client once; without Redis each goes on by itself.

use test_redis::TestRedis;
use tokio::time::{Duration, Instant};

use crate::support::installation::client;
use crate::support::{Installation, PATIENCE};

const AWAY: &str = "Redis is away";

/// Two servers on one database and one Redis, behind a proxy that names the client.
async fn two_nodes(redis: &TestRedis) -> [Installation; 2] {
    let url = redis.url();
    let settings =
        [("CALLWRIGHT__REDIS__URL", url.as_str()), ("CALLWRIGHT__HTTP__TRUSTED_PROXIES", "127.0.0.1")];
    let mut first = Installation::new(&[]).await;
    first.start(&settings);
    first.ready().await;
    let mut second = Installation::beside(&first);
    second.start(&settings);
    second.ready().await;
    [first, second]
}

/// Asks as a client behind the proxy, without a key.
async fn ask(node: &Installation, client: &reqwest::Client, who: &str) -> reqwest::Response {
    let url = format!("{}/api/outbound/nobodys/status", node.base());
    client.get(url).header("X-Forwarded-For", format!("9.9.9.9, {who}")).send().await.unwrap()
}

/// Waits until the last that a node said of Redis is that it counts there.
async fn is_shared(node: &Installation) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let log = node.log();
        if log.rfind("requests are counted in Redis") > log.rfind(AWAY) {
            return;
        }
        assert!(Instant::now() < deadline, "Redis was not found:\n{log}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn times_away(nodes: &[Installation; 2]) -> usize {
    nodes.iter().map(|node| node.log().matches(AWAY).count()).sum()
}

/// Sends 600 requests by turns, and gives a client for whom both nodes counted all of them.
///
/// On a machine so busy that Redis misses a deadline the nodes count apart for a while, and say so:
/// then the next client has to show it.
async fn spend_the_limit(nodes: &[Installation; 2], http: &reqwest::Client, network: &str) -> String {
    for who in 1..=10 {
        let who = format!("{network}.{who}");
        for node in nodes {
            is_shared(node).await;
        }
        let before = times_away(nodes);
        for turn in 0..600 {
            let answer = ask(&nodes[turn % 2], http, &who).await;
            assert_eq!(answer.status(), 401, "request {turn} of {who}");
        }
        let mut refused = 0;
        for node in nodes {
            let answer = ask(node, http, &who).await;
            if answer.status() == 429 {
                refused += 1;
                assert_eq!(answer.headers()["x-ratelimit-limit"], "600");
                assert_eq!(answer.headers()["x-ratelimit-remaining"], "0");
                assert_eq!(answer.headers()["retry-after"], "60");
                assert!(answer.headers().contains_key("x-ratelimit-reset"));
            }
        }
        if refused == 2 {
            return who;
        }
        assert!(times_away(nodes) > before, "the nodes did not count together");
    }
    panic!("Redis never answers in time");
}

#[tokio::test]
async fn six_hundred_requests_to_two_nodes_are_the_limit_on_either_with_redis_and_after_it() {
    let mut redis = TestRedis::start();
    let nodes = two_nodes(&redis).await;
    let http = client();
    let spent = spend_the_limit(&nodes, &http, "203.0.113").await;
    // Somebody else behind the same proxy has a count of his own.
    assert_eq!(ask(&nodes[0], &http, "198.51.100.1").await.status(), 401);

    redis.kill();
    for node in &nodes {
        // What Redis told is remembered: whoever was refused is refused.
        assert_eq!(ask(node, &http, &spent).await.status(), 429);
    }
    let began = Instant::now();
    for turn in 0..1_200 {
        assert_eq!(ask(&nodes[turn % 2], &http, "198.51.100.2").await.status(), 401, "request {turn}");
    }
    for node in &nodes {
        assert_eq!(ask(node, &http, "198.51.100.2").await.status(), 429);
        node.logs(AWAY).await;
    }
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());

    redis.restart();
    spend_the_limit(&nodes, &http, "192.0.2").await;
}

#[tokio::test]
async fn a_node_starts_without_its_redis_and_finds_it_later() {
    let mut redis = TestRedis::absent();
    let nodes = two_nodes(&redis).await;
    let http = client();
    assert_eq!(ask(&nodes[0], &http, "198.51.100.1").await.headers()["x-ratelimit-remaining"], "599");
    for node in &nodes {
        node.logs(AWAY).await;
    }
    redis.restart();
    spend_the_limit(&nodes, &http, "192.0.2").await;
}
