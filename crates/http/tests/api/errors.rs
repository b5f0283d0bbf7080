//! Whatever goes wrong is told in one shape.

use std::sync::atomic::Ordering;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::wire::read_answer;
use crate::support::{App, log};

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_route_is_a_404_in_shape() {
    let app = App::start().await;
    for path in [
        "/",
        "/api",
        "/api/",
        "/api/nothing",
        "/api/outbound/",
        "/api/outbound/x",
        "/api/outbound/x/y/status",
        "/API/outbound",
        "/favicon.ico",
        "/%00",
        "//",
    ] {
        for method in ["GET", "POST", "DELETE", "PATCH"] {
            assert_eq!(
                app.request(method, path).send().await.error(404),
                "Route not found",
                "{method} {path}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_method_is_a_405_in_shape_that_names_the_right_ones() {
    let app = App::start().await;
    for (path, allowed) in [
        ("/api/outbound", "POST"),
        ("/api/outbound/x/status", "GET, HEAD"),
        ("/healthz", "GET, HEAD"),
        ("/readyz", "GET, HEAD"),
    ] {
        for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"] {
            if allowed.contains(method) {
                continue;
            }
            let answer = app.request(method, path).send().await;
            assert_eq!(answer.error(405), "Method not allowed", "{method} {path}");
            assert_eq!(answer.header("allow"), Some(allowed));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_in_a_use_case_is_a_500_in_shape_and_the_server_goes_on() {
    let app = App::start().await;
    let id = app.placed().await;
    let request = app.get(&format!("/api/outbound/{id}/status")).key(&app.key());
    app.store.broken.store(true, Ordering::SeqCst);
    let answer = request.send().await;
    assert_eq!(answer.error(500), "Internal server error occurred");
    assert_eq!(answer.number("x-ratelimit-limit"), 600);
    app.store.broken.store(false, Ordering::SeqCst);
    assert_eq!(request.send().await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_in_a_handler_is_a_500_in_shape_and_the_connection_goes_on() {
    let app = App::start().await;
    *app.readiness.lock() = None;
    let mut connection = tokio::net::TcpStream::connect(app.address).await.unwrap();
    let answer = app.get("/readyz").header("X-Request-Id", "panicking").send_on(&mut connection).await;
    assert_eq!(answer.error(500), "Internal server error occurred");
    assert_eq!(answer.header("x-request-id"), Some("panicking"));
    assert_eq!(app.get("/healthz").send_on(&mut connection).await.status, 200);
}

/// What no parser of HTTP gets through.
const NO_HTTP: [&str; 9] = [
    "nonsense\r\n\r\n",
    "\0\r\n\r\n",
    "GET /healthz HTTP/3.0\r\nHost: test\r\n\r\n",
    "GET /healthz HTTP/1.1\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: test\r\nno colon\r\n\r\n",
    "GET /heal thz HTTP/1.1\r\nHost: test\r\n\r\n",
    "G@T /healthz HTTP/1.1\r\nHost: test\r\n\r\n",
    "POST /api/outbound HTTP/1.1\r\nHost: test\r\nContent-Length: -1\r\n\r\n",
    "POST /api/outbound HTTP/1.1\r\nHost: test\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
];

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_http_is_a_400_in_shape_with_a_line_in_the_log() {
    let lines = log::captured();
    let app = App::start().await;
    for text in NO_HTTP {
        let mut connection = TcpStream::connect(app.address).await.unwrap();
        connection.write_all(text.as_bytes()).await.unwrap();
        let answer = read_answer(&mut connection, false).await;
        assert_eq!(answer.error(400), "The request is not valid HTTP", "{text:?}");
        assert_eq!(answer.header("connection"), Some("close"), "{text:?}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{text:?}");
        assert!(answer.header("date").is_some(), "{answer:?}");
        let mut rest = Vec::new();
        connection.read_to_end(&mut rest).await.unwrap();
        assert_eq!(rest, b"", "{text:?}");
        let own = lines.with(answer.header("x-request-id").unwrap());
        assert!(own.iter().any(|line| line.contains("http_api::access") && line.contains("status=400")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_http_behind_a_good_request_leaves_its_answer_as_it_is() {
    let app = App::start().await;
    let good = app.get("/healthz").whole();
    for between in [0, 1] {
        let mut connection = TcpStream::connect(app.address).await.unwrap();
        let bytes = [good.as_slice(), NO_HTTP[0].as_bytes()].concat();
        // At once, or after the first answer: it is one write of the server's, or two.
        let (first, second) = bytes.split_at(if between == 0 { bytes.len() } else { good.len() });
        connection.write_all(first).await.unwrap();
        let mut read = Vec::new();
        if between == 1 {
            assert_eq!(read_answer(&mut connection, false).await.json()["status"], "ok");
            connection.write_all(second).await.unwrap();
        }
        connection.read_to_end(&mut read).await.unwrap();
        let text = String::from_utf8(read).unwrap();
        assert_eq!(text.matches(r#"{"status":"ok"}"#).count(), 1 - between, "{text}");
        assert!(text.ends_with(r#"{"error":"The request is not valid HTTP"}"#), "{text}");
        assert_eq!(text.matches("HTTP/1.1 ").count(), 2 - between, "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_that_is_too_large_is_a_431_in_shape() {
    let app = App::start().await;
    // Not a byte more than the server reads: what is left unread may cost a client its answer.
    let long = "x".repeat(128 * 1024 - "GET /".len());
    let many = "a: b\r\n".repeat(200);
    for head in [format!("GET /{long}"), format!("GET / HTTP/1.1\r\nHost: test\r\n{many}\r\n")] {
        let mut connection = TcpStream::connect(app.address).await.unwrap();
        connection.write_all(head.as_bytes()).await.unwrap();
        let answer = read_answer(&mut connection, false).await;
        assert_eq!(answer.error(431), "Request head is too large");
    }
}
