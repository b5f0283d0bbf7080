//! `PUT /api/organization/{id}/metadata`.

use domain::ids::SchemaId;
use domain::metadata::SchemaOwner;
use domain::ports::{Clock, StoredSchemas};
use domain::scope::{Reach, Scope};
use domain::testing::deed;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::store::{CLOSING, ORGANIZATION, SISTER};
use crate::support::wire::Request;
use crate::support::{App, store};

const NOT_FOUND: &str = "Organization metadata not found for the provided ID";

fn path(id: impl std::fmt::Display) -> String {
    format!("/api/organization/{id}/metadata")
}

fn replace(app: &App, id: impl std::fmt::Display, metadata: &Value) -> Request {
    app.put(&path(id)).key(&app.tenant_key()).json(&json!({ "metadata": metadata }))
}

async fn put_schema(app: &App, owner: SchemaOwner, number: u128, document: Value) {
    let id = SchemaId::from_uuid(Uuid::from_u128(number));
    app.store.inner.put(Reach::Everything, owner, id, document, None, deed(app.clock.now())).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replacement_is_answered_with_the_records_next_version() {
    let app = App::start().await;
    let (key, key_id) = app.issue(Scope::Tenant(store::TENANT), &[]);
    let metadata = json!({
        "plan": "gold", "seats": 3, "rate": 1.5, "on": true, "none": null, "empty": {}, "ünï": "🙂",
        "list": [1, "2", {"three": [3]}],
    });
    let body = json!({"metadata": metadata, "ignored": 1});
    let answer = app.put(&path(ORGANIZATION)).key(&key).json(&body).send().await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.number("x-ratelimit-limit"), 300);
    let record = answer.json();
    Uuid::parse_str(record["id"].as_str().unwrap()).unwrap();
    assert_eq!(
        record,
        json!({
            "id": record["id"],
            "organizationId": ORGANIZATION.to_string(),
            // The first one, `{}`, was made with the organization.
            "version": 2,
            "metadata": metadata,
            "createdAt": "2026-03-01T09:30:00.000Z",
            "createdBy": key_id.to_string(),
        })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn metadata_is_replaced_and_not_merged_under_the_same_record() {
    let app = App::start().await;
    let first = replace(&app, ORGANIZATION, &json!({"a": 1, "b": 2})).send().await.json();
    let second = replace(&app, ORGANIZATION, &json!({"b": 3})).send().await.json();
    assert_eq!(second["metadata"], json!({"b": 3}));
    assert_eq!((&first["version"], &second["version"]), (&json!(2), &json!(3)));
    assert_eq!(first["id"], second["id"]);
    let other = replace(&app, SISTER, &json!({})).send().await.json();
    assert_eq!((&other["version"], &other["metadata"]), (&json!(2), &json!({})));
    assert_ne!(other["id"], first["id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn metadata_that_fails_the_stored_schema_is_refused_with_the_reason() {
    let app = App::start().await;
    let tenants = json!({"type": "object", "required": ["plan"]});
    put_schema(&app, SchemaOwner::Tenant(store::TENANT), 1, tenants).await;
    let own = json!({"type": "object", "properties": {"seats": {"type": "integer"}}});
    put_schema(&app, SchemaOwner::Organization(SISTER), 2, own).await;
    for (organization, metadata, word) in [
        (ORGANIZATION, json!({}), Some("plan")),
        (ORGANIZATION, json!({"seats": "many"}), Some("plan")),
        (ORGANIZATION, json!({"plan": 1, "seats": "many"}), None),
        (SISTER, json!({}), None),
        (SISTER, json!({"seats": "many"}), Some("seats")),
        (SISTER, json!({"seats": 3}), None),
    ] {
        let answer = replace(&app, organization, &metadata).send().await;
        let Some(word) = word else {
            assert_eq!(answer.status, 200, "{metadata} {answer:?}");
            continue;
        };
        let error = answer.error(400);
        let reason = error.strip_prefix("Schema validation failed: ").unwrap();
        assert!(reason.contains(word), "{error}");
        assert_eq!(answer.json().as_object().unwrap().len(), 1);
    }
    // What was refused has made no version.
    let last = replace(&app, ORGANIZATION, &json!({"plan": 2})).send().await.json();
    assert_eq!(last["version"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_schema_holds_from_the_next_replacement_on() {
    let app = App::start().await;
    assert_eq!(replace(&app, ORGANIZATION, &json!({"a": 1})).send().await.status, 200);
    let closed = json!({"type": "object", "additionalProperties": false});
    put_schema(&app, SchemaOwner::Organization(ORGANIZATION), 1, closed).await;
    replace(&app, ORGANIZATION, &json!({"a": 1})).send().await.error(400);
    put_schema(&app, SchemaOwner::Organization(ORGANIZATION), 2, json!({})).await;
    assert_eq!(replace(&app, ORGANIZATION, &json!({"a": 1})).send().await.json()["version"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn metadata_has_to_be_there_and_to_be_an_object() {
    let app = App::start().await;
    let request = app.put(&path(ORGANIZATION)).key(&app.tenant_key());
    for body in [
        json!({}),
        json!({"Metadata": {}}),
        json!({"metadata": null}),
        json!({"metadata": []}),
        json!({"metadata": "{}"}),
        json!({"metadata": 1}),
        json!({"metadata": true}),
    ] {
        assert_eq!(request.clone().json(&body).send().await.problems(), ["metadata invalid_type"], "{body}");
    }
    assert_eq!(request.json(&json!([])).send().await.problems(), [" invalid_type"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_foreign_malformed_and_deleted_ids_get_the_same_404_to_the_byte() {
    let app = App::start().await;
    let deleted = app.delete(&format!("/api/organization/{CLOSING}")).key(&app.tenant_key()).send().await;
    assert_eq!(deleted.status, 200);
    let mut bodies = Vec::new();
    for id in [
        store::FOREIGN.to_string().as_str(),
        CLOSING.to_string().as_str(),
        Uuid::from_u128(0xDEAD).to_string().as_str(),
        &ORGANIZATION.to_string().replace('-', ""),
        "x",
        "%00",
        "%FF%FE",
        "..%2F..",
        &"9".repeat(2_000),
    ] {
        let answer = replace(&app, id, &json!({})).send().await;
        assert_eq!(answer.error(404), NOT_FOUND, "{id}");
        bodies.push(answer.body);
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_that_cannot_be_applied_is_our_fault_and_tells_nothing() {
    let app = App::start().await;
    // Nothing that the command line would have stored.
    let broken = json!({"type": "nothing that there is"});
    put_schema(&app, SchemaOwner::Organization(ORGANIZATION), 1, broken).await;
    let answer = replace(&app, ORGANIZATION, &json!({})).send().await;
    assert_eq!(answer.error(500), "Internal server error occurred");
    assert_eq!(replace(&app, SISTER, &json!({})).send().await.status, 200);
}
