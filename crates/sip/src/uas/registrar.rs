//! Registering the answering side, so that calls to a user find it (RFC 3261 §10.2).

use std::sync::Arc;

use domain::ids::TrunkId;
use domain::network::AddressPolicy;
use domain::ports::Entropy;
use domain::trunk::Trunk;
use tokio::runtime::Handle;

use super::Uas;
use crate::core::Core;
use crate::edge::{Edge, PeerRates};
use crate::login::Realms;
use crate::resolve::Dns;
use crate::table::Table;
use crate::timers::Timers;
use crate::tokens::Tokens;
use crate::trunk::Watch;

/// A registration that is kept fresh until it is closed.
pub struct Registered {
    watch: Watch,
    registrar: TrunkId,
}

impl Uas {
    /// Registers with `registrar`, as the user of its credentials, from the sockets that calls
    /// come in on. It answers digest challenges, refreshes, and tries again after a failure.
    pub fn register(&self, registrar: Trunk, timers: Timers, entropy: Arc<dyn Entropy>) -> Registered {
        // It hears everybody: nothing is ever asked of this one.
        let edge = Edge::new(timers.transaction.t1 * 64, PeerRates::default());
        let core = Arc::new(Core {
            stack: self.stack.clone(),
            // No dialogs of ours begin here, so nothing is ever looked up.
            table: Arc::new(Table::new(edge.live.clone())),
            edge,
            timers,
            tokens: Tokens::new(entropy),
            realms: Realms::default(),
            resolver: Arc::new(Dns::system()),
            known_hosts: Vec::new(),
            guard: Arc::new(AddressPolicy::default()),
            runtime: Handle::current(),
        });
        let (watch, id) = (Watch::new(core), registrar.id);
        watch.set(vec![Trunk { register: true, ..registrar }]);
        Registered { watch, registrar: id }
    }
}

impl Registered {
    /// Whether the registrar has accepted, and not refused since.
    pub fn stands(&self) -> bool {
        self.watch.state(self.registrar).registered == Some(true)
    }

    /// Takes the registration back.
    pub async fn close(&self) {
        self.watch.close().await;
    }
}
