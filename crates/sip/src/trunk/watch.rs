//! Watching trunks: a task each for pings and registration, and what they found.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use domain::ids::TrunkId;
use domain::ports::TrunkState;
use domain::trunk::Trunk;
use parking_lot::Mutex;
use rsipstack::platform::CancellationToken;
use tokio_util::task::TaskTracker;

use super::ping::{Pinged, ping};
use super::registration;
use crate::core::Core;

/// So many pings in a row must fail before a trunk is down: one alone may be our own hiccup.
const FAILURES: u32 = 2;

/// What is known about one trunk. Only pings mark it down, never the answer to a call.
#[derive(Default)]
pub(crate) struct Health(Mutex<Known>);

#[derive(Default)]
struct Known {
    pinged: Option<Pinged>,
    /// Whether a ping was ever answered.
    answers: bool,
    failures: u32,
    registered: Option<bool>,
}

impl Health {
    pub(super) fn registered(&self, registered: bool) {
        self.0.lock().registered = Some(registered);
    }

    /// Takes a ping's result and tells whether the trunk is up.
    fn pinged(&self, pinged: Pinged) -> bool {
        let mut known = self.0.lock();
        known.answers |= pinged.alive;
        // Some carriers drop every OPTIONS: silence says something only of a trunk that has answered.
        let failed = !pinged.alive && (known.answers || !pinged.silent);
        known.failures = if failed { known.failures.saturating_add(1) } else { 0 };
        known.pinged = Some(pinged);
        known.failures < FAILURES
    }

    fn state(&self) -> TrunkState {
        let known = self.0.lock();
        TrunkState {
            up: known.failures < FAILURES,
            last_ping: known.pinged.as_ref().map(|pinged| pinged.said.clone()),
            registered: known.registered,
        }
    }
}

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

    /// Puts the gateways that answer pings before those that do not.
    pub(crate) fn living_first(&self, trunk: TrunkId, gateways: &mut [SocketAddr]) {
        let trunks = self.trunks.lock();
        let Some(known) = trunks.get(&trunk) else { return };
        let known = known.health.0.lock();
        if let Some(pinged) = &known.pinged {
            gateways.sort_by_key(|gateway| pinged.dead.contains(gateway));
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
        if trunk.register {
            health.registered(false);
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
        let pings = keep_pinging(self.core.clone(), trunk.clone(), health.clone(), stop.clone());
        self.tasks.spawn_on(pings, &self.core.runtime);
        Watched { trunk, health, stop, unregistered }
    }
}

async fn keep_pinging(core: Arc<Core>, trunk: Trunk, health: Arc<Health>, stop: CancellationToken) {
    let mut was_up = true;
    loop {
        let pinged = tokio::select! {
            pinged = ping(&core, &trunk) => pinged,
            () = stop.cancelled() => return,
        };
        let (alive, said) = (pinged.alive, pinged.said.clone());
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
