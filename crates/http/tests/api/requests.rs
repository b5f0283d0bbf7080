//! What becomes of a request itself: its name, and its use case when the client goes away.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

use crate::support::wire::{Request, read_answer};
use crate::support::{App, log};

#[tokio::test(flavor = "multi_thread")]
async fn a_sane_request_id_is_returned_and_a_missing_or_strange_one_replaced() {
    let app = App::start().await;
    let request = app.get("/healthz");
    for id in ["abc-123", "req_01:a/b+c=d@e~f.g", &"x".repeat(128)] {
        assert_eq!(request.clone().header("X-Request-Id", id).send().await.header("x-request-id"), Some(id));
    }
    let mut made = Vec::new();
    for id in ["", "a b", "a\"b", "<script>", &"x".repeat(129), "ünsane"] {
        let answer = request.clone().header("X-Request-Id", id).send().await;
        made.push(answer.header("x-request-id").unwrap().to_owned());
    }
    made.push(request.send().await.header("x-request-id").unwrap().to_owned());
    let count = made.len();
    made.sort();
    made.dedup();
    assert_eq!(made.len(), count);
    for id in made {
        uuid::Uuid::parse_str(&id).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_cancels_nothing_and_has_its_log_line() {
    let lines = log::captured();
    let app = App::start().await;
    app.store.lookups.forget_permits(Semaphore::MAX_PERMITS);
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    let request = app.create(&json!({})).header("X-Request-Id", "gone-away");
    connection.write_all(&request.whole()).await.unwrap();
    // The use case is under way once it looks up what to dial with.
    app.store.wait_until_looking_up().await;
    // A reset, not just an end of what the client has to say.
    connection.set_zero_linger().unwrap();
    drop(connection);
    lines.wait_for("gone-away", "abandoned").await;
    app.store.lookups.add_permits(1);
    app.store.wait_until_recorded().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_that_does_not_arrive_ends_its_connection() {
    let app = App::start().await;
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    connection.write_all(b"POST /api/outbound HTTP/1.1\r\nHost: te").await.unwrap();
    let answer = read_answer(&mut connection, false).await;
    assert_eq!(answer.error(408), "Request head took too long to arrive");
    let mut rest = Vec::new();
    timeout(Duration::from_secs(10), connection.read_to_end(&mut rest)).await.unwrap().unwrap();
    assert_eq!(rest, b"");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_graceful_stop_answers_what_is_in_hand_and_waits_for_no_idle_connection() {
    let app = App::start().await;
    let mut idle = TcpStream::connect(app.address).await.unwrap();
    assert_eq!(app.get("/healthz").send_on(&mut idle).await.status, 200);
    app.store.lookups.forget_permits(Semaphore::MAX_PERMITS);
    let mut busy = TcpStream::connect(app.address).await.unwrap();
    busy.write_all(&app.create(&json!({})).whole()).await.unwrap();
    app.store.wait_until_looking_up().await;
    let stopper = app.stopper();
    let began = Instant::now();
    let stopping = tokio::spawn(async move { stopper.stop(true).await });
    app.store.lookups.add_permits(1);
    assert_eq!(read_answer(&mut busy, false).await.status, 201);
    stopping.await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offer_of_another_protocol_is_answered_in_this_one_and_the_connection_closed() {
    let app = App::start().await;
    for protocol in ["h2c", "websocket"] {
        let offer = |request: Request| {
            request.header("Connection", "Upgrade, HTTP2-Settings").header("Upgrade", protocol)
        };
        let answer = offer(app.get("/nothing")).send().await;
        answer.error(404);
        assert_eq!(answer.header("connection"), Some("close"), "{protocol}");
    }
    let created = app.create(&json!({})).header("Connection", "Upgrade").header("Upgrade", "h2c");
    let created = created.send().await;
    assert_eq!((created.status, created.header("connection")), (201, Some("close")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_in_chunks_that_nobody_reads_holds_no_connection() {
    let app = App::start().await;
    let chunked = |request: Request| request.header("Transfer-Encoding", "chunked").head();
    for (request, status) in [(app.post("/api/outbound"), 401), (app.post("/nothing"), 404)] {
        let mut connection = TcpStream::connect(app.address).await.unwrap();
        connection.write_all(&chunked(request)).await.unwrap();
        connection.write_all(b"5\r\n{\"nam\r\n").await.unwrap();
        let answer = read_answer(&mut connection, false).await;
        answer.error(status);
        assert_eq!(answer.header("connection"), Some("close"));
        let mut rest = Vec::new();
        timeout(Duration::from_secs(10), connection.read_to_end(&mut rest)).await.unwrap().unwrap();
        assert_eq!(rest, b"");
    }
    // One that is whole leaves the connection to the next request.
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    let request = app.create(&json!({}));
    let body = request.whole().split_off(request.head().len());
    connection.write_all(&chunked(request)).await.unwrap();
    connection.write_all(format!("{:x}\r\n", body.len()).as_bytes()).await.unwrap();
    connection.write_all(&[&body, &b"\r\n0\r\n\r\n"[..]].concat()).await.unwrap();
    assert_eq!(read_answer(&mut connection, false).await.status, 201);
    assert_eq!(app.get("/healthz").send_on(&mut connection).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_kept_by_no_cache() {
    let app = App::start().await;
    for path in ["/healthz", "/api/outbound/x/status", "/nothing"] {
        assert_eq!(app.get(path).send().await.header("cache-control"), Some("no-store"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_waits_for_leave_to_send_its_body_gets_it() {
    let app = App::start().await;
    let request = app.create(&json!({})).header("Expect", "100-continue");
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    let (head, whole) = (request.head(), request.whole());
    connection.write_all(&head).await.unwrap();
    assert_eq!(read_answer(&mut connection, true).await.status, 100);
    connection.write_all(&whole[head.len()..]).await.unwrap();
    assert_eq!(read_answer(&mut connection, false).await.status, 201);
}
