//! `GET /healthz` and `GET /readyz`: for whoever watches over the process; no key, not counted.

use actix_web::HttpResponse;
use actix_web::http::{Method, StatusCode};
use actix_web::web::{self, Data};
use serde_json::json;

use crate::error::ApiError;
use crate::gate::{Gate, Readiness};
use crate::openapi::schema::{Members, Part, choice, object};
use crate::openapi::{Description, Tag};
use crate::routes::{Endpoint, Needs};

const STARTING: ApiError = ApiError::Unavailable("The service is starting");
const NO_DATABASE: ApiError = ApiError::Unavailable("The database does not answer");
const DRAINING: ApiError = ApiError::Unavailable("The service is shutting down");

/// Whether the process answers at all.
pub(crate) const ALIVE: Endpoint = Endpoint {
    method: Method::GET,
    path: "/healthz",
    limit: None,
    needs: Needs::NoKey,
    handler: || web::to(alive),
    describe: describe_alive,
};

/// Whether it should be sent requests.
pub(crate) const READY: Endpoint = Endpoint {
    method: Method::GET,
    path: "/readyz",
    limit: None,
    needs: Needs::NoKey,
    handler: || web::to(ready),
    describe: describe_ready,
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
        Readiness::Ready | Readiness::Starting => Err(STARTING),
        Readiness::NoDatabase => Err(NO_DATABASE),
        Readiness::Draining => Err(DRAINING),
    }
}

static HEALTH: Part = Part {
    name: "Health",
    shape: || object("How the service stands.").always("status", choice("All is well.", ["ok", "ready"])),
    uses: &[],
};

fn describe_alive() -> Description {
    let words = "Whether the process answers at all.";
    Description::new("getHealth", Tag::Service, "Liveness", words).answers(
        StatusCode::OK,
        "The process answers.",
        &HEALTH,
        &[("alive", json!({ "status": "ok" }))],
    )
}

fn describe_ready() -> Description {
    let words = "Whether the service should be sent requests.";
    Description::new("getReadiness", Tag::Service, "Readiness", words)
        .answers(
            StatusCode::OK,
            "Requests will be served.",
            &HEALTH,
            &[("ready", json!({ "status": "ready" }))],
        )
        .refuses([STARTING, NO_DATABASE, DRAINING])
}
