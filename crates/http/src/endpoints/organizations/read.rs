//! `GET /api/organization/{id}`: one organization, beside all that the key reaches.

use actix_web::http::Method;
use actix_web::web::{self, Data};
use actix_web::{HttpRequest, HttpResponse};
use domain::ids::OrganizationId;
use domain::ports::Reachable;
use serde::Serialize;

use super::record::FullRecord;
use super::{NOT_FOUND, description};
use crate::authentication;
use crate::error::ApiError;
use crate::gate::Gate;
use crate::routes::{Endpoint, Needs};

/// Its entry in the table.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::GET,
    path: "/api/organization/{id}",
    limit: Some(300),
    needs: Needs::TenantKey,
    handler: || web::to(read),
    describe: description::describe_read,
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    current_org: FullRecord,
    user_orgs: Vec<FullRecord>,
}

/// Key, organization; a deleted one is still shown.
async fn read(gate: Data<Gate>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let service = gate.service()?;
    let key = authentication::presented_key(&request)?;
    let principal = authentication::authorize(service, &key, ENDPOINT.needs).await?;
    let id = request.match_info().get("id").and_then(OrganizationId::parse).ok_or(NOT_FOUND)?;
    let found = service.organizations.read(principal.scope, id).await?.ok_or(NOT_FOUND)?;
    Ok(HttpResponse::Ok().json(Answer::from(found)))
}

impl From<Reachable> for Answer {
    fn from(found: Reachable) -> Self {
        Self {
            current_org: found.current.into(),
            user_orgs: found.all.into_iter().map(FullRecord::from).collect(),
        }
    }
}
