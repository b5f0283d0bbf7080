//! `PUT /api/organization/{id}/metadata`: the next version of an organization's metadata.

use actix_web::http::Method;
use actix_web::web::{self, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use application::causes::causes;
use application::replace_metadata::ReplaceMetadataError;
use domain::ids::OrganizationId;
use domain::metadata::MetadataRecord;
use domain::timestamp::rfc3339;
use serde::Serialize;
use serde_json::{Map, Value};

use super::description;
use crate::error::ApiError;
use crate::gate::Gate;
use crate::routes::{Endpoint, Needs};
use crate::{authentication, body, control};
use application::requests::{Fields, object};

/// Its entry in the table.
pub(crate) const ENDPOINT: Endpoint = Endpoint {
    method: Method::PUT,
    path: "/api/organization/{id}/metadata",
    limit: Some(300),
    needs: Needs::TenantKey,
    handler: || web::to(replace),
    describe: description::describe_metadata,
};

/// Unknown, foreign, malformed and deleted are told apart by nothing.
pub(super) const NOT_FOUND: ApiError =
    ApiError::NotFound("Organization metadata not found for the provided ID");

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    id: String,
    organization_id: String,
    version: u32,
    metadata: Map<String, Value>,
    created_at: String,
    created_by: String,
}

/// Key, body, organization, schema.
async fn replace(gate: Data<Gate>, request: HttpRequest, payload: Payload) -> Result<HttpResponse, ApiError> {
    let service = gate.service()?;
    let key = authentication::presented_key(&request)?;
    let principal = authentication::authorize(service, &key, ENDPOINT.needs).await?;
    let metadata = metadata(&body::json(&request, payload).await?)?;
    let id = request.match_info().get("id").and_then(OrganizationId::parse).ok_or(NOT_FOUND)?;
    let (scope, deed) = (principal.scope, authentication::deed(&gate, &request, &principal));
    let record = control::run(service, |service| async move {
        Ok(service.replace_metadata.replace(scope, id, metadata, None, deed).await?)
    })
    .await?;
    Ok(HttpResponse::Ok().json(Answer::from(record)))
}

fn metadata(body: &Value) -> Result<Map<String, Value>, ApiError> {
    let mut fields = Fields::of(body)?;
    let metadata = fields.required("metadata", object).cloned();
    Ok(fields.finish(metadata)?)
}

impl From<MetadataRecord> for Answer {
    fn from(record: MetadataRecord) -> Self {
        Self {
            id: record.id.to_string(),
            organization_id: record.organization.to_string(),
            version: record.version,
            metadata: record.metadata,
            created_at: rfc3339(record.created_at),
            created_by: record.created_by,
        }
    }
}

impl From<ReplaceMetadataError> for ApiError {
    fn from(error: ReplaceMetadataError) -> Self {
        match error {
            ReplaceMetadataError::NotFound => NOT_FOUND,
            ReplaceMetadataError::Breaks(reason) => {
                Self::Refused(format!("Schema validation failed: {reason}").into())
            }
            ReplaceMetadataError::CannotJudge(failure) => {
                tracing::error!(cause = causes(&failure), "metadata cannot be judged");
                Self::Internal
            }
            // The interface replaces whatever is there.
            ReplaceMetadataError::Overtaken | ReplaceMetadataError::SchemaKeepsChanging => {
                Self::Unavailable("The organization's schema is being changed")
            }
            ReplaceMetadataError::Store(store) => Self::Store(store),
        }
    }
}
