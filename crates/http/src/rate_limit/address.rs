//! Whose request it is: the peer, or the hop that a trusted proxy names.

use std::net::{IpAddr, SocketAddr};

use domain::network::Network;

/// The proxies whose `X-Forwarded-For` is believed; none by default.
///
/// `Forwarded` (RFC 7239) is not read: a proxy that appends to the one header usually passes the
/// other on as it came, and a client could then choose its own address.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Vec<Network>);

impl TrustedProxies {
    /// Trusts every peer in these networks.
    pub fn new(networks: Vec<Network>) -> Self {
        Self(networks)
    }

    /// The client's address: the right-most hop that is no trusted proxy.
    ///
    /// `forwarded_for` are the header's lines in order. A hop that is no address ends the walk: what
    /// stands left of it was not written by a proxy that we know.
    pub(crate) fn client<'a>(
        &self,
        peer: IpAddr,
        forwarded_for: impl DoubleEndedIterator<Item = &'a str>,
    ) -> IpAddr {
        let mut client = peer.to_canonical();
        let hops = forwarded_for.rev().flat_map(|line| line.rsplit(','));
        for hop in hops {
            if !self.trusts(client) {
                break;
            }
            match address(hop.trim()) {
                Some(named) => client = named.to_canonical(),
                None => break,
            }
        }
        client
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }
}

/// Reads a hop, with or without brackets and port.
fn address(hop: &str) -> Option<IpAddr> {
    let bracketed = hop.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let bare = bracketed.unwrap_or(hop).parse().ok();
    bare.or_else(|| hop.parse::<SocketAddr>().ok().map(|socket| socket.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, lines: &[&str]) -> String {
        let trusted = ["10.0.0.0/8", "2001:db8::/32"].map(|text| Network::parse(text).unwrap());
        let proxies = TrustedProxies::new(trusted.to_vec());
        proxies.client(peer.parse().unwrap(), lines.iter().copied()).to_string()
    }

    #[test]
    fn the_client_is_the_right_most_untrusted_hop() {
        for (peer, lines, expected) in [
            ("198.51.100.7", &["203.0.113.1"][..], "198.51.100.7"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["203.0.113.1"], "203.0.113.1"),
            ("10.0.0.1", &["1.1.1.1, 203.0.113.1"], "203.0.113.1"),
            ("10.0.0.1", &["1.1.1.1, 203.0.113.1, 10.9.9.9"], "203.0.113.1"),
            ("10.0.0.1", &["1.1.1.1", "203.0.113.1,10.9.9.9"], "203.0.113.1"),
            ("10.0.0.1", &["10.3.3.3, 10.2.2.2"], "10.3.3.3"),
            ("10.0.0.1", &["1.1.1.1, nonsense"], "10.0.0.1"),
            ("10.0.0.1", &["1.1.1.1, nonsense, 10.2.2.2"], "10.2.2.2"),
            ("10.0.0.1", &[""], "10.0.0.1"),
            ("10.0.0.1", &["203.0.113.1:4711"], "203.0.113.1"),
            ("10.0.0.1", &["[2a00::1]:4711"], "2a00::1"),
            ("10.0.0.1", &["[2a00::1]"], "2a00::1"),
            ("::ffff:10.0.0.1", &["::ffff:203.0.113.1"], "203.0.113.1"),
            ("2001:db8::1", &["2a00::1"], "2a00::1"),
        ] {
            assert_eq!(client(peer, lines), expected, "{peer} {lines:?}");
        }
    }
}
