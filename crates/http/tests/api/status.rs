//! `GET /api/outbound/{id}/status`.

use domain::access::Permission;
use domain::call::{Ended, EndedReason};
use domain::scope::Scope;
use serde_json::{Value, json};
use time::macros::datetime;
use uuid::Uuid;

use crate::support::{App, store};

fn path(id: &str) -> String {
    format!("/api/outbound/{id}/status")
}

#[tokio::test(flavor = "multi_thread")]
async fn details_are_null_while_calling() {
    let app = App::start().await;
    let created = app.create(&json!({})).send().await.json();
    let id = created["outboundCallId"].as_str().unwrap();
    let answer = app.get(&path(id)).key(&app.key()).send().await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.json(),
        json!({
            "outboundCallId": id, "contactId": created["contactId"], "status": "calling", "callDetails": null,
        })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_final_status_carries_its_details() {
    let app = App::start().await;
    let started = datetime!(2026-03-01 09:30:05.250 UTC);
    let ended_at = datetime!(2026-03-01 09:31:07.249 UTC);
    for (reason, started_at, status, duration) in [
        (EndedReason::CustomerEndedCall, Some(started), "completed", json!(61)),
        (EndedReason::CustomerBusy, None, "busy", Value::Null),
        (EndedReason::NoAnswer, None, "no-answer", Value::Null),
        (EndedReason::TrunkError, None, "failed", Value::Null),
        (EndedReason::AssistantError, Some(ended_at), "failed", json!(0)),
    ] {
        let id = app.placed().await;
        app.store.end(&id, Ended { reason, started_at, ended_at }).await;
        let body = app.get(&path(&id)).key(&app.key()).send().await.json();
        assert_eq!(body["status"], status);
        let shown = started_at
            .map(|at| if at == started { "2026-03-01T09:30:05.250Z" } else { "2026-03-01T09:31:07.249Z" });
        assert_eq!(
            body["callDetails"],
            json!({
                "startedAt": shown, "endedAt": "2026-03-01T09:31:07.249Z",
                "duration": duration, "endedReason": reason.as_str(),
            })
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_foreign_and_malformed_ids_get_the_same_404_to_the_byte() {
    let app = App::start().await;
    let id = app.placed().await;
    let everything = &Permission::ALL;
    let sister = app.key_for(Scope::Organization(store::TENANT, store::SISTER), everything);
    let foreign = app.key_for(Scope::Tenant(store::OTHER_TENANT), everything);
    let unknown = Uuid::from_u128(0xDEAD).to_string();
    let bare = id.replace('-', "");
    let mut bodies = Vec::new();
    for (key, id) in [
        (&sister, id.as_str()),
        (&foreign, id.as_str()),
        (&app.key(), unknown.as_str()),
        (&app.key(), bare.as_str()),
        (&app.key(), "x"),
        (&app.key(), "%00"),
        (&app.key(), "%FF%FE"),
        (&app.key(), "..%2F.."),
        (&app.key(), "'%20OR%201=1--"),
        (&app.key(), &"9".repeat(2_000)),
    ] {
        let answer = app.get(&path(id)).key(key).send().await;
        assert_eq!(answer.error(404), "Outbound call not found", "{id}");
        bodies.push(answer.body);
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1);
    let own = app.key_for(Scope::Tenant(store::TENANT), everything);
    assert_eq!(app.get(&path(&id)).key(&own).send().await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn head_is_answered_like_get_without_a_body() {
    let app = App::start().await;
    let id = app.placed().await;
    let answer = app.request("HEAD", &path(&id)).key(&app.key()).send().await;
    assert_eq!(answer.status, 200);
    assert!(answer.number("content-length") > 0);
    assert!(answer.body.is_empty());
}
