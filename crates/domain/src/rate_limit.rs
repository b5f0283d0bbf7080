//! The interface's rate-limit rule for one client address, without storage or clock.

use std::net::IpAddr;
use std::time::Duration;

/// The count returns to zero only after this long without any request (interface, Rate limits 3).
pub const WINDOW: Duration = Duration::from_mins(1);

/// A client as it is counted: one IPv4 address, or one IPv6 /64, which is what a subscriber gets
/// (RFC 6177).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Client(u64);

impl Client {
    /// The client behind an address; a mapped IPv4 address counts as the IPv4 address.
    pub fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            // Multicast prefixes never send requests: IPv4 addresses take their place.
            IpAddr::V4(v4) => Self(0xFF00 << 48 | u64::from(u32::from(v4))),
            IpAddr::V6(v6) => {
                let [a, b, c, d, ..] = v6.segments();
                Self(u64::from(a) << 48 | u64::from(b) << 32 | u64::from(c) << 16 | u64::from(d))
            }
        }
    }

    /// A number that is the same for the same client, in every process.
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// What one address has done lately. Times are milliseconds since any fixed moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    count: u32,
    last_ms: u64,
}

/// What to tell the client about its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the request may be served.
    pub allowed: bool,
    /// The limit of the endpoint that was called.
    pub limit: u32,
    /// Requests left before that limit.
    pub remaining: u32,
    /// When the window ends if no other request arrives, on the caller's time scale.
    pub reset_ms: u64,
}

impl Window {
    /// Counts a request against `limit`; rejected requests count and restart the window too.
    pub fn count(earlier: Option<Self>, limit: u32, now_ms: u64) -> (Self, Verdict) {
        let window_ms = u64::try_from(WINDOW.as_millis()).unwrap_or(u64::MAX);
        let live = earlier.filter(|window| now_ms.saturating_sub(window.last_ms) < window_ms);
        let count = live.map_or(0, |window| window.count).saturating_add(1);
        let last_ms = live.map_or(now_ms, |window| window.last_ms.max(now_ms));
        let verdict = Verdict {
            allowed: count <= limit,
            limit,
            remaining: limit.saturating_sub(count),
            reset_ms: last_ms.saturating_add(window_ms),
        };
        (Self { count, last_ms }, verdict)
    }

    /// The same window, when others have counted up to `requests` in it.
    #[must_use]
    pub fn raised_to(self, requests: u32) -> Self {
        Self { count: self.count.max(requests), ..self }
    }

    /// Requests in this window so far.
    pub const fn requests(self) -> u32 {
        self.count
    }

    /// When the last request came.
    pub const fn last_ms(self) -> u64 {
        self.last_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejected_request_counts_and_restarts_the_window() {
        let (one, first) = Window::count(None, 1, 0);
        assert!(first.allowed);
        let (two, second) = Window::count(Some(one), 1, 59_999);
        assert!(!second.allowed);
        assert_eq!(second.reset_ms, 119_999);
        let (_, third) = Window::count(Some(two), 1, 119_998);
        assert!(!third.allowed);
        let (_, fresh) = Window::count(Some(two), 1, 119_999);
        assert!(fresh.allowed);
    }

    #[test]
    fn a_client_is_an_ipv4_address_or_an_ipv6_64() {
        let client = |text: &str| Client::of(text.parse().unwrap());
        assert_eq!(client("2001:db8:1:2::1"), client("2001:db8:1:2:ffff::9"));
        assert_ne!(client("2001:db8:1:2::1"), client("2001:db8:1:3::1"));
        assert_eq!(client("::ffff:192.0.2.1"), client("192.0.2.1"));
        assert_ne!(client("192.0.2.1"), client("192.0.2.2"));
        assert_ne!(client("0.0.0.1"), client("::1"));
    }
}
