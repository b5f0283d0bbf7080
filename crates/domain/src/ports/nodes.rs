//! Which machines are alive, and who takes over the calls of one that is not.

use async_trait::async_trait;

use super::{Fence, SavedLeg, StoreUnavailable};
use crate::audit::Deed;
use crate::call::{Live, OutboundCall};
use crate::ids::{BootId, CallId, NodeId};
use crate::scope::Reach;
use crate::trunk::Trunk;

/// What a heartbeat brings back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beat {
    /// What this node was told to do since the last beat; each command comes once.
    pub commands: Vec<Command>,
    /// Calls of this boot that another node has taken over since: they end here at once.
    pub lost: Vec<CallId>,
    /// How many boots are alive, this one included; paces are divided by it.
    pub live: u32,
}

/// Something that a node is told by way of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Hang the call up (`manually-ended`).
    HangUp(CallId),
}

/// A boot that has not said goodbye, as the store shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedNode {
    /// The machine.
    pub node: NodeId,
    /// Its start.
    pub boot: BootId,
    /// Its heartbeat counter; unchanged means no beat since.
    pub counter: i64,
}

/// A live call without an owner: it is ended, never dialled again.
#[derive(Clone, Debug)]
pub struct Orphan {
    /// The fence under the new owner and epoch.
    pub fence: Fence,
    /// The call.
    pub call: OutboundCall,
    /// Where it stood.
    pub live: Live,
    /// What was saved of its leg.
    pub leg: SavedLeg,
    /// The trunk that carried it.
    pub trunk: Trunk,
}

/// The register of nodes.
#[async_trait]
pub trait Nodes: Send + Sync {
    /// Enters a new boot and returns the node's earlier boots that never said goodbye.
    async fn join(&self, node: NodeId, boot: BootId) -> Result<Vec<BootId>, StoreUnavailable>;

    /// Raises the boot's counter and fetches what concerns it.
    async fn beat(&self, boot: BootId) -> Result<Beat, StoreUnavailable>;

    /// Every boot that has not said goodbye, but `boot` itself.
    async fn others(&self, boot: BootId) -> Result<Vec<ObservedNode>, StoreUnavailable>;

    /// Makes `heir` the owner of the live calls of a dead boot, at most `limit` at a time. With
    /// `counter`, only while the dead boot's counter still has that value; without, at once (an
    /// earlier boot of the same node). Ask again until nothing comes:
    /// the dead boot is struck off by the call that finds nothing left to hand out.
    async fn take_over(
        &self,
        heir: BootId,
        dead: BootId,
        counter: Option<i64>,
        limit: u32,
    ) -> Result<Vec<Orphan>, StoreUnavailable>;

    /// Asks the owner of a live call to hang up, and notes who wants it in the audit log; `false` when
    /// no live call within reach has this id.
    async fn request_hang_up(&self, reach: Reach, call: CallId, deed: Deed)
    -> Result<bool, StoreUnavailable>;

    /// Says goodbye; a boot that still has live calls stays on the list, so that they are taken
    /// over.
    async fn leave(&self, boot: BootId) -> Result<(), StoreUnavailable>;
}
