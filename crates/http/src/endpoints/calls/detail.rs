//! `GET /api/calls/{id}`: one call in detail.

use actix_web::http::Method;
use actix_web::web::{self, Data};
use actix_web::{HttpRequest, HttpResponse};
use application::causes::causes;
use domain::access::Permission;
use domain::call::{ArtifactKey, ArtifactKind};
use domain::ids::CallId;
use domain::ports::Artifacts;
use time::OffsetDateTime;

use super::description;
use super::record::{Addresses, DetailRecord};
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
    let addresses = addresses(service.artifacts.as_ref(), gate.front.clock.now(), &found.artifacts).await;
    Ok(HttpResponse::Ok().json(DetailRecord::new(found, addresses)))
}

/// Fresh addresses of what is stored. Without one the rest of the record is still worth having.
async fn addresses(artifacts: &dyn Artifacts, now: OffsetDateTime, stored: &[ArtifactKey]) -> Addresses {
    let mut addresses = Addresses::default();
    for key in stored {
        match artifacts.sign(key, now).await {
            Ok(address) => match key.kind {
                ArtifactKind::Recording => addresses.recording = Some(address),
                ArtifactKind::Transcript => addresses.transcript = Some(address),
            },
            Err(failure) => {
                tracing::error!(call = %key.call, error = causes(&failure), "an address could not be signed");
            }
        }
    }
    addresses
}
