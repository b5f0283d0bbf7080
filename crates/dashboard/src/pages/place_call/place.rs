//! Placing a call from a form: as `POST /api/outbound` does it, and once, however often it is sent.

use actix_web::HttpResponse;
use application::place_call::{CallRequest, PlaceError};
use application::requests::call_request;
use domain::idempotency::{IdempotencyKey, Once};
use domain::ports::SetupError;
use domain::scope::{Reach, Scope};
use domain::test_line::TestCallee;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::form::{self, Typed};
use super::{variables, words};
use crate::answer;
use crate::error::PageError;
use crate::request::Inside;

/// Calls the number that was typed.
pub(super) async fn to_a_telephone(inside: Inside) -> Result<HttpResponse, PageError> {
    let once_key = sent_once(&inside, "call")?;
    let typed = Typed::of(&inside.form);
    let mut body = Map::new();
    for (field, value) in [
        ("phoneNumber", &typed.phone_number),
        ("assistantId", &typed.assistant),
        ("phoneNumberId", &typed.number),
        ("customerName", &typed.customer_name),
        ("callbackUrl", &typed.callback_url),
    ] {
        if !value.is_empty() {
            body.insert(field.to_owned(), json!(value));
        }
    }
    let mut unreadable = None;
    match variables::read(&typed.variables, inside.language) {
        Ok(values) => _ = body.insert("dynamicVariables".to_owned(), values),
        Err(problem) => unreadable = Some(problem),
    }
    let body = Value::Object(body);
    let request = call_request(&body, &inside.service.calling.callback_addresses);
    let mut problems = form::Problems::default();
    if let Err(found) = &request {
        problems.extend(inside.language, found);
    }
    problems.variables.extend(unreadable);
    match request {
        Ok(request) if problems.is_empty() => carry_out(&inside, request, once_key, &body, typed).await,
        _ => form::again(&inside, typed, problems).await,
    }
}

/// Calls the telephone inside the service, over a line that is set up when it is not there yet.
pub(super) async fn to_the_built_in_phone(inside: Inside) -> Result<HttpResponse, PageError> {
    if !inside.service.calling.built_in_phone {
        return Err(PageError::NotFound);
    }
    let once_key = sent_once(&inside, "phone")?;
    let typed = Typed::of(&inside.form);
    let callee = TestCallee::parse(&typed.callee).ok_or(PageError::BadForm)?;
    let (organization, deed) = (inside.organization.id, inside.deed());
    let reach = Reach::Within(scope(&inside));
    let set_up = inside
        .write(
            |service| async move { service.calling.set_up_test_line.set_up(reach, organization, deed).await },
        )
        .await?;
    let number = set_up.map_err(|error| match error {
        SetupError::Unknown(_) => PageError::NotFound,
        SetupError::Store(store) => store.into(),
    })?;
    let mut body = json!({
        "phoneNumber": callee.number(),
        "assistantId": typed.tried_assistant,
        "phoneNumberId": number.to_string(),
    });
    if let (Value::Object(members), false) = (&mut body, typed.tried_name.is_empty()) {
        members.insert("customerName".to_owned(), json!(typed.tried_name));
    }
    match call_request(&body, &inside.service.calling.callback_addresses) {
        Ok(request) => carry_out(&inside, request, once_key, &body, typed).await,
        Err(found) => {
            let mut problems = form::Problems::default();
            problems.extend_tried(inside.language, &found);
            form::again(&inside, typed, problems).await
        }
    }
}

/// The one-time token of one of the page's forms. A form that is sent twice, by an impatient finger or by coming back to
/// it, is answered with the call that it placed.
fn sent_once(inside: &Inside, form: &str) -> Result<IdempotencyKey, PageError> {
    let token = inside.form.text("once").ok_or(PageError::BadForm)?;
    IdempotencyKey::parse(&format!("page-{form}-{token}")).ok_or(PageError::BadForm)
}

fn scope(inside: &Inside) -> Scope {
    Scope::Organization(inside.organization.tenant, inside.organization.id)
}

async fn carry_out(
    inside: &Inside,
    mut request: CallRequest,
    key: IdempotencyKey,
    body: &Value,
    typed: Typed,
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
        Err(PlaceError::KeyTaken) => words.sent_before,
        Err(PlaceError::Unavailable) => return Err(PageError::Unavailable),
        Err(PlaceError::Store(store)) => return Err(store.into()),
    };
    form::again(inside, typed, form::Problems::with_the_call(refusal)).await
}
