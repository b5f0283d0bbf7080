//! `GET /api/outbound/{id}/status`: where an outbound call stands.

use actix_web::http::Method;
use actix_web::web::{self, Data};
use actix_web::{HttpRequest, HttpResponse};
use domain::access::Permission;
use domain::call::{CallDetails, OutboundStatus};
use domain::ids::CallId;
use domain::timestamp::rfc3339;
use serde::Serialize;

use crate::authentication;
use crate::error::ApiError;
use crate::gate::Gate;
use crate::routes::{Endpoint, Needs};

/// Its entry in the table.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    path: "/api/outbound/{id}/status",
    limit: Some(600),
    needs: Needs::Permission(Permission::OutboundRead),
    handler: || web::to(status),
    describe: super::description::describe_status,
};

/// Unknown, foreign and malformed ids are told apart by nothing.
pub(super) const NOT_FOUND: ApiError = ApiError::NotFound("Outbound call not found");

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    outbound_call_id: String,
    contact_id: String,
    status: &'static str,
    call_details: Option<Details>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Details {
    started_at: Option<String>,
    ended_at: String,
    duration: Option<u64>,
    ended_reason: &'static str,
}

/// Key, permission, call: reads only, which stay on this thread and end with their request.
async fn status(gate: Data<Gate>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let key = authentication::presented_key(&request)?;
    let call = request.match_info().get("id").and_then(CallId::parse);
    let service = gate.service()?;
    let principal = authentication::authorize(service, &key, ENDPOINT.needs).await?;
    let call = call.ok_or(NOT_FOUND)?;
    let found = service.outbound_calls.status(principal.scope, call).await?.ok_or(NOT_FOUND)?;
    Ok(HttpResponse::Ok().json(Answer::from(found)))
}

impl From<OutboundStatus> for Answer {
    fn from(found: OutboundStatus) -> Self {
        Self {
            outbound_call_id: found.call.to_string(),
            contact_id: found.contact.to_string(),
            status: found.status.as_str(),
            call_details: found.details.map(Details::from),
        }
    }
}

impl From<CallDetails> for Details {
    fn from(details: CallDetails) -> Self {
        Self {
            started_at: details.started_at.map(rfc3339),
            ended_at: rfc3339(details.ended_at),
            duration: details.duration,
            ended_reason: details.reason.as_str(),
        }
    }
}
