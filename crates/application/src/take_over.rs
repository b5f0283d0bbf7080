//! Ending the calls that a dead boot left behind; they are never dialled again.

use std::sync::Arc;

use domain::call::EndedReason;
use domain::ids::BootId;
use domain::ports::{Analyses, Callbacks, Clock, Nodes, Orphan, StoreUnavailable, Telephony};

use crate::conclude_call::ConcludeCall;
use crate::crash_point::crash_point;

/// Orphans fetched at a time.
const BATCH: u32 = 50;

/// Takes over the calls of dead boots.
pub struct TakeOver {
    /// Knows who owned what.
    pub nodes: Arc<dyn Nodes>,
    /// Holds the dead boot's claims.
    pub callbacks: Arc<dyn Callbacks>,
    /// Holds the dead boot's other claims.
    pub analyses: Arc<dyn Analyses>,
    /// Says the BYE that the dead boot could not.
    pub telephony: Arc<dyn Telephony>,
    /// Records the ends.
    pub conclude: Arc<ConcludeCall>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// The heir.
    pub boot: BootId,
}

impl TakeOver {
    /// Ends every live call of `dead` and frees its callbacks and analyses. With `counter`, only while the dead
    /// boot's heartbeat still stands there.
    pub async fn take_over(&self, dead: BootId, counter: Option<i64>) -> Result<(), StoreUnavailable> {
        loop {
            let orphans = self.nodes.take_over(self.boot, dead, counter, BATCH).await?;
            if orphans.is_empty() {
                break;
            }
            let ends = orphans.into_iter().map(|orphan| self.end(orphan));
            futures_util::future::join_all(ends).await;
        }
        // A boot that is still on the list was alive after all, and its claims are its own.
        if !self.nodes.others(self.boot).await?.iter().any(|other| other.boot == dead) {
            self.callbacks.release(&[dead]).await?;
            self.analyses.release_analyses(&[dead]).await?;
        }
        Ok(())
    }

    async fn end(&self, orphan: Orphan) {
        let Orphan { fence, call, live, leg, trunk } = orphan;
        tracing::warn!(call = %call.id, "ending a call whose node died");
        crash_point("taken-over");
        self.telephony.end_orphan(trunk, leg).await;
        let ended = live.end(EndedReason::ServiceInterrupted, self.clock.now());
        self.conclude.conclude(&call, fence, ended, None).await;
    }
}
