//! `PUT /api/organization/{id}`: new values for an organization.

use std::borrow::Cow;

use actix_web::http::Method;
use actix_web::web::{self, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use domain::ids::OrganizationId;
use domain::organization::Revision;
use serde_json::Value;

use super::fields::{any_text, email, timezone};
use super::record::ShortRecord;
use super::{NOT_FOUND, description};
use crate::error::ApiError;
use crate::gate::Gate;
use crate::routes::{Endpoint, Needs};
use crate::validation::{Fields, text};
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
    let revision = revision(&body::json(&request, payload).await?)?;
    let id = request.match_info().get("id").and_then(OrganizationId::parse).ok_or(NOT_FOUND)?;
    let (tenant, by) = (principal.scope.tenant(), principal.key.to_string());
    let now = gate.front.clock.now();
    let revised = control::run(service, |service| async move {
        Ok(service.organizations.revise(tenant, id, revision, by, now).await?)
    })
    .await?;
    Ok(HttpResponse::Ok().json(ShortRecord::from(revised.ok_or(NOT_FOUND)?)))
}

/// Reads the body's fields. A name or email that is not there at all has the interface's own words;
/// one that is empty, `null` or otherwise wrong is told with the other problems.
fn revision(body: &Value) -> Result<Revision, ApiError> {
    let mut fields = Fields::of(body)?;
    if !fields.has("name") || !fields.has("email") {
        return Err(MISSING);
    }
    let name = fields.required("name", text);
    let email = fields.required("email", email);
    let address = fields.optional("address", any_text);
    let city = fields.optional("city", any_text);
    let state_province = fields.optional("stateProvince", any_text);
    let postal_code = fields.optional("postalCode", any_text);
    let country = fields.optional("country", any_text);
    let phone_number = fields.optional("phoneNumber", any_text);
    let timezone = fields.optional("timezone", timezone);
    fields.finish(name.zip(email).map(|(name, email)| Revision {
        name,
        email,
        address,
        city,
        state_province,
        postal_code,
        country,
        phone_number,
        timezone,
    }))
}
