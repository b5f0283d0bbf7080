//! `GET /healthz` and `GET /readyz`: for whoever watches over the process; no key, not counted.

use actix_web::HttpResponse;
use actix_web::http::Method;
use actix_web::web::{self, Data};
use serde_json::json;

use crate::error::ApiError;
use crate::gate::{Gate, Readiness};
use crate::routes::{Endpoint, Needs};

/// Whether the process answers at all.
pub(crate) const ALIVE: Endpoint = Endpoint {
    method: Method::GET,
    path: "/healthz",
    limit: None,
    needs: Needs::NoKey,
    handler: || web::to(alive),
};

/// Whether it should be sent requests.
pub(crate) const READY: Endpoint = Endpoint {
    method: Method::GET,
    path: "/readyz",
    limit: None,
    needs: Needs::NoKey,
    handler: || web::to(ready),
};

/// Answers 200 as long as the process runs.
async fn alive() -> HttpResponse {
    HttpResponse::Ok().json(json!({ "status": "ok" }))
}

/// Answers 200 when requests will be served, else 503 with the reason.
async fn ready(gate: Data<Gate>) -> Result<HttpResponse, ApiError> {
    match (gate.front.readiness)() {
        Readiness::Ready if gate.service().is_ok() => {
            Ok(HttpResponse::Ok().json(json!({ "status": "ready" })))
        }
        Readiness::Ready | Readiness::Starting => Err(ApiError::Unavailable("The service is starting")),
        Readiness::NoDatabase => Err(ApiError::Unavailable("The database does not answer")),
        Readiness::Draining => Err(ApiError::Unavailable("The service is shutting down")),
    }
}
