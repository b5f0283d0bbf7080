//! Keys and permissions.

use domain::access::Permission;
use domain::ports::{Access, Clock};
use domain::scope::Reach;
use domain::testing::deed;
use serde_json::json;

use crate::support::{App, store, valid_create};

const SOME_CALL: &str = "/api/outbound/00000000-0000-0000-0000-00000000dead/status";

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_or_invalid_key_gives_401() {
    let app = App::start().await;
    let key = app.key();
    let mistyped = key.replace("cw_org_", "cw_ten_");
    let (basic, bare, doubled) = (format!("Basic {key}"), key.clone(), format!("Bearer Bearer {key}"));
    for request in [app.get(SOME_CALL), app.post("/api/outbound").json(&valid_create())] {
        for line in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer x",
            &basic,
            &bare,
            &doubled,
            &format!("Bearer {mistyped}"),
            "Bearer ключ",
        ] {
            let answer = request.clone().header("Authorization", line).send().await;
            assert_eq!(answer.error(401), "Invalid or missing API key", "{line}");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        }
        assert_eq!(request.send().await.error(401), "Invalid or missing API key");
        let twice = request.header("Authorization", &format!("Bearer {key}"));
        assert_eq!(twice.header("Authorization", "Bearer x").send().await.status, 401);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_scheme_is_case_insensitive() {
    let app = App::start().await;
    let key = app.key();
    for scheme in ["Bearer", "bearer", "BEARER", "bEaReR"] {
        let answer = app.get(SOME_CALL).header("Authorization", &format!("{scheme}  {key}")).send().await;
        answer.error(404);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_loses_access_immediately() {
    let app = App::start().await;
    let (key, id) = app.issue(store::HOME, &Permission::ALL);
    app.get(SOME_CALL).key(&key).send().await.error(404);
    assert!(app.store.inner.revoke(Reach::Everything, id, deed(app.clock.now())).await.unwrap());
    app.get(SOME_CALL).key(&key).send().await.error(401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_without_the_permission_gets_403() {
    let app = App::start().await;
    let id = app.placed().await;
    let status = app.get(&format!("/api/outbound/{id}/status"));
    let create = app.post("/api/outbound").json(&valid_create());
    for (permissions, may_read, may_create) in [
        (&[][..], false, false),
        (&[Permission::CallsRead][..], false, false),
        (&[Permission::OutboundRead], true, false),
        (&[Permission::OutboundCreate], false, true),
    ] {
        let key = app.key_for(store::HOME, permissions);
        for (request, may, success) in [(&status, may_read, 200), (&create, may_create, 201)] {
            let answer = request.clone().key(&key).send().await;
            if may {
                assert_eq!(answer.status, success);
            } else {
                assert_eq!(answer.error(403), "Insufficient permissions");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_order_of_checks_is_key_permission_body() {
    let app = App::start().await;
    let bad = app.post("/api/outbound").bytes("{");
    bad.clone().send().await.error(401);
    bad.clone().key(&app.key_for(store::HOME, &[])).send().await.error(403);
    bad.clone().key(&app.key()).send().await.error(400);
    // Somebody else's assistant is not looked up before the body is right.
    let answer = app
        .create(&json!({"assistantId": store::assistant_of(store::SISTER).to_string(), "phoneNumber": "1"}));
    assert_eq!(answer.send().await.problems(), ["phoneNumber too_small"]);
    // An id is not judged before the key.
    app.get("/api/outbound/x/status").send().await.error(401);
    app.get("/api/outbound/x/status").key(&app.key_for(store::HOME, &[])).send().await.error(403);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_away_gives_503_and_keeps_its_cause_to_itself() {
    let app = App::start().await;
    let key = app.key();
    app.store.inner.set_away(true);
    for request in [app.get(SOME_CALL), app.post("/api/outbound").json(&valid_create())] {
        let answer = request.key(&key).send().await;
        assert!(!answer.error(503).contains("the store is away"));
        assert!(answer.number("retry-after") > 0);
        assert_eq!(answer.number("x-ratelimit-limit"), 600);
    }
}
