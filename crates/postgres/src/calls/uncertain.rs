//! An acceptance whose answer was lost: the call may be there although nobody was told.
//!
//! Left alone it would be `calling` for as long as its boot lives, with nobody to dial it.

use std::time::Duration;

use domain::call::{CallStatus, Ended, EndedReason};
use domain::ports::{Accepted, Concluded, Conclusion, Fence};
use time::OffsetDateTime;
use tokio::time::{Instant, sleep};

use super::accept::{Decision, decided};
use super::conclude::conclude;
use crate::failure::Failure;
use crate::statement::{Statement, row, statement};
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
    again: Statement,
) -> Result<Accepted, Failure> {
    if matches!(lost, Failure::TimedOut) {
        return Err(lost);
    }
    match store.write::<Decision>(again).await {
        Err(failure) if failure.is_unique() => {
            let make = || statement(STANDING).bind(fence.call.uuid());
            let standing = store.read::<Standing>(make).await?.into_iter().next().ok_or(lost)?;
            if standing.status == CallStatus::Calling.as_str() {
                return Ok(Accepted::Calling(fence));
            }
            let reason = standing.ended_reason.as_deref().and_then(EndedReason::parse);
            reason.map(Accepted::Failed).ok_or_else(|| {
                Failure::impossible("outbound_calls", fence.call.uuid(), "a final call has no reason")
            })
        }
        rows => decided(fence, &rows?),
    }
}

/// Ends the call behind the caller's back, should it be there after all. The caller was told that
/// the store is unavailable, so that no callback is due.
pub(super) fn retract(store: Store, fence: Fence, at: OffsetDateTime) {
    let ended = Ended { reason: EndedReason::ServiceInterrupted, started_at: None, ended_at: at };
    tokio::spawn(async move {
        let begun = Instant::now();
        loop {
            sleep(PAUSE).await;
            let conclusion = Conclusion { fence, ended, answer: None, callback: None };
            match conclude(&store, conclusion).await {
                Ok(Concluded::Final) => return,
                Ok(Concluded::Superseded) if begun.elapsed() >= OVER_FOR_SURE => return,
                Ok(Concluded::Superseded) | Err(_) => {}
            }
        }
    });
}
