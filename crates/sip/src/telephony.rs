//! The telephone network as the application sees it.

use std::collections::VecDeque;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use domain::ids::TrunkId;
use domain::ports::{
    DialPlan, Entropy, PreparedLeg, Refused, SavedLeg, Telephony, TrunkReport, TrunkReports, TrunkState,
};
use domain::trunk::Trunk;
use media::PortRange;
use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::core::Core;
use crate::edge::{DropCounts, Edge, Heard};
use crate::login::Realms;
use crate::orphan;
use crate::prepared::{Prepared, open_first};
use crate::router;
use crate::settings::Settings;
use crate::stack::{Flow, Stack, StackSettings, StartError};
use crate::table::Table;
use crate::tokens::Tokens;
use crate::trunk::{Pace, Watch, ping};

/// SIP trunks as the [`Telephony`] port.
pub struct SipTelephony {
    core: Arc<Core>,
    watch: Arc<Watch>,
    pace: Pace,
    ports: PortRange,
}

impl SipTelephony {
    /// Binds its sockets and starts; signalling runs on the runtime that this is called on, whoever
    /// polls the legs.
    pub async fn start(settings: Settings, entropy: Arc<dyn Entropy>) -> Result<Arc<Self>, StartError> {
        let linger = settings.timers.transaction.t1 * 64;
        let edge = Edge::new(linger, settings.peer_rates);
        let table = Arc::new(Table::new(edge.live.clone()));
        let stack = StackSettings {
            listen: settings.listen,
            public_address: settings.public_address,
            tls: settings.tls,
            heard: Heard::Peers(edge.clone(), settings.streams),
            timers: settings.timers.transaction,
        };
        let (stack, incoming) = Stack::start(stack, Some(table.clone())).await?;
        let core = Arc::new(Core {
            stack,
            table: table.clone(),
            edge: edge.clone(),
            timers: settings.timers,
            tokens: Tokens::new(entropy),
            realms: Realms::default(),
            resolver: settings.resolver,
            known_hosts: settings.known_hosts,
            guard: Arc::new(settings.guard),
            runtime: Handle::current(),
        });
        tokio::spawn(router::route(incoming, table));
        tokio::spawn(Edge::log(Arc::downgrade(&edge)));
        let media_address = settings.media_address.unwrap_or(settings.listen.ip());
        Ok(Arc::new(Self {
            watch: Arc::new(Watch::new(core.clone())),
            pace: Pace::new(),
            ports: PortRange::new(media_address, settings.media_ports),
            core,
        }))
    }

    /// Where SIP listens, over UDP and TCP alike.
    pub fn local_addr(&self) -> SocketAddr {
        self.core.stack.local_addr()
    }

    /// How many nodes are alive: each trunk's pace is divided by it.
    pub fn set_live_nodes(&self, live_nodes: u32) {
        self.pace.share_among(live_nodes);
    }

    /// How many calls are live, or still owe an answer to what may come late (32 s after an answer
    /// or a CANCEL).
    pub fn dialogs(&self) -> usize {
        self.core.table.len()
    }

    /// How many transactions are kept, ours and those of peers: running, or over and still known for
    /// retransmissions.
    pub fn transactions(&self) -> usize {
        let stats = self.core.stack.endpoint().get_stats();
        stats.running_transactions + stats.finished_transactions
    }

    /// What was dropped since the start.
    pub fn dropped(&self) -> DropCounts {
        self.core.edge.drops.counts()
    }

    /// How a trunk stands by its last pings; one that was never pinged counts as up.
    pub fn trunk_state(&self, trunk: TrunkId) -> TrunkState {
        self.watch.state(trunk)
    }

    /// Takes registrations back and closes every socket. Legs must have ended before.
    pub async fn shutdown(&self) {
        self.watch.close().await;
        self.core.stack.shutdown();
    }
}

#[async_trait]
impl Telephony for SipTelephony {
    async fn prepare(&self, plan: DialPlan) -> Result<Box<dyn PreparedLeg>, Refused> {
        if !self.watch.state(plan.trunk.id).up {
            return Err(Refused::Unreachable(None));
        }
        if !self.pace.take(plan.trunk.id, plan.trunk.calls_per_second, Instant::now()) {
            return Err(Refused::NoCapacity);
        }
        let reaching = reach(self.core.clone(), self.watch.clone(), plan.trunk.clone());
        // Connections belong to our runtime, not to the caller's.
        let reached = self.core.runtime.spawn(reaching).await;
        let reached = reached.unwrap_or_else(|panicked| Err(panicked.into()));
        let (flow, further) = reached.map_err(|cause| Refused::Unreachable(Some(cause)))?;
        let socket = self.ports.bind(self.core.tokens.entropy()).ok_or(Refused::NoCapacity)?;
        Ok(Box::new(Prepared::new(self.core.clone(), plan, flow, further, socket)))
    }

    async fn end_orphan(&self, trunk: Trunk, leg: SavedLeg) {
        let core = self.core.clone();
        let limit = core.timers.orphan;
        let ending = self.core.runtime.spawn(async move {
            if tokio::time::timeout(limit, orphan::end(&core, &trunk, leg)).await.is_err() {
                tracing::info!(trunk = %trunk.name, "a left leg did not answer in time");
            }
        });
        let _ = ending.await;
    }

    async fn watch(&self, trunks: Vec<Trunk>) {
        self.watch.set(trunks);
        self.pace.retain(|trunk| self.watch.knows(trunk));
        self.core.realms.retain(|trunk| self.watch.knows(trunk));
    }

    async fn probe(&self, trunk: &Trunk) -> TrunkState {
        let (core, asked) = (self.core.clone(), trunk.clone());
        let pinged = self.core.runtime.spawn(async move { ping(&core, &asked).await }).await;
        let registered = self.watch.state(trunk.id).registered;
        match pinged {
            Ok(pinged) => TrunkState { up: pinged.alive(), last_ping: Some(pinged.said), registered },
            Err(_) => TrunkState { up: false, last_ping: None, registered },
        }
    }
}

impl TrunkReports for SipTelephony {
    fn report(&self, trunk: TrunkId) -> TrunkReport {
        self.watch.report(trunk)
    }
}

type Reached = Result<(Flow, VecDeque<SocketAddr>), Box<dyn Error + Send + Sync>>;

/// Resolves and connects, both within the limit.
async fn reach(core: Arc<Core>, watch: Arc<Watch>, trunk: Trunk) -> Reached {
    let limit = core.timers.prepare;
    let reaching = async {
        let mut gateways = core.gateways(&trunk).await?;
        watch.living_first(trunk.id, &mut gateways);
        open_first(core.clone(), trunk.transport, gateways.into(), trunk.address.host).await
    };
    Ok(tokio::time::timeout(limit, reaching).await??)
}
