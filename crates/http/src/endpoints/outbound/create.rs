//! `POST /api/outbound`: dispatches one outbound call immediately.

use actix_web::http::Method;
use actix_web::web::{self, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use application::place_call::{PlaceError, Placed};
use application::requests::call_request;
use domain::access::Permission;
use domain::call::EndedReason;
use serde::Serialize;

use super::description;
use crate::error::{ApiError, both};
use crate::gate::Gate;
use crate::routes::{Endpoint, Needs};
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
        control::run(
            service,
            |service| async move { Ok(service.place_call.place(principal.scope, call).await?) },
        )
        .await?;
    Ok(idempotency::created(&Created::from(placed), placed.replayed))
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
            PlaceError::TooLong(problem) => Self::Invalid(vec![problem]),
            PlaceError::KeyTaken => idempotency::KEY_TAKEN,
            PlaceError::Unavailable => NO_NEW_CALLS,
            PlaceError::Store(store) => Self::Store(store),
        }
    }
}
