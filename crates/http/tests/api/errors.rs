//! Whatever goes wrong is told in one shape.

use std::sync::atomic::Ordering;

use crate::support::App;

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
