//! `GET /api/calls/{id}`: one call in detail.

use actix_web::http::Method;
use actix_web::web::{self, Data};
use actix_web::{HttpRequest, HttpResponse};
use domain::access::Permission;
use domain::ids::CallId;

use super::description;
use super::record::DetailRecord;
use crate::authentication;
use crate::error::ApiError;
use crate::gate::Gate;
use crate::routes::{Endpoint, Needs};

/// Its entry in the table.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    path: "/api/calls/{id}",
    limit: Some(1210),
    needs: Needs::Permission(Permission::CallsRead),
    handler: || web::to(detail),
    describe: description::describe_detail,
};

/// Unknown, foreign and malformed ids are told apart by nothing.
pub(super) const NOT_FOUND: ApiError = ApiError::NotFound("Call not found for the provided ID");

/// Key, permission, call.
async fn detail(gate: Data<Gate>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let service = gate.service()?;
    let key = authentication::presented_key(&request)?;
    let principal = authentication::authorize(service, &key, ENDPOINT.needs).await?;
    let call = request.match_info().get("id").and_then(CallId::parse).ok_or(NOT_FOUND)?;
    let found = service.call_records.read(principal.scope, call).await?.ok_or(NOT_FOUND)?;
    Ok(HttpResponse::Ok().json(DetailRecord::from(found)))
}
