//! What the log says of a request, and what it never says.

use domain::access::Permission;
use serde_json::json;

use crate::support::{App, log, store};

#[tokio::test(flavor = "multi_thread")]
async fn a_request_has_one_access_line_with_route_status_latency_and_key_id_but_never_the_key() {
    let lines = log::captured();
    let app = App::start().await;
    let (key, id) = app.issue(store::HOME, &Permission::ALL);
    let id = id.to_string();
    let path = "/api/outbound/00000000-0000-0000-0000-0000000105ed/status";
    app.get(path).key(&key).header("X-Request-Id", "log-test-1").send().await.error(404);
    app.get(path).key("not-a-key-at-all").header("X-Request-Id", "log-test-2").send().await.error(401);
    let own = lines.with("log-test-1");
    let access: Vec<_> = own.iter().filter(|line| line.contains("http_api::access")).collect();
    let [line] = access[..] else { panic!("{own:?}") };
    for part in ["method=\"GET\"", "route=\"/api/outbound/{id}/status\"", "status=404", "latency_us=", &id] {
        assert!(line.contains(part), "{part} in {line}");
    }
    let refused = lines.with("log-test-2");
    assert!(refused.iter().any(|line| line.contains("status=401")), "{refused:?}");
    for secret in [key.as_str(), "not-a-key-at-all", "0000000105ed"] {
        assert_eq!(lines.with(secret), Vec::<String>::new());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lines_of_a_use_case_carry_the_request_id() {
    let lines = log::captured();
    let app = App::start().await;
    let answer = app.create(&json!({})).header("X-Request-Id", "log-test-3").send().await;
    assert_eq!(answer.status, 201);
    let call = answer.json()["outboundCallId"].as_str().unwrap().to_owned();
    let own = lines.with("log-test-3");
    assert!(own.iter().any(|line| line.contains(&call)), "{own:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_failure_is_logged_once_with_its_cause() {
    let lines = log::captured();
    let app = App::start().await;
    let key = app.key_for(store::HOME, &[]);
    app.store.inner.set_away(true);
    app.get("/api/outbound/x/status").key(&key).header("X-Request-Id", "log-test-4").send().await.error(503);
    let own = lines.with("log-test-4");
    assert_eq!(own.iter().filter(|line| line.contains("the store is away")).count(), 1, "{own:?}");
}
