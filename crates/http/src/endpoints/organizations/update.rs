//! `PUT /api/organization/{id}`: new values for an organization.

use std::borrow::Cow;

use actix_web::http::Method;
use actix_web::web::{self, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use application::requests::revision;
use domain::ids::OrganizationId;
use domain::ports::ReviseError;

use super::record::ShortRecord;
use super::{NOT_FOUND, description};
use crate::error::ApiError;
use crate::gate::Gate;
use crate::routes::{Endpoint, Needs};
use crate::{authentication, body, control};

/// Its entry in the table.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::PUT,
    path: "/api/organization/{id}",
    limit: Some(300),
    needs: Needs::TenantKey,
    handler: || web::to(update),
    describe: description::describe_update,
};

pub(super) const MISSING: ApiError =
    ApiError::Refused(Cow::Borrowed("Missing required fields: name and email are required"));

/// Key, body, organization.
async fn update(gate: Data<Gate>, request: HttpRequest, payload: Payload) -> Result<HttpResponse, ApiError> {
    let service = gate.service()?;
    let key = authentication::presented_key(&request)?;
    let principal = authentication::authorize(service, &key, ENDPOINT.needs).await?;
    let body = body::json(&request, payload).await?;
    // One that is not there at all has the interface's own words; one that is empty, `null` or
    // otherwise wrong is told with the other problems.
    if body.is_object() && (body.get("name").is_none() || body.get("email").is_none()) {
        return Err(MISSING);
    }
    let revision = revision(&body)?;
    let id = request.match_info().get("id").and_then(OrganizationId::parse).ok_or(NOT_FOUND)?;
    let (scope, deed) = (principal.scope, authentication::deed(&gate, &request, &principal));
    let revised = control::run(service, |service| async move {
        service.organizations.revise(scope, id, revision, None, deed).await.map_err(|error| match error {
            ReviseError::Store(away) => away.into(),
            // Nobody who says not what they saw is overtaken.
            ReviseError::Unknown(_) | ReviseError::Overtaken => NOT_FOUND,
        })
    })
    .await?;
    Ok(HttpResponse::Ok().json(ShortRecord::from(revised)))
}
