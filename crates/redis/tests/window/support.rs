//! Nodes of one service, and the windows that they count in by themselves.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use domain::ports::{Entropy, OwnWindow};
use domain::rate_limit::{Client, Verdict, Window};
use parking_lot::Mutex;
use redis_window::{Address, RedisWindow, Settings};
use test_redis::TestRedis;
use tokio::time::Instant;

/// Nothing takes longer that a test waits for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Lets everything pass, so that Redis alone decides.
pub(crate) struct Lenient;

impl OwnWindow for Lenient {
    fn count_now(&self, _: Client, limit: u32, now_ms: u64) -> Verdict {
        Verdict { allowed: true, limit, remaining: limit, reset_ms: now_ms + 60_000 }
    }

    fn foresee(&self, client: Client, limit: u32, now_ms: u64) -> Verdict {
        self.count_now(client, limit, now_ms)
    }

    fn learn(&self, _: Client, _: u32) {}
}

/// A node's own count.
#[derive(Default)]
pub(crate) struct Own(Mutex<HashMap<Client, Window>>);

impl OwnWindow for Own {
    fn count_now(&self, client: Client, limit: u32, now_ms: u64) -> Verdict {
        let mut windows = self.0.lock();
        let (window, verdict) = Window::count(windows.get(&client).copied(), limit, now_ms);
        windows.insert(client, window);
        verdict
    }

    fn foresee(&self, client: Client, limit: u32, now_ms: u64) -> Verdict {
        Window::count(self.0.lock().get(&client).copied(), limit, now_ms).1
    }

    fn learn(&self, client: Client, requests: u32) {
        self.0.lock().entry(client).and_modify(|window| *window = window.raised_to(requests));
    }
}

pub(crate) struct Chance;

impl Entropy for Chance {
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).unwrap();
    }
}

pub(crate) fn settings(url: &str) -> Settings {
    Settings::new(Address::parse(url).unwrap(), None)
}

/// A node with the deadline that the service has.
pub(crate) fn node(redis: &TestRedis, own: impl OwnWindow + 'static) -> Arc<RedisWindow> {
    Arc::new(RedisWindow::start(settings(&redis.url()), Arc::new(own), Arc::new(Chance)))
}

/// A node that Redis answers however busy the machine is: for what must be exact.
pub(crate) async fn patient_node(redis: &TestRedis) -> Arc<RedisWindow> {
    let settings = Settings { deadline: PATIENCE, ..settings(&redis.url()) };
    let node = Arc::new(RedisWindow::start(settings, Arc::new(Lenient), Arc::new(Chance)));
    is_shared(&node).await;
    node
}

/// Waits until Redis counts.
pub(crate) async fn is_shared(node: &RedisWindow) {
    let deadline = Instant::now() + PATIENCE;
    while !node.is_shared() {
        assert!(Instant::now() < deadline, "no connection to Redis");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until a node knows that Redis is away.
pub(crate) async fn is_alone(node: &RedisWindow) {
    let deadline = Instant::now() + PATIENCE;
    while node.is_shared() {
        assert!(Instant::now() < deadline, "still connected to Redis");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) fn client(number: u32) -> Client {
    Client::of(Ipv4Addr::from(number).into())
}
