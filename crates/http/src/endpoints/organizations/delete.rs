//! `DELETE /api/organization/{id}`: an organization becomes inactive; its record is kept.

use actix_web::http::Method;
use actix_web::web::{self, Data};
use actix_web::{HttpRequest, HttpResponse};
use domain::ids::OrganizationId;
use domain::scope::Reach;
use serde::Serialize;

use super::{NOT_FOUND, description};
use crate::error::ApiError;
use crate::gate::Gate;
use crate::routes::{Endpoint, Needs};
use crate::{authentication, control};

/// Its entry in the table.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::DELETE,
    path: "/api/organization/{id}",
    limit: Some(300),
    needs: Needs::TenantKey,
    handler: || web::to(delete),
    describe: description::describe_delete,
};

/// What people read.
pub(super) const MESSAGE: &str = "Organization deleted successfully";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    message: &'static str,
    organization_id: String,
}

/// Key, organization.
async fn delete(gate: Data<Gate>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let service = gate.service()?;
    let key = authentication::presented_key(&request)?;
    let principal = authentication::authorize(service, &key, ENDPOINT.needs).await?;
    let id = request.match_info().get("id").and_then(OrganizationId::parse).ok_or(NOT_FOUND)?;
    let (reach, deed) = (Reach::Within(principal.scope), authentication::deed(&gate, &request, &principal));
    let removed =
        control::run(
            service,
            |service| async move { Ok(service.organizations.remove(reach, id, deed).await?) },
        )
        .await?;
    if !removed {
        return Err(NOT_FOUND);
    }
    Ok(HttpResponse::Ok().json(Answer { message: MESSAGE, organization_id: id.to_string() }))
}
