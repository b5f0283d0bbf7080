//! `POST /api/outbound`: dispatches one outbound call immediately.

use actix_web::http::Method;
use actix_web::web::{self, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use application::place_call::{CallRequest, PlaceError, Placed};
use domain::access::Permission;
use domain::call::EndedReason;
use domain::callback::{BadCallbackUrl, CallbackUrl, URL_LENGTH_MAX};
use domain::ids::{AssistantId, NumberId};
use domain::network::AddressPolicy;
use domain::number::{BadDestination, Destination};
use serde::Serialize;
use serde_json::Value;

use super::description;
use super::variables::variables;
use crate::error::ApiError;
use crate::gate::Gate;
use crate::routes::{Endpoint, Needs};
use crate::validation::{Code, Fault, Fields, both, longer_than, shorter_than, string, string_up_to, uuid};
use crate::{authentication, body, control, idempotency};

/// Its entry in the table.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::POST,
    path: "/api/outbound",
    limit: Some(600),
    needs: Needs::Permission(Permission::OutboundCreate),
    handler: || web::to(create),
    describe: description::describe_create,
};

/// The interface sets no bound for a name; this one is generous (it counts characters).
pub(super) const CUSTOMER_NAME_MAX: usize = 255;

/// The answer to an accepted request.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    outbound_call_id: String,
    contact_id: String,
    status: &'static str,
    message: &'static str,
}

/// Key, permission, body, call: in this order.
async fn create(gate: Data<Gate>, request: HttpRequest, payload: Payload) -> Result<HttpResponse, ApiError> {
    let service = gate.service()?;
    let key = authentication::presented_key(&request)?;
    let principal = authentication::authorize(service, &key, ENDPOINT.needs).await?;
    let body = body::json(&request, payload).await?;
    let call = call_request(&body, &service.callback_addresses);
    let (mut call, once) = both(call, idempotency::once(&request, principal.scope, &body))?;
    call.once = once;
    let placed =
        control::run(service, |service| async move { Ok(service.place_call.place(&principal, call).await?) })
            .await?;
    Ok(idempotency::created(&Created::from(placed), placed.replayed))
}

/// Reads the body's fields; all that is wrong with them is told together.
fn call_request(body: &Value, callbacks: &AddressPolicy) -> Result<CallRequest, ApiError> {
    let mut fields = Fields::of(body)?;
    let destination = fields.required("phoneNumber", destination);
    let assistant = fields.required("assistantId", |value| uuid(value, AssistantId::parse));
    let number = fields.required("phoneNumberId", |value| uuid(value, NumberId::parse));
    let customer_name = fields.optional("customerName", |value| string_up_to(CUSTOMER_NAME_MAX, value));
    let variables = fields.optional_parts("dynamicVariables", variables);
    let callback_url = fields.optional("callbackUrl", |value| callback_url(value, callbacks));
    let required = destination.zip(assistant).zip(number);
    fields.finish(required.map(|((destination, assistant), number)| CallRequest {
        destination,
        assistant,
        number,
        customer_name: customer_name.map(str::to_owned),
        variables: variables.unwrap_or_default(),
        callback_url,
        once: None,
    }))
}

fn destination(value: &Value) -> Result<Destination, Fault> {
    Destination::parse(string(value)?).map_err(|bad| match bad {
        BadDestination::TooShort => shorter_than(Destination::LENGTH_MIN),
        BadDestination::TooLong => longer_than(Destination::LENGTH_MAX),
        BadDestination::NotANumber => Fault::new(Code::InvalidString, "Invalid phone number"),
    })
}

fn callback_url(value: &Value, addresses: &AddressPolicy) -> Result<CallbackUrl, Fault> {
    CallbackUrl::parse(string(value)?, addresses).map_err(|bad| match bad {
        BadCallbackUrl::Malformed => Fault::new(Code::InvalidString, "Invalid url"),
        BadCallbackUrl::TooLong => longer_than(URL_LENGTH_MAX),
        BadCallbackUrl::NotHttps => Fault::new(Code::Custom, "URL must use https"),
        BadCallbackUrl::RefusedAddress => Fault::new(Code::Custom, "URL must point to a public address"),
    })
}

impl From<Placed> for Created {
    fn from(placed: Placed) -> Self {
        Self {
            outbound_call_id: placed.call.to_string(),
            contact_id: placed.contact.to_string(),
            status: placed.status.as_str(),
            message: message(placed.reason),
        }
    }
}

/// What people read.
pub(super) fn message(failed_because: Option<EndedReason>) -> &'static str {
    match failed_because {
        None => "Outbound call initiated successfully",
        Some(EndedReason::TrunkUnreachable) => "The call could not be placed: the trunk is unreachable",
        Some(EndedReason::TrunkRejected) => "The call could not be placed: the trunk rejected it",
        Some(EndedReason::CapacityExceeded) => "The call could not be placed: no line is free at the moment",
        Some(EndedReason::InvalidNumber) => "The call could not be placed: the phone number cannot be dialed",
        Some(EndedReason::AssistantError) => "The call could not be placed: the assistant could not start",
        Some(_) => "The call could not be placed",
    }
}

pub(super) const NOT_FOUND: ApiError = ApiError::NotFound("Assistant or phone number not found");
pub(super) const INACTIVE: ApiError = ApiError::Unprocessable("Organization is inactive");
pub(super) const NO_NEW_CALLS: ApiError = ApiError::Unavailable("No new calls are taken at the moment");

impl From<PlaceError> for ApiError {
    fn from(error: PlaceError) -> Self {
        match error {
            PlaceError::NotFound => NOT_FOUND,
            PlaceError::OrganizationInactive => INACTIVE,
            PlaceError::KeyTaken => idempotency::KEY_TAKEN,
            PlaceError::Unavailable => NO_NEW_CALLS,
            PlaceError::Store(store) => Self::Store(store),
        }
    }
}
