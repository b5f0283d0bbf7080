//! Which URLs the service may call on a customer's behalf, as far as they tell without a lookup.

use std::net::IpAddr;

use url::{Host, Url};

use super::{AddressPolicy, Refused};
use crate::trunk::BUILT_IN_PHONE;

/// A protocol that is spoken outwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WebProtocol {
    /// `https`, and `http` where that may be.
    Http,
    /// `wss`, and `ws` where that may be.
    WebSocket,
}

impl WebProtocol {
    /// The scheme over TLS.
    pub const fn secure_scheme(self) -> &'static str {
        match self {
            Self::Http => "https",
            Self::WebSocket => "wss",
        }
    }

    /// The scheme without TLS.
    pub const fn plain_scheme(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::WebSocket => "ws",
        }
    }
}

/// Why a URL is not called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnfitUrl {
    /// It names no host.
    NoHost,
    /// Its scheme is not of this protocol.
    Scheme(WebProtocol),
    /// It is without TLS, which only a literal address in an allowed network may be.
    Plain(WebProtocol),
    /// A name of this machine (RFC 6761 §6.3), whatever a resolver says.
    Localhost,
    /// A literal address that is refused.
    Address(Refused),
}

impl UnfitUrl {
    /// Names the reason for people, without an address.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoHost => "the URL names no host",
            Self::Scheme(WebProtocol::Http) => "not an http or https URL",
            Self::Scheme(WebProtocol::WebSocket) => "not a ws or wss URL",
            Self::Plain(WebProtocol::Http) => "plain http outside the allowed networks",
            Self::Plain(WebProtocol::WebSocket) => "plain ws outside the allowed networks",
            Self::Localhost => "a name of this machine",
            Self::Address(refused) => refused.as_str(),
        }
    }

    /// Whether the address would be taken if its network were allowed.
    pub const fn is_of_a_network(self) -> bool {
        match self {
            Self::Address(refused) => !matches!(refused, Refused::Unspecified),
            _ => false,
        }
    }
}

/// Why an address may not be a provider's endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BadEndpoint {
    /// Not an absolute URL.
    Malformed,
    /// Longer than [`LONGEST_ENDPOINT`](AddressPolicy::LONGEST_ENDPOINT).
    TooLong,
    /// It holds a user, a password or a fragment: keys have a place of their own, where no log looks.
    Extras,
    /// It is not called.
    Unfit(UnfitUrl),
}

impl BadEndpoint {
    /// Names the reason for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "not a URL",
            Self::TooLong => "longer than 2048 characters",
            Self::Extras => "a user, a password or a fragment has no place in it",
            Self::Unfit(unfit) => unfit.as_str(),
        }
    }
}

impl AddressPolicy {
    /// The longest endpoint that is taken, in characters.
    pub const LONGEST_ENDPOINT: usize = 2048;

    /// Judges a provider's endpoint when an assistant is made: like
    /// [`judge_url`](Self::judge_url), without a lookup. At each connection it is judged again, with
    /// every address that its name leads to.
    pub fn judge_endpoint(&self, text: &str, protocol: WebProtocol) -> Result<Url, BadEndpoint> {
        if text.chars().count() > Self::LONGEST_ENDPOINT {
            return Err(BadEndpoint::TooLong);
        }
        let url = Url::parse(text).map_err(|_| BadEndpoint::Malformed)?;
        self.judge_url(&url, protocol).map_err(BadEndpoint::Unfit)?;
        if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
            return Err(BadEndpoint::Extras);
        }
        Ok(url)
    }

    /// Judges the host of a trunk as it stands, when it is set up in the dashboard: no name is looked
    /// up. At each lookup every address that it leads to is judged.
    pub fn judge_trunk_host(&self, host: &str) -> Result<(), UnfitUrl> {
        if host.eq_ignore_ascii_case(BUILT_IN_PHONE) {
            return Ok(());
        }
        if is_localhost(host) {
            return Err(UnfitUrl::Localhost);
        }
        // Written in one of the old ways, `127.1` and the like, it is still looked up as a name.
        let literal = host.parse::<IpAddr>().ok();
        literal.map_or(Ok(()), |address| self.judge(address)).map_err(UnfitUrl::Address)
    }

    /// Judges a URL as it stands: only a literal host is judged, no name is looked up. The literal is
    /// returned, none for a name, whose addresses are judged at each connection.
    pub fn judge_url(&self, url: &Url, protocol: WebProtocol) -> Result<Option<IpAddr>, UnfitUrl> {
        let literal = match url.host().ok_or(UnfitUrl::NoHost)? {
            Host::Domain(name) if is_localhost(name) => return Err(UnfitUrl::Localhost),
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
        };
        let secure = url.scheme() == protocol.secure_scheme();
        if !secure && url.scheme() != protocol.plain_scheme() {
            return Err(UnfitUrl::Scheme(protocol));
        }
        if !secure && !literal.is_some_and(|address| self.is_allowed_explicitly(address)) {
            return Err(UnfitUrl::Plain(protocol));
        }
        if let Some(address) = literal {
            self.judge(address).map_err(UnfitUrl::Address)?;
        }
        Ok(literal)
    }
}

fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Network;

    #[test]
    fn a_trunks_host_is_a_name_or_a_public_address_or_the_built_in_phone() {
        let allowed = Network::parse("10.0.0.0/8").unwrap();
        let policy = AddressPolicy { allowed: vec![allowed], own: vec!["198.41.0.4".parse().unwrap()] };
        for (host, judged) in [
            ("sip.example.com", Ok(())),
            ("8.8.8.8", Ok(())),
            ("10.1.2.3", Ok(())),
            (BUILT_IN_PHONE, Ok(())),
            ("localhost", Err(UnfitUrl::Localhost)),
            ("pbx.localhost.", Err(UnfitUrl::Localhost)),
            ("127.0.0.1", Err(UnfitUrl::Address(Refused::Loopback))),
            ("::1", Err(UnfitUrl::Address(Refused::Loopback))),
            ("192.168.1.10", Err(UnfitUrl::Address(Refused::Private))),
            ("198.41.0.4", Err(UnfitUrl::Address(Refused::Own))),
        ] {
            assert_eq!(policy.judge_trunk_host(host), judged, "{host}");
        }
    }

    #[test]
    fn plain_text_goes_to_allowed_literals_only_and_each_protocol_has_its_own_schemes() {
        let allowed = Network::parse("10.0.0.0/8").unwrap();
        let policy = AddressPolicy { allowed: vec![allowed], own: Vec::new() };
        let judge = |text, protocol| policy.judge_url(&Url::parse(text).unwrap(), protocol);
        let literal = Some("10.1.2.3".parse().unwrap());
        for (text, protocol, judged) in [
            ("https://api.example.com/v1", WebProtocol::Http, Ok(None)),
            ("wss://api.example.com/v1", WebProtocol::WebSocket, Ok(None)),
            ("http://10.1.2.3:8000/v1", WebProtocol::Http, Ok(literal)),
            ("ws://10.1.2.3:8000/v1", WebProtocol::WebSocket, Ok(literal)),
            ("https://10.1.2.3/", WebProtocol::Http, Ok(literal)),
            ("http://api.example.com/", WebProtocol::Http, Err(UnfitUrl::Plain(WebProtocol::Http))),
            ("ws://8.8.8.8/", WebProtocol::WebSocket, Err(UnfitUrl::Plain(WebProtocol::WebSocket))),
            ("wss://api.example.com/", WebProtocol::Http, Err(UnfitUrl::Scheme(WebProtocol::Http))),
            (
                "https://api.example.com/",
                WebProtocol::WebSocket,
                Err(UnfitUrl::Scheme(WebProtocol::WebSocket)),
            ),
            ("ftp://10.1.2.3/", WebProtocol::Http, Err(UnfitUrl::Scheme(WebProtocol::Http))),
            ("data:text/plain,hi", WebProtocol::Http, Err(UnfitUrl::NoHost)),
            ("wss://a.LOCALHOST./", WebProtocol::WebSocket, Err(UnfitUrl::Localhost)),
            ("https://192.168.0.1/", WebProtocol::Http, Err(UnfitUrl::Address(Refused::Private))),
            ("wss://[::1]/", WebProtocol::WebSocket, Err(UnfitUrl::Address(Refused::Loopback))),
        ] {
            assert_eq!(judge(text, protocol), judged, "{text}");
        }
    }

    #[test]
    fn an_endpoint_is_a_url_without_credentials() {
        let policy = AddressPolicy::default();
        let judge = |text: &str| policy.judge_endpoint(text, WebProtocol::Http);
        assert_eq!(judge("https://api.example.com/v1?a=b").unwrap().path(), "/v1");
        let long = format!("https://api.example.com/{}", "a".repeat(2048));
        for (text, why) in [
            ("api.example.com/v1", BadEndpoint::Malformed),
            (long.as_str(), BadEndpoint::TooLong),
            ("https://key@api.example.com/", BadEndpoint::Extras),
            ("https://:key@api.example.com/", BadEndpoint::Extras),
            ("https://api.example.com/#key", BadEndpoint::Extras),
            ("https://127.1/", BadEndpoint::Unfit(UnfitUrl::Address(Refused::Loopback))),
        ] {
            assert_eq!(judge(text), Err(why), "{text}");
        }
    }
}
