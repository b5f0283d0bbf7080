//! `GET /healthz` and `GET /readyz`: for whoever watches over the process; no key, not counted.

use actix_web::HttpResponse;
use actix_web::web::Data;
use serde_json::json;

use crate::error::ApiError;
use crate::gate::{Gate, Readiness};

/// Whether the process answers at all.
pub(crate) const ALIVE: &str = "/healthz";
/// Whether it should be sent requests.
pub(crate) const READY: &str = "/readyz";

/// Answers 200 as long as the process runs.
pub(crate) async fn alive() -> HttpResponse {
    HttpResponse::Ok().json(json!({ "status": "ok" }))
}

/// Answers 200 when requests will be served, else 503 with the reason.
pub(crate) async fn ready(gate: Data<Gate>) -> Result<HttpResponse, ApiError> {
    match (gate.front.readiness)() {
        Readiness::Ready if gate.service().is_ok() => {
            Ok(HttpResponse::Ok().json(json!({ "status": "ready" })))
        }
        Readiness::Ready | Readiness::Starting => Err(ApiError::Unavailable("The service is starting")),
        Readiness::NoDatabase => Err(ApiError::Unavailable("The database does not answer")),
        Readiness::Draining => Err(ApiError::Unavailable("The service is shutting down")),
    }
}
