//! The interface's error table, row by row, with its exact texts.

use std::sync::atomic::Ordering;

use domain::access::Permission;
use domain::ids::SchemaId;
use domain::metadata::SchemaOwner;
use domain::ports::{Access, Clock, StoredSchemas};
use domain::scope::{Reach, Scope};
use domain::testing::deed;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use uuid::Uuid;

use crate::support::organization::{path, valid};
use crate::support::store::{CLOSING, FOREIGN, HOME, ORGANIZATION, assistant_of, number_of};
use crate::support::wire::Request;
use crate::support::{App, store, valid_create};

const UNKNOWN: Uuid = Uuid::from_u128(0xDEAD);

/// Every endpoint, with a request that would be taken from whoever may.
fn endpoints(app: &App, call: &str) -> Vec<Request> {
    let metadata = format!("{}/metadata", path(ORGANIZATION));
    let own = json!({"name": "North", "email": "desk@clinic.example"});
    vec![
        app.post("/api/organization").json(&valid(&json!({}))),
        app.get("/api/organization"),
        app.get(&path(ORGANIZATION)),
        app.put(&path(ORGANIZATION)).json(&own),
        app.delete(&path(CLOSING)),
        app.put(&metadata).json(&json!({"metadata": {}})),
        app.get(&format!("/api/calls?organizationId={ORGANIZATION}")),
        app.get(&format!("/api/calls/{call}")),
        app.post("/api/outbound").json(&valid_create()),
        app.get(&format!("/api/outbound/{call}/status")),
    ]
}

/// An answer is in the interface's shape, with this status and text.
async fn is(request: Request, status: u16, text: &str) {
    let answer = request.send().await;
    assert_eq!(answer.error(status), text, "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_row_of_the_error_table_holds_to_the_letter() {
    let app = App::start().await;
    let (key, tenants) = (app.key(), app.tenant_key());
    let call = app.placed().await;

    // 400, Update Organization: name or email missing.
    for body in [json!({"name": "North"}), json!({"email": "a@b.example"}), json!({})] {
        let text = "Missing required fields: name and email are required";
        is(app.put(&path(ORGANIZATION)).key(&tenants).json(&body), 400, text).await;
    }

    // 400, Update Metadata: metadata fails the stored schema.
    let schema = json!({"type": "object", "required": ["plan"]});
    let (owner, id) = (SchemaOwner::Organization(ORGANIZATION), SchemaId::from_uuid(Uuid::from_u128(1)));
    app.store.inner.put(Reach::Everything, owner, id, schema, None, deed(app.clock.now())).await.unwrap();
    let metadata = |id: &dyn std::fmt::Display, value: Value| {
        app.put(&format!("{}/metadata", path(id))).key(&tenants).json(&json!({ "metadata": value }))
    };
    let answer = metadata(&ORGANIZATION, json!({"seats": 1})).send().await;
    let error = answer.error(400);
    let reason = error.strip_prefix("Schema validation failed: ").unwrap();
    assert!(reason.contains("plan"), "{reason}");

    // 400, List Calls and Create Outbound Call: invalid query or body, with details.
    let list = |query: &str| app.get(&format!("/api/calls?organizationId={ORGANIZATION}&{query}")).key(&key);
    for (request, problem) in [
        (list("callType=Phone"), "callType invalid_enum_value"),
        (list("from=yesterday"), "from invalid_string"),
        (list("to=2026-02-30"), "to invalid_string"),
        (list("from=2026-03-02&to=2026-03-01"), "from custom"),
        (app.create(&json!({"phoneNumber": "555-0123"})), "phoneNumber too_small"),
    ] {
        is(request.clone(), 400, "Invalid request data").await;
        assert_eq!(request.send().await.problems(), [problem]);
    }

    // 401, all: missing or invalid key.
    let (revoked, id) = app.issue(Scope::Tenant(store::TENANT), &Permission::ALL);
    assert!(app.store.inner.revoke(Reach::Everything, id, deed(app.clock.now())).await.unwrap());
    for request in endpoints(&app, &call) {
        for key in ["", "x", "cw_org_x", &revoked] {
            is(request.clone().key(key), 401, "Invalid or missing API key").await;
        }
        is(request, 401, "Invalid or missing API key").await;
    }

    // 403, Create Outbound Call: key lacks permission to trigger outbound calls.
    let reader = app.key_for(HOME, &[Permission::CallsRead, Permission::OutboundRead]);
    is(app.create(&json!({})).key(&reader), 403, "Insufficient permissions").await;

    // 404: what is not there, or another's.
    let update = json!({"name": "North", "email": "desk@clinic.example"});
    for id in [UNKNOWN.to_string(), FOREIGN.to_string(), "x".to_owned()] {
        let text = "Organization not found for the provided ID";
        is(app.put(&path(&id)).key(&tenants).json(&update), 404, text).await;
        let text = "Organization metadata not found for the provided ID";
        is(metadata(&id, json!({})), 404, text).await;
        is(app.get(&format!("/api/calls?organizationId={id}")).key(&key), 404, "Organization not found")
            .await;
    }
    let foreign = app.key_for(Scope::Organization(store::OTHER_TENANT, FOREIGN), &Permission::ALL);
    for (id, key) in [(UNKNOWN.to_string(), &key), ("x".to_owned(), &key), (call.clone(), &foreign)] {
        let text = "Call not found for the provided ID";
        is(app.get(&format!("/api/calls/{id}")).key(key), 404, text).await;
        let text = "Outbound call not found";
        is(app.get(&format!("/api/outbound/{id}/status")).key(key), 404, text).await;
    }
    for part in [
        json!({"assistantId": UNKNOWN.to_string()}),
        json!({"phoneNumberId": UNKNOWN.to_string()}),
        json!({"assistantId": assistant_of(store::SISTER).to_string()}),
        json!({"phoneNumberId": number_of(FOREIGN).to_string()}),
    ] {
        is(app.create(&part), 404, "Assistant or phone number not found").await;
    }

    // 422, Create Outbound Call: organization inactive.
    let closing = app.key_for(Scope::Organization(store::TENANT, CLOSING), &Permission::ALL);
    let own = json!({
        "assistantId": assistant_of(CLOSING).to_string(), "phoneNumberId": number_of(CLOSING).to_string(),
    });
    let request = app.create(&own).key(&closing);
    assert_eq!(app.delete(&path(CLOSING)).key(&tenants).send().await.status, 200);
    is(request, 422, "Organization is inactive").await;

    // 500: server failure.
    let status = app.get(&format!("/api/outbound/{call}/status")).key(&key);
    app.store.broken.store(true, Ordering::SeqCst);
    is(status.clone(), 500, "Internal server error occurred").await;
    app.store.broken.store(false, Ordering::SeqCst);
    assert_eq!(status.send().await.status, 200);

    // 429, all: rate limit exceeded, by another address than before.
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    let busy = "198.51.100.2";
    for _ in 0..1_210 {
        status.clone().from(busy).send_on(&mut connection).await;
    }
    for request in endpoints(&app, &call) {
        let answer = request.from(busy).key(&tenants).send().await;
        assert_eq!(answer.error(429), "Too many requests");
        assert_eq!(answer.json()["retryAfter"], answer.number("retry-after"));
    }
}
