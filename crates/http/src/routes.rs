//! Which path leads where, by which methods, and under which limit.

use actix_web::guard;
use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, Handler, HttpResponse, Resource, Responder};

use crate::endpoints::health;
use crate::endpoints::outbound::{create, status};
use crate::error::ApiError;

/// Requests per window at each counted endpoint (interface, Rate limits).
const LIMITS: &[(&str, u32)] = &[(create::PATH, create::LIMIT), (status::PATH, status::LIMIT)];

/// Whatever leads nowhere is counted against this limit.
const ELSEWHERE: u32 = 600;

/// The smallest limit of all: whoever made more requests than this is over a limit.
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
    if matches!(pattern, Some(health::ALIVE | health::READY)) {
        return None;
    }
    let own = LIMITS.iter().find(|(path, _)| Some(*path) == pattern);
    Some(own.map_or(ELSEWHERE, |(_, limit)| *limit))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_limit_is_the_smallest() {
        let limits = LIMITS.iter().map(|(_, limit)| *limit).chain([ELSEWHERE]);
        assert_eq!(limits.min(), Some(SMALLEST_LIMIT));
    }

    #[test]
    fn every_endpoint_but_the_probes_has_the_limit_of_the_interface() {
        for (pattern, expected) in [
            (Some("/healthz"), None),
            (Some("/readyz"), None),
            (Some("/api/outbound"), Some(600)),
            (Some("/api/outbound/{id}/status"), Some(600)),
            (None, Some(600)),
        ] {
            assert_eq!(limit(pattern), expected, "{pattern:?}");
        }
    }
}
