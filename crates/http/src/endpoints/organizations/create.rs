//! `POST /api/organization`: a new organization of the tenant.

use actix_web::http::Method;
use actix_web::web::{self, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use application::create_organization::CreatedOrganization;
use domain::organization::Profile;
use domain::ports::CreateOrganizationError;
use serde_json::Value;

use super::description;
use super::fields::{email, timezone};
use super::record::ShortRecord;
use crate::error::ApiError;
use crate::gate::Gate;
use crate::routes::{Endpoint, Needs};
use crate::validation::{Fields, both, text};
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
    let (tenant, by) = (principal.scope.tenant(), principal.key.to_string());
    let created = control::run(service, |service| async move {
        Ok(service.create_organization.create(tenant, profile, by, once).await?)
    })
    .await?;
    match created {
        CreatedOrganization::Fresh(made) => Ok(idempotency::created(&ShortRecord::from(made), false)),
        CreatedOrganization::Replayed(made) => Ok(idempotency::created(&ShortRecord::from(made), true)),
        CreatedOrganization::KeyTaken => Err(idempotency::KEY_TAKEN),
    }
}

/// Reads the body's fields; all that is wrong with them is told together.
fn profile(body: &Value) -> Result<Profile, ApiError> {
    let mut fields = Fields::of(body)?;
    let name = fields.required("name", text);
    let email = fields.required("email", email);
    let address = fields.required("address", text);
    let city = fields.required("city", text);
    let state_province = fields.required("stateProvince", text);
    let postal_code = fields.required("postalCode", text);
    let country = fields.required("country", text);
    let phone_number = fields.required("phoneNumber", text);
    let timezone = fields.required("timezone", timezone);
    let external_id = fields.optional("externalId", text);
    let whole = || {
        Some(Profile {
            name: name?,
            email: email?,
            image: None,
            address: address?,
            city: city?,
            state_province: state_province?,
            postal_code: postal_code?,
            country: country?,
            phone_number: phone_number?,
            timezone: timezone?,
            external_id,
        })
    };
    fields.finish(whole())
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
