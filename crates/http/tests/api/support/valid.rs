//! One valid request for every endpoint of the table; an endpoint that is missing here fails the tests
//! that are made from the table.

use domain::ids::OrganizationId;
use http_api::{Entry, entries};
use serde_json::{Value, json};

use super::store::{assistant_of, number_of};

/// Something that belongs to an organization, whatever it is that an endpoint asks for.
#[derive(Clone, Debug)]
pub(crate) struct Thing {
    /// The organization.
    pub(crate) organization: OrganizationId,
    /// One of its outbound calls.
    pub(crate) call: String,
}

impl Thing {
    /// What nobody has.
    pub(crate) fn missing() -> Self {
        let nowhere = uuid::Uuid::from_u128(0xdead);
        Self { organization: OrganizationId::from_uuid(nowhere), call: nowhere.to_string() }
    }
}

/// A request as the endpoint wants it, without its key.
#[derive(Clone, Debug)]
pub(crate) struct Valid {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    /// All query parameters that the endpoint knows, with valid values.
    pub(crate) query: Vec<(&'static str, String)>,
    /// All fields that the endpoint knows, with valid values.
    pub(crate) body: Option<Value>,
    /// Whether it asks for something that belongs to an organization.
    pub(crate) owned: bool,
}

impl Valid {
    /// Path and query.
    pub(crate) fn target(&self) -> String {
        let query: Vec<_> = self.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if query.is_empty() { self.path.clone() } else { format!("{}?{}", self.path, query.join("&")) }
    }
}

/// Every endpoint that shows somebody's data.
pub(crate) fn keyed_entries() -> impl Iterator<Item = Entry> {
    entries().filter(|entry| entry.needs.a_key())
}

/// How to ask an endpoint of the table for a thing.
pub(crate) fn valid(entry: &Entry, thing: &Thing) -> Valid {
    let organization = thing.organization.to_string();
    let id = match entry.path {
        "/api/outbound/{id}/status" | "/api/calls/{id}" => thing.call.clone(),
        _ => organization.clone(),
    };
    let mut valid = Valid {
        method: entry.method,
        path: entry.path.replace("{id}", &id),
        query: Vec::new(),
        body: None,
        owned: true,
    };
    match (entry.method, entry.path) {
        ("POST", "/api/outbound") => {
            valid.body = Some(json!({
                "phoneNumber": "+14155550123",
                "assistantId": assistant_of(thing.organization).to_string(),
                "phoneNumberId": number_of(thing.organization).to_string(),
                "customerName": "Ada",
                "dynamicVariables": {"day": "Monday"},
                "callbackUrl": "https://receiver.example.com/hook",
            }));
        }
        ("GET", "/api/outbound/{id}/status" | "/api/calls/{id}")
        | ("GET" | "DELETE", "/api/organization/{id}") => {}
        ("GET", "/api/calls") => {
            valid.query = vec![
                ("organizationId", organization),
                ("page", "1".into()),
                ("limit", "20".into()),
                ("callType", "Outbound".into()),
                ("agentName", "Ada".into()),
                ("from", "2020-01-01T00:00:00Z".into()),
                ("to", "2030-01-01T00:00:00Z".into()),
                ("userPrimaryIntent", "booking".into()),
                ("sort", "desc".into()),
            ];
        }
        ("POST", "/api/organization") => {
            valid.owned = false;
            valid.body = Some(profile());
        }
        ("GET", "/api/organization") => {
            valid.owned = false;
            valid.query = vec![
                ("page", "1".into()),
                ("limit", "10".into()),
                ("sort", "-createdAt".into()),
                ("search", "Clinic".into()),
            ];
        }
        ("PUT", "/api/organization/{id}") => {
            let mut body = profile();
            body.as_object_mut().unwrap().remove("externalId");
            valid.body = Some(body);
        }
        ("PUT", "/api/organization/{id}/metadata") => {
            valid.body = Some(json!({"metadata": {"plan": "gold", "seats": 3}}));
        }
        (method, path) => panic!("{method} {path} is new: say here how to ask for it"),
    }
    valid
}

fn profile() -> Value {
    json!({
        "name": "North Clinic",
        "email": "desk@clinic.example",
        "address": "1 Main St",
        "city": "Halifax",
        "stateProvince": "NS",
        "postalCode": "B3H 1A1",
        "country": "CA",
        "phoneNumber": "902-555-0100",
        "timezone": "America/Halifax",
        "externalId": "ext-1",
    })
}
