//! Keeping this node among its peers: heartbeat, fence, and watching for the dead.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use domain::call::EndedReason;
use domain::ids::BootId;
use domain::ports::{Clock, Command, Nodes, ObservedNode, StoreUnavailable};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use crate::causes::causes;
use crate::supervisor::CallSupervisor;
use crate::take_over::TakeOver;

/// Between two heartbeats.
const BEAT: Duration = Duration::from_secs(2);

/// After the start of its last successful beat a node may dial for so long.
const LEASE: Duration = Duration::from_secs(8);

/// A node is dead to us when we saw its counter unchanged for so long; longer than the lease.
const DEAD: Duration = Duration::from_secs(10);

/// The owner's fence: whether this node may still send INVITEs.
pub struct NodeLease {
    clock: Arc<dyn Clock>,
    /// Milliseconds since the machine's start; 0 before the first beat.
    renewed_ms: AtomicU64,
    /// Whether the last beat reached the store.
    in_touch: AtomicBool,
}

impl NodeLease {
    /// A lease that has not begun.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, renewed_ms: AtomicU64::new(0), in_touch: AtomicBool::new(false) }
    }

    /// Whether the last successful beat began less than 8 s ago.
    pub fn may_dial(&self) -> bool {
        let renewed = Duration::from_millis(self.renewed_ms.load(Ordering::Acquire));
        !renewed.is_zero() && self.clock.since_boot().saturating_sub(renewed) < LEASE
    }

    /// Whether calls are likely to be taken: the node may dial, and its last beat reached the store.
    pub fn is_ready(&self) -> bool {
        self.in_touch.load(Ordering::Acquire) && self.may_dial()
    }

    fn renew(&self, began: Duration) {
        self.in_touch.store(true, Ordering::Release);
        self.renewed_ms.store(u64::try_from(began.as_millis()).unwrap_or(0), Ordering::Release);
    }
}

/// How often the lease is looked at beside the beats: one that hangs must not keep it.
const LOOK: Duration = Duration::from_millis(500);

/// A round of beat and watch that took longer was no unbroken contact: a store that hung for us hung
/// for the others too. Two such rounds and the pause between them are shorter than [`DEAD`].
const SLOW: Duration = Duration::from_secs(3);

/// Beats, obeys, and takes over from nodes that stopped beating.
pub struct KeepNode {
    nodes: Arc<dyn Nodes>,
    lease: Arc<NodeLease>,
    supervisor: Arc<CallSupervisor>,
    take_over: Arc<TakeOver>,
    clock: Arc<dyn Clock>,
    boot: BootId,
    live: watch::Sender<u32>,
}

/// What this node has seen of another.
struct Sighting {
    counter: i64,
    since: Duration,
}

/// Takings-over under way, by the dead boot. They outlive its place on the list: what was taken
/// over must be ended.
type Inheriting = HashMap<BootId, AbortOnDropHandle<()>>;

impl KeepNode {
    /// Builds the use case from its ports.
    pub fn new(
        nodes: Arc<dyn Nodes>,
        lease: Arc<NodeLease>,
        supervisor: Arc<CallSupervisor>,
        take_over: Arc<TakeOver>,
        clock: Arc<dyn Clock>,
        boot: BootId,
    ) -> Self {
        Self { nodes, lease, supervisor, take_over, clock, boot, live: watch::Sender::new(1) }
    }

    /// How many nodes are alive, as of the last beat.
    pub fn live_nodes(&self) -> watch::Receiver<u32> {
        self.live.subscribe()
    }

    /// One beat: renews the lease and carries out what came back.
    pub async fn beat(&self) -> Result<(), StoreUnavailable> {
        let began = self.clock.since_boot();
        let beat = self.nodes.beat(self.boot).await?;
        self.lease.renew(began);
        for Command::HangUp(call) in beat.commands {
            self.supervisor.hang_up(call, EndedReason::ManuallyEnded);
        }
        for call in beat.lost {
            self.supervisor.hang_up(call, EndedReason::ServiceInterrupted);
        }
        self.live.send_replace(beat.live.max(1));
        Ok(())
    }

    /// Beats until the task is dropped.
    pub async fn run(&self) {
        tokio::join!(self.keep_beating(), self.guard_lease());
    }

    async fn keep_beating(&self) {
        let mut beats = tokio::time::interval(BEAT);
        beats.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (mut seen, mut inheriting) = (HashMap::new(), Inheriting::new());
        let mut in_touch = true;
        loop {
            beats.tick().await;
            let began = self.clock.since_boot();
            let contact = match self.beat().await {
                Ok(()) => self.watch_others(began, &mut seen, &mut inheriting).await,
                Err(error) => Err(error),
            };
            match &contact {
                Ok(()) if !in_touch => tracing::info!("the store is back"),
                Err(error) if in_touch => tracing::error!(error = causes(error), "the store is away"),
                _ => {}
            }
            in_touch = contact.is_ok();
            if !in_touch {
                self.lease.in_touch.store(false, Ordering::Release);
                // Only unbroken contact proves that a counter stood still.
                seen.clear();
            }
        }
    }

    /// Cancels what has not been answered as soon as the lease is over.
    async fn guard_lease(&self) {
        loop {
            tokio::time::sleep(LOOK).await;
            if !self.lease.may_dial() {
                self.supervisor.stop_dialling();
            }
        }
    }

    async fn watch_others(
        &self,
        began: Duration,
        seen: &mut HashMap<BootId, Sighting>,
        inheriting: &mut Inheriting,
    ) -> Result<(), StoreUnavailable> {
        let others = self.nodes.others(self.boot).await?;
        let now = self.clock.since_boot();
        if now.saturating_sub(began) > SLOW {
            seen.clear();
        }
        seen.retain(|boot, _| others.iter().any(|other| other.boot == *boot));
        inheriting.retain(|_, taking_over| !taking_over.is_finished());
        for other in others {
            let sighting = seen.entry(other.boot).or_insert(Sighting { counter: other.counter, since: now });
            if sighting.counter != other.counter {
                *sighting = Sighting { counter: other.counter, since: now };
            } else if now.saturating_sub(sighting.since) >= DEAD {
                inheriting.entry(other.boot).or_insert_with(|| self.inherit(other));
            }
        }
        Ok(())
    }

    /// Takes over beside the beats, which may not wait for it: it can take longer than a lease.
    fn inherit(&self, dead: ObservedNode) -> AbortOnDropHandle<()> {
        tracing::warn!(node = %dead.node, boot = %dead.boot, "taking over from a node that stopped beating");
        let take_over = Arc::clone(&self.take_over);
        AbortOnDropHandle::new(tokio::spawn(async move {
            if let Err(error) = take_over.take_over(dead.boot, Some(dead.counter)).await {
                tracing::error!(boot = %dead.boot, error = causes(&error), "a node could not be taken over yet");
            }
        }))
    }
}
