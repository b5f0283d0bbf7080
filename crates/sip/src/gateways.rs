//! Whom a trunk leads to, and how far: its gateways, and for a guarded trunk the address guard over
//! every address that its name, its dialogs or its sound would have us send to.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use domain::network::{AddressPolicy, Refused};
use domain::ports::NoAnswer;
use domain::trunk::{Trunk, TrunkAddress};
use tokio::time::Instant;

use crate::core::Core;
use crate::resolve::{Resolve, default_port};

/// A host that is known without DNS, because it belongs to the service. It is not pinged and not
/// guarded, and sees our own address where others see the public one.
#[derive(Clone)]
pub struct KnownHost {
    /// Its name, compared without regard to case.
    pub name: String,
    /// Tells where it is.
    pub resolver: Arc<dyn Resolve>,
}

/// How far the dialogs of a trunk may lead.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// The name that a TLS certificate must carry.
    pub(crate) host: String,
    /// Judges where its dialogs and its sound lead; none for a trunk that is trusted.
    pub(crate) guard: Option<Arc<AddressPolicy>>,
}

impl Bounds {
    /// Whether requests may go there.
    pub(crate) fn admit(&self, gateway: SocketAddr) -> bool {
        self.guard.as_ref().is_none_or(|guard| guard.judge(gateway.ip()).is_ok())
    }
}

impl Core {
    /// The known host that a trunk leads to, if it does.
    pub(crate) fn known_host(&self, address: &TrunkAddress) -> Option<&KnownHost> {
        self.known_hosts.iter().find(|known| known.name.eq_ignore_ascii_case(&address.host))
    }

    /// How far a trunk's dialogs may lead.
    pub(crate) fn bounds(&self, trunk: &Trunk) -> Bounds {
        let guarded = trunk.guarded && self.known_host(&trunk.address).is_none();
        Bounds { host: trunk.address.host.clone(), guard: guarded.then(|| self.guard.clone()) }
    }

    /// The gateways of a trunk, best first. A guarded trunk has none as soon as *any* of its
    /// addresses is refused: a name that leads outside and inside at once is an attack or a mistake.
    pub(crate) async fn gateways(&self, trunk: &Trunk) -> io::Result<Vec<SocketAddr>> {
        let known = self.known_host(&trunk.address).map(|known| &known.resolver);
        let resolver = known.unwrap_or(&self.resolver);
        let found = resolver.targets(&trunk.address, trunk.transport).await?;
        if let Some(guard) = self.bounds(trunk).guard {
            for gateway in &found {
                guard.judge(gateway.ip()).map_err(|refused| io::Error::other(Guarded(refused)))?;
            }
        }
        match known {
            Some(_) => self.edge.peers.learn_inside(trunk, &found),
            None => self.edge.peers.learn(trunk, trunk.address.port, &found, Instant::now()),
        }
        Ok(found)
    }

    /// Keeps the trunk's peers fresh: what its name leads to may send to us as well as we to it. The
    /// name is asked for SRV records and for addresses alike, as a trunk need not call us from where
    /// we call it.
    pub(crate) async fn learn_peers(&self, trunk: &Trunk) {
        if self.known_host(&trunk.address).is_some() {
            return;
        }
        // What could not be looked up stays as it was.
        let _ = self.gateways(trunk).await;
        if trunk.address.host.parse::<IpAddr>().is_ok() {
            return;
        }
        let port = if trunk.address.port.is_some() { None } else { Some(default_port(trunk.transport)) };
        let other = TrunkAddress { port, ..trunk.address.clone() };
        let Ok(found) = self.resolver.targets(&other, trunk.transport).await else { return };
        let bounds = self.bounds(trunk);
        if found.iter().all(|target| bounds.admit(*target)) {
            self.edge.peers.learn(trunk, port, &found, Instant::now());
        }
    }

    /// The address that a trunk's answers and requests reach us at.
    pub(crate) fn sent_by(&self, trunk: &Trunk, peer: SocketAddr) -> SocketAddr {
        let address: IpAddr = match self.known_host(&trunk.address) {
            Some(_) => self.stack.own_address_towards(peer),
            None => self.stack.address_towards(peer),
        };
        SocketAddr::new(address, self.stack.local_addr().port())
    }
}

/// The guard refused an address; the text names no address.
#[derive(Debug, thiserror::Error)]
#[error("the address guard refuses the trunk's address: {}", .0.as_str())]
struct Guarded(Refused);

/// Why a trunk's gateways are not known.
pub(crate) fn unknown(error: &io::Error) -> NoAnswer {
    let guarded = error.get_ref().and_then(|cause| cause.downcast_ref::<Guarded>());
    guarded.map_or(NoAnswer::NoAddress, |Guarded(refused)| NoAnswer::Guarded(*refused))
}
