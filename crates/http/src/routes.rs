//! The table of endpoints: routing, limits and the key that each needs are all read off it.

use actix_web::guard::{self, Guard};
use actix_web::http::Method;
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, Resource, Route};
use domain::access::Permission;

use crate::endpoints::{artifacts, calls, documents, health, organizations, outbound};
use crate::error::ApiError;
use crate::openapi::Description;
use crate::pages::Pages;

/// One method of one path.
pub(crate) struct Endpoint {
    /// The method; whatever answers GET answers HEAD (RFC 9110 §9.1).
    pub(crate) method: Method,
    /// The path's pattern.
    pub(crate) path: &'static str,
    /// Requests per window (interface, Rate limits), the same for all methods of a path; none where
    /// requests are not counted.
    pub(crate) limit: Option<u32>,
    /// The key that it takes.
    pub(crate) needs: Needs,
    /// Its handler.
    pub(crate) handler: fn() -> Route,
    /// What the document says of it.
    pub(crate) describe: fn() -> Description,
}

/// Whose key an endpoint takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// None: it shows nobody's data.
    NoKey,
    /// None, but an address that was signed for whoever had one.
    SignedAddress,
    /// A tenant-level key.
    TenantKey,
    /// A key of either level that may do this.
    Permission(Permission),
}

impl Needs {
    /// Whether it takes a key, of whatever kind.
    pub const fn a_key(self) -> bool {
        match self {
            Self::NoKey | Self::SignedAddress => false,
            Self::TenantKey | Self::Permission(_) => true,
        }
    }
}

/// Every endpoint, in the order of the document.
pub(crate) const ENDPOINTS: &[Endpoint] = &[
    organizations::create::ENDPOINT,
    organizations::list::ENDPOINT,
    organizations::read::ENDPOINT,
    organizations::update::ENDPOINT,
    organizations::delete::ENDPOINT,
    organizations::metadata::ENDPOINT,
    calls::list::ENDPOINT,
    calls::detail::ENDPOINT,
    outbound::create::ENDPOINT,
    outbound::status::ENDPOINT,
    artifacts::ENDPOINT,
    health::ALIVE,
    health::READY,
    documents::OPENAPI,
    documents::DOCS,
    documents::DOCS_FILE,
];

/// Whatever leads nowhere is counted against this limit.
const ELSEWHERE: u32 = 600;

/// The smallest limit of all: whoever made more requests than this is over a limit.
pub const SMALLEST_LIMIT: u32 = 300;

/// An endpoint as tests of the whole interface see it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The method.
    pub method: &'static str,
    /// The path's pattern, e.g. `/api/calls/{id}`.
    pub path: &'static str,
    /// Requests per window; none where requests are not counted.
    pub limit: Option<u32>,
    /// The key that it takes.
    pub needs: Needs,
}

/// The whole interface: what is not in it leads nowhere.
pub fn entries() -> impl Iterator<Item = Entry> {
    ENDPOINTS.iter().map(|&Endpoint { ref method, path, limit, needs, .. }| Entry {
        method: method.as_str(),
        path,
        limit,
        needs,
    })
}

/// Enters every endpoint; paths that lead nowhere are answered as the pages beside say, if they do.
pub(crate) fn configure(app: &mut ServiceConfig, beside: Pages) {
    let mut paths: Vec<&str> = Vec::new();
    for Endpoint { path, .. } in ENDPOINTS {
        if !paths.contains(path) {
            paths.push(path);
            app.service(resource(path));
        }
    }
    app.default_service(web::to(move |request: HttpRequest| {
        let answer = beside.lost(&request).ok_or(ApiError::NoRoute);
        async move { answer }
    }));
}

/// A path with all its methods, and what it says to any other.
fn resource(path: &'static str) -> Resource {
    let (mut resource, mut allowed) = (web::resource(path), Vec::new());
    for Endpoint { method, handler, .. } in ENDPOINTS.iter().filter(|endpoint| endpoint.path == path) {
        resource = resource.route(handler().guard(asking_for(method.clone())));
        allowed.push(method.as_str());
        if *method == Method::GET {
            allowed.push("HEAD");
        }
    }
    let allowed = allowed.join(", ");
    resource.default_service(web::to(move || {
        let allowed = allowed.clone();
        async move { Err::<HttpResponse, _>(ApiError::MethodNotAllowed(allowed)) }
    }))
}

fn asking_for(method: Method) -> impl Guard {
    guard::fn_guard(move |asked| {
        let asked = &asked.head().method;
        *asked == method || (method == Method::GET && *asked == Method::HEAD)
    })
}

/// Whether whoever watches over the process asks here every few seconds.
pub(crate) fn is_probe(pattern: Option<&str>) -> bool {
    let found = ENDPOINTS.iter().find(|endpoint| Some(endpoint.path) == pattern);
    found.is_some_and(|endpoint| endpoint.needs == Needs::NoKey)
}

/// Whether a path is served, but not by the interface.
pub(crate) fn is_beside(pattern: &str) -> bool {
    !ENDPOINTS.iter().any(|endpoint| endpoint.path == pattern)
}

/// Requests per window at a path; none where requests are not counted: documents, and pages beside the
/// interface.
///
/// Unknown paths are counted as well: guessing paths is no way around the limit.
pub(crate) fn limit(pattern: Option<&str>) -> Option<u32> {
    let Some(pattern) = pattern else { return Some(ELSEWHERE) };
    ENDPOINTS.iter().find(|endpoint| endpoint.path == pattern)?.limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_limit_is_the_smallest() {
        let limits = ENDPOINTS.iter().filter_map(|endpoint| endpoint.limit).chain([ELSEWHERE]);
        assert_eq!(limits.min(), Some(SMALLEST_LIMIT));
    }

    #[test]
    fn a_path_has_one_limit_for_all_its_methods() {
        for endpoint in ENDPOINTS {
            assert_eq!(limit(Some(endpoint.path)), endpoint.limit, "{}", endpoint.path);
        }
    }

    #[test]
    fn every_endpoint_but_probes_documents_and_files_has_the_limit_of_the_interface() {
        for (pattern, expected) in [
            (Some("/artifacts/{tenant}/{organization}/{call}/{file}"), None),
            (Some("/healthz"), None),
            (Some("/readyz"), None),
            (Some("/api/openapi.json"), None),
            (Some("/docs"), None),
            (Some("/docs/{file}"), None),
            (Some("/api/organization"), Some(600)),
            (Some("/api/organization/{id}"), Some(300)),
            (Some("/api/organization/{id}/metadata"), Some(300)),
            (Some("/api/calls"), Some(600)),
            (Some("/api/calls/{id}"), Some(1210)),
            (Some("/api/outbound"), Some(600)),
            (Some("/api/outbound/{id}/status"), Some(600)),
            (None, Some(600)),
        ] {
            assert_eq!(limit(pattern), expected, "{pattern:?}");
        }
    }
}
