//! What every part of the SIP side shares.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::network::AddressPolicy;
use domain::trunk::{Transport, TrunkAddress};
use tokio::runtime::Handle;

use crate::dialog::Dialog;
use crate::edge::Edge;
use crate::gateways::{Bounds, KnownHost};
use crate::headers;
use crate::login::Realms;
use crate::resolve::Resolve;
use crate::stack::{Flow, Stack};
use crate::table::Table;
use crate::timers::Timers;
use crate::tokens::Tokens;

/// Looking up the name in a Contact or Route must not hold up an ACK for long.
const NEXT_HOP_LOOKUP: Duration = Duration::from_millis(500);

/// The shared parts.
pub(crate) struct Core {
    pub(crate) stack: Arc<Stack>,
    pub(crate) table: Arc<Table>,
    pub(crate) edge: Arc<Edge>,
    pub(crate) timers: Timers,
    pub(crate) tokens: Tokens,
    pub(crate) realms: Realms,
    pub(crate) resolver: Arc<dyn Resolve>,
    pub(crate) known_hosts: Vec<KnownHost>,
    /// What guarded trunks may lead to.
    pub(crate) guard: Arc<AddressPolicy>,
    /// Signalling runs here, whoever polls the legs.
    pub(crate) runtime: Handle,
}

impl Core {
    /// The way of a dialog's next request (RFC 3261 §8.1.2). A stream in use is kept: its peer
    /// expects us there, and the certificate was checked for the trunk's name, not for the
    /// Contact's. The way of the INVITE is also kept where the trunk's bounds would be left.
    pub(crate) async fn flow_of(&self, dialog: &Dialog, current: &Flow, bounds: &Bounds) -> Flow {
        let host = &bounds.host;
        if current.transport != Transport::Udp {
            if !current.is_broken() {
                return current.clone();
            }
            let again = self.stack.flow(current.transport, current.peer, host);
            return match tokio::time::timeout(self.timers.prepare, again).await {
                Ok(Ok(flow)) => flow,
                _ => current.clone(),
            };
        }
        match self.next_hop(dialog.next_hop(), bounds).await {
            Some((transport, peer)) if transport != Transport::Udp => {
                let flow = self.stack.flow(transport, peer, host);
                match tokio::time::timeout(self.timers.prepare, flow).await {
                    Ok(Ok(flow)) => flow,
                    _ => current.clone(),
                }
            }
            Some((_, peer)) => Flow { peer, ..current.clone() },
            None => current.clone(),
        }
    }

    async fn next_hop(&self, uri: &str, bounds: &Bounds) -> Option<(Transport, SocketAddr)> {
        let address = uri_address(uri)?;
        let named = headers::uri_parameter(uri, "transport").map(str::to_ascii_lowercase);
        let transport = match named.as_deref() {
            Some("tcp") => Transport::Tcp,
            Some("tls") => Transport::Tls,
            _ if uri.starts_with("sips:") => Transport::Tls,
            _ => Transport::Udp,
        };
        let targets = self.resolver.targets(&address, transport);
        let targets = tokio::time::timeout(NEXT_HOP_LOOKUP, targets).await.ok()?.ok()?;
        if !targets.iter().all(|target| bounds.admit(*target)) {
            tracing::warn!(host = bounds.host, "a dialog of a guarded trunk leads to a refused address");
            return None;
        }
        Some((transport, targets.first().copied()?))
    }
}

/// Host and port of a SIP URI; `maddr` takes the host's place (RFC 3261 §19.1.1).
fn uri_address(uri: &str) -> Option<TrunkAddress> {
    let (_, rest) = uri.split_once(':')?;
    // The user part may hold parameters of its own.
    let after_user = rest.split_once('@').map_or(rest, |(_, after)| after);
    let host = after_user.split([';', '?']).next()?;
    let mut address = TrunkAddress::parse(host)?;
    if let Some(maddr) = headers::uri_parameter(uri, "maddr") {
        maddr.trim_matches(['[', ']']).clone_into(&mut address.host);
    }
    Some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_uri_is_behind_its_user() {
        for (uri, address) in [
            ("sip:b@10.0.0.9:5070;ob", Some("10.0.0.9:5070")),
            ("sip:+1415;phone-context=x@host.example", Some("host.example")),
            ("sip:p1.example;lr", Some("p1.example")),
            ("sip:b@[2001:db8::1]:5060", Some("[2001:db8::1]:5060")),
            ("sip:b@h;maddr=10.1.1.1", Some("10.1.1.1")),
            ("tel", None),
        ] {
            assert_eq!(uri_address(uri).map(|a| a.to_string()).as_deref(), address, "{uri}");
        }
    }
}
