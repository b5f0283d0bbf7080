//! Placing a call from a form: as `POST /api/outbound` does it, and once, however often it is sent.

use actix_web::HttpResponse;
use application::place_call::{CallRequest, PlaceError};
use application::requests::{Problem, call_request};
use domain::idempotency::{IdempotencyKey, Once};
use domain::scope::{Reach, Scope};
use domain::test_line::TestCallee;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::form::{self, FIELDS, WHOLE};
use super::{variables, words};
use crate::answer;
use crate::error::PageError;
use crate::pages::filled::Filled;
use crate::pages::once;
use crate::request::Inside;

const VARIABLES: &str = "dynamicVariables";

/// Calls the number that was typed.
pub(super) async fn to_a_telephone(inside: Inside) -> Result<HttpResponse, PageError> {
    let once_key = once::key(&inside, "call")?;
    let mut filled = Filled::typed(&inside, &FIELDS);
    let mut body = Map::new();
    for field in ["phoneNumber", "assistantId", "phoneNumberId", "customerName", "callbackUrl"] {
        let value = filled.value(field).trim();
        if !value.is_empty() {
            body.insert(field.to_owned(), json!(value));
        }
    }
    match variables::read(filled.value(VARIABLES)) {
        Ok(values) => _ = body.insert(VARIABLES.to_owned(), values),
        Err(unreadable) => filled.note(VARIABLES, &unreadable),
    }
    let body = Value::Object(body);
    let request = filled.judged(call_request(&body, &inside.service.calling.callback_addresses));
    match request {
        Some(request) if filled.is_fit() => carry_out(&inside, request, once_key, &body, filled).await,
        _ => form::page(&inside, filled).await,
    }
}

/// Calls the telephone inside the service, over a line that is set up when it is not there yet.
pub(super) async fn to_the_built_in_phone(inside: Inside) -> Result<HttpResponse, PageError> {
    if !inside.service.calling.built_in_phone {
        return Err(PageError::NotFound);
    }
    let once_key = once::key(&inside, "phone")?;
    let mut filled = Filled::typed(&inside, &FIELDS);
    let callee = TestCallee::parse(filled.value("callee")).ok_or(PageError::BadForm)?;
    let (organization, deed) = (inside.organization.id, inside.deed());
    let reach = Reach::Within(scope(&inside));
    let number = inside
        .write(
            |service| async move { service.calling.set_up_test_line.set_up(reach, organization, deed).await },
        )
        .await??;
    let mut body = json!({
        "phoneNumber": callee.number(),
        "assistantId": filled.value("assistant"),
        "phoneNumberId": number.to_string(),
    });
    let name = filled.value("name").trim();
    if let (Value::Object(members), false) = (&mut body, name.is_empty()) {
        members.insert("customerName".to_owned(), json!(name));
    }
    match call_request(&body, &inside.service.calling.callback_addresses) {
        Ok(request) => carry_out(&inside, request, once_key, &body, filled).await,
        Err(found) => {
            for Problem { field, fault } in found {
                filled.note(phone_field(&field), &fault);
            }
            form::page(&inside, filled).await
        }
    }
}

/// The field of the built-in phone's form for a field of the interface.
fn phone_field(field: &str) -> &'static str {
    if field == "customerName" { "name" } else { "assistant" }
}

fn scope(inside: &Inside) -> Scope {
    Scope::Organization(inside.organization.tenant, inside.organization.id)
}

async fn carry_out(
    inside: &Inside,
    mut request: CallRequest,
    key: IdempotencyKey,
    body: &Value,
    mut filled: Filled,
) -> Result<HttpResponse, PageError> {
    let scope = scope(inside);
    let fingerprint = Sha256::digest(body.to_string()).into();
    request.once = Some(Once { scope, key, fingerprint });
    request.by = Some(inside.deed());
    let placed =
        inside.write(|service| async move { service.calling.place_call.place(scope, request).await }).await?;
    let words = words::of(inside.language);
    let refusal = match placed {
        Ok(placed) => return Ok(answer::see(&inside.href(&format!("/calls/{}", placed.call)))),
        Err(PlaceError::NotFound) => words.not_found,
        Err(PlaceError::OrganizationInactive) => words.inactive,
        Err(PlaceError::TooLong(problem)) => {
            // Both forms share this; only the one to any telephone has the interface's fields.
            if filled.value("callee").is_empty() {
                filled.judged::<()>(Err(vec![problem]));
            } else {
                filled.note(phone_field(&problem.field), &problem.fault);
            }
            return form::page(inside, filled).await;
        }
        Err(PlaceError::KeyTaken) => words.sent_before,
        Err(PlaceError::Unavailable) => return Err(PageError::Unavailable),
        Err(PlaceError::Store(store)) => return Err(store.into()),
    };
    filled.note(WHOLE, refusal);
    form::page(inside, filled).await
}
