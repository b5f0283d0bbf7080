//! From a URL to a connection, under one deadline.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::network::{AddressPolicy, WebProtocol};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

use crate::connect::connect;
use crate::failure::{Failure, connecting, handshake};
use crate::guard::vet;
use crate::resolve::Resolve;
use crate::stream::Stream;

/// Connects to where customers' URLs lead, as far as the guard lets it.
#[derive(Clone)]
pub struct WayOut {
    policy: Arc<AddressPolicy>,
    tls: TlsConnector,
    resolver: Arc<dyn Resolve>,
}

impl WayOut {
    /// Builds a way out. `tls` says whom to trust; HTTP/1.1 is what is offered in it, on which both
    /// HTTP and WebSocket stand here.
    pub fn new(policy: AddressPolicy, tls: &ClientConfig, resolver: Arc<dyn Resolve>) -> Self {
        let mut tls = tls.clone();
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        Self { policy: Arc::new(policy), tls: TlsConnector::from(Arc::new(tls)), resolver }
    }

    /// Connects to a URL's host; `limit` spans the lookup, connecting and TLS.
    pub async fn connect(
        &self,
        url: &Url,
        protocol: WebProtocol,
        limit: Duration,
    ) -> Result<Stream, Failure> {
        timeout(limit, self.reach(url, protocol)).await.unwrap_or(Err(Failure::TimedOut))
    }

    async fn reach(&self, url: &Url, protocol: WebProtocol) -> Result<Stream, Failure> {
        let addresses = vet(url, protocol, &self.policy, &*self.resolver).await?;
        let stream = connect(&addresses).await.map_err(|error| connecting(&error))?;
        if url.scheme() == protocol.plain_scheme() {
            return Ok(Stream::plain(stream));
        }
        let name = server_name(url).ok_or(Failure::Broken("the host cannot be named in TLS"))?;
        let stream = self.tls.connect(name, stream).await.map_err(|error| handshake(&error))?;
        Ok(Stream::tls(stream))
    }
}

impl fmt::Debug for WayOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WayOut").field("policy", &self.policy).finish_non_exhaustive()
    }
}

/// The name that the other side's certificate must carry: the URL's own, not what it resolves to.
fn server_name(url: &Url) -> Option<ServerName<'static>> {
    match url.host()? {
        Host::Domain(name) => ServerName::try_from(name.trim_end_matches('.').to_owned()).ok(),
        Host::Ipv4(address) => Some(ServerName::from(IpAddr::V4(address))),
        Host::Ipv6(address) => Some(ServerName::from(IpAddr::V6(address))),
    }
}
