//! A register of nodes that does not answer for as long as a test likes.

use std::sync::Arc;

use async_trait::async_trait;
use domain::audit::Deed;
use domain::ids::{BootId, CallId, NodeId};
use domain::ports::{Beat, Nodes, ObservedNode, Orphan, StoreUnavailable};
use domain::scope::Reach;
use tokio::sync::watch;

/// Passes everything on, once it is not held.
pub struct HeldNodes {
    nodes: Arc<dyn Nodes>,
    held: watch::Sender<bool>,
    take_over_held: watch::Sender<bool>,
}

impl HeldNodes {
    pub fn new(nodes: Arc<dyn Nodes>) -> Arc<Self> {
        Arc::new(Self { nodes, held: watch::Sender::new(false), take_over_held: watch::Sender::new(false) })
    }

    /// From now on nothing answers, or again.
    pub fn hold(&self, held: bool) {
        self.held.send_replace(held);
    }

    /// The same for takings-over alone.
    pub fn hold_take_over(&self, held: bool) {
        self.take_over_held.send_replace(held);
    }

    async fn pass(&self) {
        self.held.subscribe().wait_for(|held| !held).await.unwrap();
    }
}

#[async_trait]
impl Nodes for HeldNodes {
    async fn join(&self, node: NodeId, boot: BootId) -> Result<Vec<BootId>, StoreUnavailable> {
        self.nodes.join(node, boot).await
    }

    async fn beat(&self, boot: BootId) -> Result<Beat, StoreUnavailable> {
        self.pass().await;
        self.nodes.beat(boot).await
    }

    async fn others(&self, boot: BootId) -> Result<Vec<ObservedNode>, StoreUnavailable> {
        self.pass().await;
        self.nodes.others(boot).await
    }

    async fn take_over(
        &self,
        heir: BootId,
        dead: BootId,
        counter: Option<i64>,
        limit: u32,
    ) -> Result<Vec<Orphan>, StoreUnavailable> {
        self.take_over_held.subscribe().wait_for(|held| !held).await.unwrap();
        self.nodes.take_over(heir, dead, counter, limit).await
    }

    async fn request_hang_up(
        &self,
        reach: Reach,
        call: CallId,
        deed: Deed,
    ) -> Result<bool, StoreUnavailable> {
        self.nodes.request_hang_up(reach, call, deed).await
    }

    async fn leave(&self, boot: BootId) -> Result<(), StoreUnavailable> {
        self.nodes.leave(boot).await
    }
}
