//! SIP trunks: how a tenant's calls reach the telephone network.

mod revision;

use std::fmt;

pub use revision::{Login, TrunkRevision, TrunkRevisionError};
use time::OffsetDateTime;

use crate::ids::{NumberId, OrganizationId, TenantId, TrunkId};
use crate::network::Network;
use crate::number::{CountryCode, E164};
use crate::secret::Secret;

/// The host of trunks that lead to the telephone inside the service itself. It is reserved (RFC 6761
/// §6.4): no resolver is ever asked for it.
pub const BUILT_IN_PHONE: &str = "phone.callwright.invalid";

/// The most networks or realms that one setting of a trunk lists.
pub const LISTED_MAX: usize = 32;

/// A trunk of a tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct Trunk {
    /// Its identity.
    pub id: TrunkId,
    /// The tenant that it belongs to.
    pub tenant: TenantId,
    /// What the operator calls it.
    pub name: String,
    /// Where its requests go.
    pub address: TrunkAddress,
    /// How they go there.
    pub transport: Transport,
    /// Digest credentials (RFC 3261 §22).
    pub credentials: Option<Credentials>,
    /// Whether we register with it (RFC 3261 §10) and keep that fresh.
    pub register: bool,
    /// The host part of our From and of the registration; the address's host when absent.
    pub from_domain: Option<String>,
    /// Put before numbers that come without a country.
    pub default_country: Option<CountryCode>,
    /// Whether its calls may use G.722, which sounds better than G.711 where the callee has it too.
    pub wideband: bool,
    /// Whether the sound of its calls is encrypted.
    pub srtp: Srtp,
    /// Whether every address of it must pass the address guard: it was set up in the dashboard, and
    /// not by the operator.
    pub guarded: bool,
    /// Whether audio may come from other addresses than the negotiated one and that of the signalling,
    /// as behind a NAT.
    pub nat: bool,
    /// The networks that audio may come from and go to; an empty list does not narrow anything. At most
    /// [`LISTED_MAX`].
    pub media_networks: Vec<Network>,
    /// The networks whose SIP requests count as this trunk's, besides its own addresses. Only the
    /// operator sets them. At most [`LISTED_MAX`].
    pub inbound_from: Vec<Network>,
    /// The digest realms that the credentials answer; every realm when empty. At most [`LISTED_MAX`].
    pub realms: Vec<String>,
    /// The most calls at a time; no limit when absent.
    pub max_calls: Option<u32>,
    /// The most new calls a second, over all nodes; no limit when absent.
    pub calls_per_second: Option<u32>,
    /// When it was made.
    pub created_at: OffsetDateTime,
}

/// The keys of SRTP travel in the session description (RFC 4568 §7.1): without TLS, an observer of the
/// signalling hears the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("SRTP needs the transport tls: its keys travel in the signalling")]
pub struct SrtpNeedsTls;

impl Trunk {
    /// The trunk, if a new one may be so.
    pub fn checked(self) -> Result<Self, SrtpNeedsTls> {
        if self.shows_keys() { Err(SrtpNeedsTls) } else { Ok(self) }
    }

    /// Whether the keys of its sound travel in clear. Some trunks from before this was refused are so.
    pub fn shows_keys(&self) -> bool {
        self.srtp == Srtp::Required && self.transport != Transport::Tls && !self.leads_to_built_in_phone()
    }
}

/// A trunk's host and, when given, port; without a port SRV records are asked (RFC 3263).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TrunkAddress {
    /// A host name or a literal address (IPv6 without brackets).
    pub host: String,
    /// The port, 1–65535.
    pub port: Option<u16>,
}

impl TrunkAddress {
    /// Reads `HOST`, `HOST:PORT`, `[V6]` or `[V6]:PORT`.
    pub fn parse(text: &str) -> Option<Self> {
        let (host, port) = if let Some(rest) = text.strip_prefix('[') {
            let (host, after) = rest.split_once(']')?;
            host.parse::<std::net::Ipv6Addr>().ok()?;
            let port = match after {
                "" => None,
                _ => Some(after.strip_prefix(':')?),
            };
            (host, port)
        } else {
            match text.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (text, None),
            }
        };
        let port = match port {
            Some(port) => Some(port.parse::<u16>().ok().filter(|port| *port != 0)?),
            None => None,
        };
        let fits = !host.is_empty()
            && host.len() <= 253
            && host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b':'));
        fits.then(|| Self { host: host.to_owned(), port })
    }
}

impl fmt::Display for TrunkAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let brackets = self.host.contains(':');
        match (brackets, self.port) {
            (true, Some(port)) => write!(f, "[{}]:{port}", self.host),
            (true, None) => write!(f, "[{}]", self.host),
            (false, Some(port)) => write!(f, "{}:{port}", self.host),
            (false, None) => f.write_str(&self.host),
        }
    }
}

/// How SIP messages travel (RFC 3261 §18).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Datagrams.
    Udp,
    /// A stream.
    Tcp,
    /// A stream under TLS; the certificate is checked.
    Tls,
}

impl Transport {
    /// The transport's written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Udp => "udp",
            Self::Tcp => "tcp",
            Self::Tls => "tls",
        }
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Udp, Self::Tcp, Self::Tls].into_iter().find(|transport| transport.as_str() == text)
    }
}

/// Whether sound is encrypted by SRTP (RFC 3711) with keys in the session description (RFC 4568).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Srtp {
    /// Plain RTP.
    #[default]
    Off,
    /// SRTP or no call.
    Required,
}

impl Srtp {
    /// The written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Required => "required",
        }
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Off, Self::Required].into_iter().find(|srtp| srtp.as_str() == text)
    }
}

/// Digest credentials; the password is encrypted at rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credentials {
    /// The user name, also the user part of the registration.
    pub username: String,
    /// The password.
    pub password: Secret<String>,
}

/// A telephone number of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// Its identity.
    pub id: NumberId,
    /// The tenant that it belongs to.
    pub tenant: TenantId,
    /// The organization that calls from it.
    pub organization: OrganizationId,
    /// The trunk that carries its calls.
    pub trunk: TrunkId,
    /// The number itself.
    pub number: E164,
    /// When it was made.
    pub created_at: OffsetDateTime,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_host_and_perhaps_a_port() {
        for (text, host, port) in [
            ("sip.example.com", "sip.example.com", None),
            ("127.0.0.1:5080", "127.0.0.1", Some(5080)),
            ("[::1]:5061", "::1", Some(5061)),
            ("[::1]", "::1", None),
        ] {
            let address = TrunkAddress::parse(text).unwrap();
            assert_eq!((address.host.as_str(), address.port), (host, port));
            assert_eq!(address.to_string(), text);
        }
        for bad in ["", ":5060", "host:0", "host:70000", "host:port", "::1", "[::1", "a b", "h/x"] {
            assert_eq!(TrunkAddress::parse(bad), None, "{bad}");
        }
    }
}
