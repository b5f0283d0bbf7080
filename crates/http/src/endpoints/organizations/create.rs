//! `POST /api/organization`: a new organization of the tenant.

use actix_web::http::Method;
use actix_web::web::{self, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use application::create_organization::CreatedOrganization;
use application::requests::profile;
use domain::ports::CreateOrganizationError;

use super::description;
use super::record::ShortRecord;
use crate::error::{ApiError, both};
use crate::gate::Gate;
use crate::routes::{Endpoint, Needs};
use crate::{authentication, body, control, idempotency};

/// Its entry in the table.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::POST,
    path: "/api/organization",
    limit: Some(600),
    needs: Needs::TenantKey,
    handler: || web::to(create),
    describe: description::describe_create,
};

/// Key, body, organization.
async fn create(gate: Data<Gate>, request: HttpRequest, payload: Payload) -> Result<HttpResponse, ApiError> {
    let service = gate.service()?;
    let key = authentication::presented_key(&request)?;
    let principal = authentication::authorize(service, &key, ENDPOINT.needs).await?;
    let body = body::json(&request, payload).await?;
    let (profile, once) = both(profile(&body), idempotency::once(&request, principal.scope, &body))?;
    let (tenant, deed) = (principal.scope.tenant(), authentication::deed(&gate, &request, &principal));
    let created = control::run(service, |service| async move {
        Ok(service.create_organization.create(tenant, profile, deed, once).await?)
    })
    .await?;
    match created {
        CreatedOrganization::Fresh(made) => Ok(idempotency::created(&ShortRecord::from(made), false)),
        CreatedOrganization::Replayed(made) => Ok(idempotency::created(&ShortRecord::from(made), true)),
        CreatedOrganization::KeyTaken => Err(idempotency::KEY_TAKEN),
    }
}

impl From<CreateOrganizationError> for ApiError {
    fn from(error: CreateOrganizationError) -> Self {
        match error {
            CreateOrganizationError::UnknownTenant => {
                // The key was found together with its tenant, and tenants are not deleted.
                tracing::error!("the key's tenant is unknown");
                Self::Internal
            }
            CreateOrganizationError::Store(store) => Self::Store(store),
        }
    }
}
