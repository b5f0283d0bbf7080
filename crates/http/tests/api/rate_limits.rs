//! The interface's five rules, its table and its headers.

use std::time::Duration;

use domain::access::Permission;
use serde_json::json;
use tokio::net::TcpStream;

use crate::support::wire::{Answer, Request};
use crate::support::{App, TestClock, store, valid_create};

const SOME_CALL: &str = "/api/outbound/00000000-0000-0000-0000-00000000dead/status";

async fn repeat(request: &Request, times: usize, app: &App) -> Answer {
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    let mut last = None;
    for _ in 0..times {
        last = Some(request.send_on(&mut connection).await);
    }
    last.unwrap()
}

fn reset_after(answer: &Answer) -> i64 {
    i64::try_from(answer.number("x-ratelimit-reset")).unwrap() - TestClock::START_MS
}

#[tokio::test(flavor = "multi_thread")]
async fn every_checked_answer_tells_limit_remaining_and_reset() {
    let app = App::start().await;
    let key = app.key();
    for (count, (request, status)) in [
        (app.get(SOME_CALL), 401),
        (app.get(SOME_CALL).key(&key), 404),
        (app.create(&json!({})), 201),
        (app.create(&json!({"phoneNumber": 1})), 400),
        (app.request("PUT", "/api/outbound"), 405),
        (app.get("/api/nothing"), 404),
    ]
    .into_iter()
    .enumerate()
    {
        let answer = request.send().await;
        assert_eq!(answer.status, status);
        assert_eq!(answer.number("x-ratelimit-limit"), 600);
        assert_eq!(answer.number("x-ratelimit-remaining"), 599 - u64::try_from(count).unwrap());
        assert_eq!(reset_after(&answer), 60_000);
        assert_eq!(answer.header("retry-after"), None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_request_over_the_limit_is_a_429_that_says_when_to_come_again() {
    let app = App::start().await;
    let request = app.get(SOME_CALL).key(&app.key());
    let last = repeat(&request, 600, &app).await;
    assert_eq!((last.status, last.number("x-ratelimit-remaining")), (404, 0));
    app.clock.advance(Duration::from_millis(1_500));
    let over = request.send().await;
    assert_eq!(over.error(429), "Too many requests");
    assert_eq!(over.number("retry-after"), 60);
    assert_eq!(over.json()["retryAfter"], 60);
    assert_eq!(over.number("x-ratelimit-limit"), 600);
    assert_eq!(over.number("x-ratelimit-remaining"), 0);
    assert_eq!(reset_after(&over), 61_500);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_count_is_shared_by_all_endpoints_and_all_keys_of_an_address() {
    let app = App::start().await;
    let (one, other) = (app.key(), app.key_for(store::HOME, &Permission::ALL));
    repeat(&app.get(SOME_CALL).key(&one), 300, &app).await;
    repeat(&app.post("/api/outbound").key(&other).bytes("x"), 300, &app).await;
    app.get(SOME_CALL).key(&one).send().await.error(429);
    app.post("/api/outbound").key(&other).json(&valid_create()).send().await.error(429);
    app.get("/api/nothing").send().await.error(429);
}

#[tokio::test(flavor = "multi_thread")]
async fn rejected_requests_count_and_restart_the_window_until_a_full_minute_is_quiet() {
    let app = App::start().await;
    let request = app.get(SOME_CALL).key(&app.key());
    repeat(&request, 600, &app).await;
    for _ in 0..3 {
        app.clock.advance(Duration::from_millis(59_999));
        request.send().await.error(429);
    }
    app.clock.advance(Duration::from_mins(1));
    let fresh = request.send().await;
    fresh.error(404);
    assert_eq!(fresh.number("x-ratelimit-remaining"), 599);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_429_was_not_processed_and_the_post_may_be_resent() {
    let app = App::start().await;
    let request = app.create(&json!({}));
    repeat(&app.get(SOME_CALL), 600, &app).await;
    request.send().await.error(429);
    assert!(app.store.inner.calls().is_empty());
    app.clock.advance(Duration::from_mins(1));
    assert_eq!(request.send().await.status, 201);
    assert_eq!(app.store.inner.calls().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_without_a_valid_key_count_before_their_key_is_looked_at() {
    let app = App::start().await;
    repeat(&app.get(SOME_CALL), 600, &app).await.error(401);
    app.get(SOME_CALL).send().await.error(429);
    app.get(SOME_CALL).key(&app.key()).send().await.error(429);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_escaped_path_is_no_other_endpoint() {
    let app = App::start().await;
    let escaped = app.get("/%61pi/outbound/x/status").key(&app.key()).send().await;
    assert_eq!(escaped.error(404), "Outbound call not found");
    assert_eq!(escaped.number("x-ratelimit-remaining"), 599);
    let probe = app.get("/health%7A").send().await;
    assert_eq!((probe.status, probe.header("x-ratelimit-limit")), (200, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_are_counted_apart_and_ipv6_by_64() {
    let app = App::start().await;
    let request = app.get(SOME_CALL);
    let remaining =
        async |client: &str| request.clone().from(client).send().await.number("x-ratelimit-remaining");
    assert_eq!(remaining("198.51.100.7").await, 599);
    assert_eq!(remaining("198.51.100.8").await, 599);
    assert_eq!(remaining("198.51.100.7").await, 598);
    assert_eq!(remaining("2001:db8:1:2::1").await, 599);
    assert_eq!(remaining("2001:db8:1:2:ffff::1").await, 598);
    assert_eq!(remaining("2001:db8:1:3::1").await, 599);
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_a_trusted_proxy_the_right_most_untrusted_hop_counts() {
    let app = App::start().await;
    let request = app.get(SOME_CALL);
    let remaining =
        async |hops: &str| request.clone().from(hops).send().await.number("x-ratelimit-remaining");
    assert_eq!(remaining("198.51.100.7").await, 599);
    assert_eq!(remaining("1.2.3.4, 198.51.100.7").await, 598);
    assert_eq!(remaining("5.6.7.8, 198.51.100.7, 127.0.0.3").await, 597);
    // Without the header, or with nonsense in it, the proxy itself is the client.
    let bare = request.clone().without("X-Forwarded-For").send().await;
    assert_eq!(bare.number("x-ratelimit-remaining"), 599);
    assert_eq!(remaining("nonsense").await, 598);
    assert_eq!(
        request
            .without("X-Forwarded-For")
            .header("Forwarded", "for=9.9.9.9")
            .send()
            .await
            .number("x-ratelimit-remaining"),
        597
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn probes_are_not_counted() {
    let app = App::start().await;
    for path in ["/healthz", "/readyz"] {
        let answer = repeat(&app.get(path), 700, &app).await;
        assert_eq!((answer.status, answer.header("x-ratelimit-limit")), (200, None));
    }
    assert_eq!(app.get(SOME_CALL).send().await.number("x-ratelimit-remaining"), 599);
}
