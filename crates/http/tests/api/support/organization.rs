//! Organizations of the tests.

use domain::ids::OrganizationId;
use domain::organization::Organization;
use domain::ports::Organizations;
use domain::scope::Scope;
use serde_json::{Value, json};

use super::{App, store};

/// The smallest body that is accepted, with `body` laid over it.
pub(crate) fn valid(body: &Value) -> Value {
    let mut whole = json!({
        "name": "South Clinic",
        "email": "south@clinic.example",
        "address": "2 Main St",
        "city": "Toronto",
        "stateProvince": "ON",
        "postalCode": "M5H 2N2",
        "country": "CA",
        "phoneNumber": "416-555-0100",
        "timezone": "America/Toronto",
    });
    for (name, value) in body.as_object().unwrap() {
        whole[name] = value.clone();
    }
    whole
}

/// The path of an organization.
pub(crate) fn path(id: impl std::fmt::Display) -> String {
    format!("/api/organization/{id}")
}

/// Creates an organization and returns its short record.
pub(crate) async fn created(app: &App, body: &Value) -> Value {
    let answer = app.post("/api/organization").key(&app.tenant_key()).json(&valid(body)).send().await;
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.json()
}

/// What is stored of an organization of the usual tenant.
pub(crate) async fn stored(app: &App, id: &str) -> Organization {
    let id = OrganizationId::parse(id).unwrap();
    app.store.inner.read(Scope::Tenant(store::TENANT), id).await.unwrap().unwrap().current
}
