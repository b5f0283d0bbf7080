//! Which path leads where, by which methods, and under which limit.

use actix_web::guard;
use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, Handler, HttpResponse, Resource, Responder};

use crate::endpoints::health;
use crate::endpoints::outbound::{create, status};
use crate::error::ApiError;

/// Whatever leads nowhere is counted against this limit.
const ELSEWHERE: u32 = 600;

/// The smallest limit of any endpoint: whoever made more requests than this is over a limit.
pub const SMALLEST_LIMIT: u32 = 600;

/// Enters every endpoint.
pub(crate) fn configure(app: &mut ServiceConfig) {
    app.service(getting(health::ALIVE, health::alive))
        .service(getting(health::READY, health::ready))
        .service(posting(create::PATH, create::create))
        .service(getting(status::PATH, status::status))
        .default_service(web::to(|| async { Err::<HttpResponse, _>(ApiError::NoRoute) }));
}

/// Requests per window at an endpoint; none where requests are not counted.
///
/// Unknown paths are counted as well: guessing paths is no way around the limit.
pub(crate) fn limit(pattern: Option<&str>) -> Option<u32> {
    match pattern {
        Some(health::ALIVE | health::READY) => None,
        Some(create::PATH) => Some(create::LIMIT),
        Some(status::PATH) => Some(status::LIMIT),
        _ => Some(ELSEWHERE),
    }
}

/// A path that is read (RFC 9110 §9.1: whatever answers GET answers HEAD).
fn getting<F, Args>(path: &str, handler: F) -> Resource
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    let reading = guard::Any(guard::Get()).or(guard::Head());
    web::resource(path).route(web::route().guard(reading).to(handler)).default_service(refusing("GET, HEAD"))
}

/// A path that is posted to.
fn posting<F, Args>(path: &str, handler: F) -> Resource
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    web::resource(path).route(web::post().to(handler)).default_service(refusing("POST"))
}

/// What a path says to every other method.
fn refusing(allowed: &'static str) -> actix_web::Route {
    web::to(move || async move { Err::<HttpResponse, _>(ApiError::MethodNotAllowed(allowed)) })
}
