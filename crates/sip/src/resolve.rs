//! From a trunk's address to the gateways to try, in order (RFC 3263, RFC 2782).

use std::io;
use std::net::{IpAddr, SocketAddr};

use async_trait::async_trait;
use domain::trunk::{Transport, TrunkAddress};
use rsipstack::resolver::SipResolver;
use rsipstack::sip::Domain;

use crate::stack::wire;

/// Finds gateways.
#[async_trait]
pub trait Resolve: Send + Sync {
    /// The gateways of an address, best first; never empty.
    async fn targets(&self, address: &TrunkAddress, transport: Transport) -> io::Result<Vec<SocketAddr>>;
}

/// The machine's resolver: SRV when no port is given, then A and AAAA.
pub struct Dns(SipResolver);

impl Dns {
    /// Reads the machine's resolver configuration.
    pub fn system() -> Self {
        Self(SipResolver::new())
    }
}

/// The port of a transport without an explicit one (RFC 3261 §19.1.2).
pub(crate) const fn default_port(transport: Transport) -> u16 {
    match transport {
        Transport::Udp | Transport::Tcp => 5060,
        Transport::Tls => 5061,
    }
}

#[async_trait]
impl Resolve for Dns {
    async fn targets(&self, address: &TrunkAddress, transport: Transport) -> io::Result<Vec<SocketAddr>> {
        if let Ok(ip) = address.host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(ip, address.port.unwrap_or(default_port(transport)))]);
        }
        let secure = transport == Transport::Tls;
        let domain = Domain::from(address.host.as_str());
        let port = address.port.map(Into::into);
        let found = self.0.lookup(&domain, port, Some(wire(transport)), secure).await;
        let found = found.map_err(|error| io::Error::new(io::ErrorKind::NotFound, error))?;
        if found.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the name has no address"));
        }
        Ok(found.into_iter().map(|target| target.addr).collect())
    }
}
