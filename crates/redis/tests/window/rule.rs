//! The rule on a real Redis, step by step beside the interface's own words, on one node and two.

use std::sync::Arc;

use domain::ports::RateLimitWindow;
use domain::testing::RateLimitModel;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use redis_window::RedisWindow;
use test_redis::TestRedis;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::support::{client, patient_node};

const CASES: u32 = 300;
const STEPS: usize = 200;

/// The limits of the interface, made small enough to be reached.
const LIMITS: [u32; 3] = [3, 6, 12];

/// Lets `ARGV[1]` milliseconds pass for every key: a minute's test takes no minute.
const PASS_TIME: &str = "for _, key in ipairs(redis.call('KEYS', '*')) do \
                         redis.call('PEXPIRE', key, redis.call('PTTL', key) - ARGV[1]) end";

/// One request: whose, to which limit, on which node, and how long after the one before.
#[derive(Clone, Debug)]
struct Step {
    client: u32,
    limit: u32,
    node: usize,
    wait_ms: u64,
}

fn steps(nodes: usize) -> impl Strategy<Value = Vec<Step>> {
    // Time that really passes meanwhile is far less than the second before the end of a window.
    let wait = prop_oneof![
        30 => Just(0u64),
        3 => (1..20u64).prop_map(|seconds| seconds * 1_000),
        1 => Just(59_000),
        1 => Just(60_000),
        1 => Just(61_000),
    ];
    let step = (0..5u32, prop::sample::select(&LIMITS), 0..nodes, wait)
        .prop_map(|(client, limit, node, wait_ms)| Step { client, limit, node, wait_ms });
    prop::collection::vec(step, STEPS)
}

fn agrees_with_the_model(redis: &TestRedis, runtime: &Runtime, nodes: &[Arc<RedisWindow>]) {
    let config = ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() };
    let outcome = TestRunner::new(config).run(&steps(nodes.len()), |steps| {
        redis.command(&["FLUSHALL"]);
        let (mut model, mut now_ms) = (RateLimitModel::default(), 1_700_000_000_000);
        for (number, step) in steps.into_iter().enumerate() {
            if step.wait_ms > 0 {
                now_ms += step.wait_ms;
                redis.command(&["EVAL", PASS_TIME, "0", &step.wait_ms.to_string()]);
            }
            let expected = model.request(step.client, step.limit, now_ms);
            let count = nodes[step.node].count(client(step.client), step.limit, now_ms);
            prop_assert_eq!(runtime.block_on(count), expected, "step {}: {:?}", number, step);
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn one_node_keeps_the_rule_for_sixty_thousand_steps() {
    let (redis, runtime) = (TestRedis::start(), Runtime::new().unwrap());
    let node = runtime.block_on(patient_node(&redis));
    agrees_with_the_model(&redis, &runtime, &[node]);
}

#[test]
fn two_nodes_keep_the_rule_together_for_sixty_thousand_steps() {
    let (redis, runtime) = (TestRedis::start(), Runtime::new().unwrap());
    let nodes = runtime.block_on(async { [patient_node(&redis).await, patient_node(&redis).await] });
    agrees_with_the_model(&redis, &runtime, &nodes);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_under_parallel_load_count_every_request_once() {
    let redis = TestRedis::start();
    let nodes = [patient_node(&redis).await, patient_node(&redis).await];
    let (limit, tasks, each) = (1_000, 40, 50);
    let mut requests = JoinSet::new();
    for task in 0..tasks {
        let node = Arc::clone(&nodes[task % 2]);
        requests.spawn(async move {
            let mut verdicts = Vec::new();
            for _ in 0..each {
                verdicts.push(node.count(client(7), limit, 0).await);
            }
            verdicts
        });
    }
    let verdicts: Vec<_> = requests.join_all().await.into_iter().flatten().collect();
    assert_eq!(verdicts.len(), tasks * each);
    let mut left: Vec<u32> = verdicts.iter().filter(|v| v.allowed).map(|v| v.remaining).collect();
    left.sort_unstable();
    assert_eq!(left, (0..limit).collect::<Vec<_>>());
    let answer = redis.command(&["GET", &format!("callwright:rate:{:016x}", client(7).number())]);
    assert!(answer.contains("\r\n2000\r\n"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_lives_for_one_window_after_its_last_request_and_no_longer() {
    let redis = TestRedis::start();
    let node = patient_node(&redis).await;
    node.count(client(1), 600, 0).await;
    redis.command(&["EVAL", PASS_TIME, "0", "30000"]);
    node.count(client(1), 600, 0).await;
    let key = format!("callwright:rate:{:016x}", client(1).number());
    let left: i64 = redis.command(&["PTTL", &key]).trim_matches([':', '\r', '\n']).parse().unwrap();
    assert!((50_000..60_000).contains(&left), "{left}");
    redis.command(&["EVAL", PASS_TIME, "0", "60000"]);
    // Nothing is left of anybody, the trial count included.
    assert_eq!(redis.command(&["DBSIZE"]), ":0\r\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_whose_clocks_differ_by_hours_share_one_window() {
    let redis = TestRedis::start();
    let (early, late) = (patient_node(&redis).await, patient_node(&redis).await);
    let (behind, ahead) = (1_700_000_000_000, 1_700_007_200_000);
    for count in 1..=5 {
        let verdict = early.count(client(1), 10, behind).await;
        assert_eq!((verdict.remaining, verdict.reset_ms), (11 - 2 * count, behind + 60_000));
        let verdict = late.count(client(1), 10, ahead).await;
        assert_eq!((verdict.remaining, verdict.reset_ms), (10 - 2 * count, ahead + 60_000));
    }
    assert!(!early.count(client(1), 10, behind).await.allowed);
    assert!(!late.count(client(1), 10, ahead).await.allowed);
}
