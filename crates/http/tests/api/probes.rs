//! `GET /healthz` and `GET /readyz`, and the time before the service is built.

use http_api::Readiness;
use serde_json::json;

use crate::support::{App, valid_create};

#[tokio::test(flavor = "multi_thread")]
async fn probes_are_answered_from_the_first_second() {
    let app = App::start_closed(None);
    assert_eq!(app.get("/healthz").send().await.status, 200);
    *app.readiness.lock() = Some(Readiness::Starting);
    let starting = app.get("/readyz").send().await;
    assert_eq!(starting.error(503), "The service is starting");
    assert!(starting.number("retry-after") > 0);
    // Even one who says so is not ready before the gate is open.
    *app.readiness.lock() = Some(Readiness::Ready);
    app.get("/readyz").send().await.error(503);
    app.open().await;
    let ready = app.get("/readyz").send().await;
    assert_eq!((ready.status, ready.json()), (200, json!({"status": "ready"})));
}

#[tokio::test(flavor = "multi_thread")]
async fn readiness_tells_of_a_lost_database_and_of_draining() {
    let app = App::start().await;
    for (state, words) in [
        (Readiness::NoDatabase, "The database does not answer"),
        (Readiness::Draining, "The service is shutting down"),
    ] {
        *app.readiness.lock() = Some(state);
        assert_eq!(app.get("/readyz").send().await.error(503), words);
        assert_eq!(app.get("/healthz").send().await.json(), json!({"status": "ok"}));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn api_requests_before_the_service_is_built_are_told_to_come_again() {
    let app = App::start_closed(None);
    let create = app.post("/api/outbound").key("x").json(&valid_create());
    for request in [create.clone(), app.get("/api/outbound/x/status").key("x")] {
        let answer = request.send().await;
        assert_eq!(answer.error(503), "The service is starting");
        assert!(answer.number("retry-after") > 0);
        assert_eq!(answer.number("x-ratelimit-limit"), 600);
    }
    app.open().await;
    create.send().await.error(401);
}
