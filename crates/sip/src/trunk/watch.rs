//! Watching trunks: a task each for pings and registration, and what they found.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use domain::ids::TrunkId;
use domain::ports::{Standing, TrunkReport, TrunkState};
use domain::trunk::Trunk;
use parking_lot::Mutex;
use rsipstack::platform::CancellationToken;
use tokio_util::task::TaskTracker;

use super::health::{Health, Registration};
use super::ping::ping;
use super::registration;
use crate::core::Core;

struct Watched {
    trunk: Trunk,
    health: Arc<Health>,
    stop: CancellationToken,
    /// Cancelled once the registration is taken back.
    unregistered: CancellationToken,
}

/// The trunks that are watched.
pub(crate) struct Watch {
    core: Arc<Core>,
    trunks: Mutex<HashMap<TrunkId, Watched>>,
    tasks: TaskTracker,
}

impl Watch {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self { core, trunks: Mutex::new(HashMap::new()), tasks: TaskTracker::new() }
    }

    /// Watches exactly these trunks; one that did not change is left alone.
    pub(crate) fn set(&self, trunks: Vec<Trunk>) {
        self.core.edge.peers.keep(&trunks);
        let mut wanted: HashMap<TrunkId, Trunk> = trunks.into_iter().map(|trunk| (trunk.id, trunk)).collect();
        let mut watched = self.trunks.lock();
        let mut before = HashMap::new();
        watched.retain(|id, known| {
            let stays = wanted.get(id) == Some(&known.trunk);
            if stays {
                wanted.remove(id);
            } else {
                known.stop.cancel();
                before.insert(*id, known.unregistered.clone());
            }
            stays
        });
        for (id, trunk) in wanted {
            watched.insert(id, self.begin(trunk, before.remove(&id)));
        }
    }

    /// Whether the trunk is watched.
    pub(crate) fn knows(&self, trunk: TrunkId) -> bool {
        self.trunks.lock().contains_key(&trunk)
    }

    /// How a trunk stands; one that was never pinged counts as up.
    pub(crate) fn state(&self, trunk: TrunkId) -> TrunkState {
        let fresh = TrunkState { up: true, ..TrunkState::default() };
        self.trunks.lock().get(&trunk).map_or(fresh, |known| known.health.state())
    }

    /// How a trunk stands for people.
    pub(crate) fn report(&self, trunk: TrunkId) -> TrunkReport {
        let found = self.trunks.lock().get(&trunk).map(|known| {
            let built_in = self.core.known_host(&known.trunk.address).is_some();
            let report = known.health.report();
            TrunkReport { standing: if built_in { Standing::BuiltIn } else { report.standing }, ..report }
        });
        TrunkReport { live_calls: self.core.table.live_calls(trunk), ..found.unwrap_or_default() }
    }

    /// Puts the gateways that answer pings before those that do not.
    pub(crate) fn living_first(&self, trunk: TrunkId, gateways: &mut [SocketAddr]) {
        let trunks = self.trunks.lock();
        if let Some(known) = trunks.get(&trunk) {
            gateways.sort_by_cached_key(|gateway| known.health.dead(*gateway));
        }
    }

    /// Stops watching; registrations are taken back.
    pub(crate) async fn close(&self) {
        self.set(Vec::new());
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// `before` ends with the registration that this trunk had until now: taking that back later
    /// would take the new one.
    fn begin(&self, trunk: Trunk, before: Option<CancellationToken>) -> Watched {
        let (health, stop) = (Arc::new(Health::default()), CancellationToken::new());
        let unregistered = CancellationToken::new();
        let done = unregistered.clone().drop_guard();
        if self.core.known_host(&trunk.address).is_some() {
            return Watched { trunk, health, stop, unregistered };
        }
        if trunk.register {
            health.registered(Registration::Pending);
            let keep = registration::keep(self.core.clone(), trunk.clone(), health.clone(), stop.clone());
            let keep = async move {
                if let Some(before) = before {
                    before.cancelled().await;
                }
                keep.await;
                drop(done);
            };
            self.tasks.spawn_on(keep, &self.core.runtime);
        }
        let peers = keep_peers(self.core.clone(), trunk.clone(), stop.clone());
        self.tasks.spawn_on(peers, &self.core.runtime);
        let pings = keep_pinging(self.core.clone(), trunk.clone(), health.clone(), stop.clone());
        self.tasks.spawn_on(pings, &self.core.runtime);
        Watched { trunk, health, stop, unregistered }
    }
}

async fn keep_peers(core: Arc<Core>, trunk: Trunk, stop: CancellationToken) {
    loop {
        let pause = core.timers.peers + core.tokens.part_of(core.timers.peers / 10);
        tokio::select! {
            () = async { core.learn_peers(&trunk).await; tokio::time::sleep(pause).await } => {}
            () = stop.cancelled() => return,
        }
    }
}

async fn keep_pinging(core: Arc<Core>, trunk: Trunk, health: Arc<Health>, stop: CancellationToken) {
    let mut was_up = true;
    loop {
        let pinged = tokio::select! {
            pinged = ping(&core, &trunk) => pinged,
            () = stop.cancelled() => return,
        };
        let (alive, said) = (pinged.alive(), pinged.said.clone());
        let up = health.pinged(pinged);
        if up != was_up {
            tracing::warn!(trunk = %trunk.id, name = trunk.name, up, said, "a trunk changed its state");
        }
        was_up = up;
        let pause = if alive { core.timers.ping } else { core.timers.ping_down };
        // Many trunks must not be pinged in the same moment for ever.
        let pause = pause + core.tokens.part_of(pause / 10);
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = stop.cancelled() => return,
        }
    }
}
