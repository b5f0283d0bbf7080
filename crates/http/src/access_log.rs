//! One log line a request. The span that it stands in carries the request's id and the key's id.

use std::time::Duration;

use actix_web::http::Method;

/// What is known of a request before it is answered. Paths are told by their pattern: what a
/// client put into them is no business of the log.
pub(crate) struct Line {
    method: Method,
    route: String,
    probe: bool,
}

impl Line {
    /// Begins the line of a request to the endpoint with this pattern.
    pub(crate) fn of(method: &Method, pattern: Option<&str>) -> Self {
        let probe = pattern.is_some() && crate::routes::limit(pattern).is_none();
        Self { method: method.clone(), route: pattern.unwrap_or("unmatched").to_owned(), probe }
    }

    /// Writes the line; probes come every few seconds and are for debugging only.
    pub(crate) fn write(&self, status: u16, took: Duration) {
        let latency_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let (method, route) = (self.method.as_str(), self.route.as_str());
        if self.probe {
            tracing::debug!(target: "http_api::access", method, route, status, latency_us, "answered");
        } else {
            tracing::info!(target: "http_api::access", method, route, status, latency_us, "answered");
        }
    }
}
