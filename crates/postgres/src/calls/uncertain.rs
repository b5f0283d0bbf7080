//! An acceptance whose answer was lost: the call may be there although nobody was told.
//!
//! Left alone it would be `calling` for as long as its boot lives, with nobody to dial it.

use std::time::Duration;

use domain::call::{CallStatus, Ended, EndedReason, OutboundCall};
use domain::callback::CallbackDraft;
use domain::idempotency::{Earlier, Once};
use domain::ports::{Accepted, Concluded, Conclusion, Fence};
use tokio::time::{Instant, sleep};

use super::conclude::conclude;
use super::earlier::give_back;
use crate::failure::Failure;
use crate::statement::{row, statement};
use crate::store::Store;

/// Longer than a statement may run on the server, so that none is under way any more.
const OVER_FOR_SURE: Duration = Duration::from_secs(30);

const PAUSE: Duration = Duration::from_secs(1);

const STANDING: &str = "
SELECT o.status, c.ended_reason FROM outbound_calls o JOIN calls c ON c.id = o.call_id WHERE o.call_id = $1";

row! {
    Standing { status: String, ended_reason: Option<String> }
}

/// Tries once more under the same id: whichever of the two is first, the other cannot follow.
pub(super) async fn settle(
    store: &Store,
    fence: Fence,
    lost: Failure,
    again: impl Future<Output = Result<Accepted, Failure>>,
) -> Result<Accepted, Failure> {
    if matches!(lost, Failure::TimedOut) {
        return Err(lost);
    }
    match again.await {
        Err(failure) if failure.is_unique() => standing(store, fence, lost).await,
        // The key leads to this very call: the first of the two took it.
        Ok(Accepted::Earlier(Earlier::Same(recorded))) if recorded.call == fence.call => {
            standing(store, fence, lost).await
        }
        settled => settled,
    }
}

/// How the call stands that was recorded after all.
async fn standing(store: &Store, fence: Fence, lost: Failure) -> Result<Accepted, Failure> {
    let make = || statement(STANDING).bind(fence.call.uuid());
    let standing = store.read::<Standing>(make).await?.into_iter().next().ok_or(lost)?;
    if standing.status == CallStatus::Calling.as_str() {
        return Ok(Accepted::Calling(fence));
    }
    let reason = standing.ended_reason.as_deref().and_then(EndedReason::parse);
    reason
        .map(Accepted::Failed)
        .ok_or_else(|| Failure::impossible("outbound_calls", fence.call.uuid(), "a final call has no reason"))
}

/// Ends the call behind the caller's back, should it be there after all, and gives its key back.
///
/// The caller was told that the store is unavailable, so that no callback is due; but a request
/// with the same key may have been told of the call in the meantime.
pub(super) fn retract(store: Store, fence: Fence, call: &OutboundCall, once: Option<Once>) {
    let at = call.created_at;
    let ended = Ended { reason: EndedReason::ServiceInterrupted, started_at: None, ended_at: at };
    let callback = once.as_ref().and_then(|_| CallbackDraft::of(call, &ended, at));
    tokio::spawn(async move {
        let begun = Instant::now();
        loop {
            sleep(PAUSE).await;
            let conclusion = Conclusion { fence, ended, answer: None, callback: callback.clone() };
            match conclude(&store, conclusion).await {
                Ok(Concluded::Final) => break,
                Ok(Concluded::Superseded) if begun.elapsed() >= OVER_FOR_SURE => return,
                Ok(Concluded::Superseded) | Err(_) => {}
            }
        }
        let Some(once) = once else { return };
        while give_back(&store, &once, fence.call, at).await.is_err() {
            sleep(PAUSE).await;
        }
    });
}
