//! One log line a request. The span that it stands in carries the request's id and the key's id.

use actix_web::http::Method;
use tokio::time::Instant;

use crate::routes;

/// The lines' target, by which they can be filtered.
const TARGET: &str = "http_api::access";

/// What is known of a request before it is answered. Paths are told by their pattern: what a
/// client put into them is no business of the log.
pub(crate) struct Line {
    method: &'static str,
    route: String,
    /// Probes come every few seconds: their lines are for debugging only.
    probe: bool,
    began: Instant,
    written: bool,
}

impl Line {
    /// Begins the line of a request to the endpoint with this pattern.
    pub(crate) fn of(method: &Method, pattern: Option<&str>) -> Self {
        Self {
            method: known(method),
            route: pattern.unwrap_or("unmatched").to_owned(),
            probe: routes::is_probe(pattern),
            began: Instant::now(),
            written: false,
        }
    }

    /// Writes the line of an answer.
    pub(crate) fn answered(&mut self, status: u16) {
        self.written = true;
        let latency_us = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        let (method, route) = (self.method, self.route.as_str());
        if self.probe {
            tracing::debug!(target: TARGET, method, route, status, latency_us, "answered");
        } else {
            tracing::info!(target: TARGET, method, route, status, latency_us, "answered");
        }
    }
}

/// A request without an answer was dropped: its client has gone.
impl Drop for Line {
    fn drop(&mut self) {
        if !self.written {
            let latency_us = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX);
            let (method, route) = (self.method, self.route.as_str());
            tracing::info!(target: TARGET, method, route, latency_us, "abandoned");
        }
    }
}

/// Writes the line of a request that could not be read as HTTP, so that no more is known of it.
pub(crate) fn unreadable(request_id: &str, status: u16) {
    let _request = tracing::info_span!("request", request_id).entered();
    tracing::info!(target: TARGET, route = "unreadable", status, "answered");
}

/// A method's name; one that nobody has heard of is whatever a client likes to write.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::PATCH => "PATCH",
        Method::OPTIONS => "OPTIONS",
        Method::TRACE => "TRACE",
        Method::CONNECT => "CONNECT",
        _ => "unknown",
    }
}
