//! Rate limits: who is counted, against which limit, and what the answer says about it.

mod address;
mod shard;
mod table;

pub use address::TrustedProxies;
pub use table::MemoryWindow;

use std::net::{IpAddr, Ipv4Addr};

use actix_web::HttpRequest;
use actix_web::dev::ServiceRequest;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use domain::rate_limit::{Client, Verdict};

use crate::error::ApiError;
use crate::gate::Front;
use crate::routes;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// A checked request: what was decided, and the 429 if it was turned away.
pub(crate) struct Checked {
    verdict: Verdict,
    /// The answer for a request that came too often.
    pub(crate) refused: Option<ApiError>,
}

/// Counts a request for its client and judges it by the limit of `pattern`; none for a request
/// that is not counted.
pub(crate) async fn check(front: &Front, request: &ServiceRequest, pattern: Option<&str>) -> Option<Checked> {
    let limit = routes::limit(pattern)?;
    let now_ms = u64::try_from(front.clock.now().unix_timestamp_nanos() / 1_000_000).unwrap_or(0);
    let verdict =
        front.window.count(Client::of(client_address(front, request.request())), limit, now_ms).await;
    let refused = (!verdict.allowed).then(|| {
        let wait = verdict.reset_ms.saturating_sub(now_ms).div_ceil(1000).max(1);
        ApiError::TooManyRequests { retry_after: wait }
    });
    Some(Checked { verdict, refused })
}

impl Checked {
    /// Tells the client how it stands (interface, Rate limits, Headers).
    pub(crate) fn describe(&self, headers: &mut HeaderMap) {
        headers.insert(LIMIT, HeaderValue::from(self.verdict.limit));
        headers.insert(REMAINING, HeaderValue::from(self.verdict.remaining));
        headers.insert(RESET, HeaderValue::from(self.verdict.reset_ms));
    }
}

/// Where a request comes from, as far as the listed proxies can be believed.
pub(crate) fn client_address(front: &Front, request: &HttpRequest) -> IpAddr {
    // Every TCP connection has a peer; without one all requests would share a single count.
    let peer = request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |socket| socket.ip());
    let lines: Vec<&str> = request
        .headers()
        .get_all(FORWARDED_FOR)
        // A line that is no text names nobody, and ends the walk like any other nonsense.
        .map(|line| line.to_str().unwrap_or_default())
        .collect();
    front.trusted_proxies.client(peer, lines.into_iter())
}
