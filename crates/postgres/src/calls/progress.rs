//! Ringing and answered: written only by the owner, under its epoch.

use domain::ports::{Fence, SavedLeg};
use time::OffsetDateTime;

use crate::failure::Failure;
use crate::rows::intent_binds;
use crate::statement::{Statement, row, statement};
use crate::store::Store;

const RINGING: &str = "
UPDATE call_legs SET
    rang_at = CASE WHEN state = 'dialling' THEN $4 ELSE rang_at END,
    state = CASE WHEN state = 'dialling' THEN 'ringing' ELSE state END
WHERE call_id = $1 AND owner = $2 AND epoch = $3 AND leg = 1 AND state <> 'ended'
RETURNING true AS held";

const ANSWERED: &str = "
WITH leg AS (
    UPDATE call_legs SET state = 'connected', answered_at = COALESCE(answered_at, $4),
        remote_tag = $5, remote_target = $6, route_set = $7, local_cseq = $8, trunk_id = $9,
        sip_call_id = $10, local_tag = $11, branch = $12, first_cseq = $13, request_uri = $14,
        from_header = $15, to_header = $16, transport = $17, gateway = $18
    WHERE call_id = $1 AND owner = $2 AND epoch = $3 AND leg = 1 AND state <> 'ended'
    RETURNING call_id, answered_at
), call AS (
    UPDATE calls SET started_at = leg.answered_at FROM leg WHERE calls.id = leg.call_id
)
SELECT true AS held FROM leg";

row! {
    Held { held: bool }
}

pub(super) async fn ringing(store: &Store, fence: Fence, at: OffsetDateTime) -> Result<bool, Failure> {
    let rows = store.write::<Held>(guard(statement(RINGING), fence).bind(at)).await?;
    Ok(rows.iter().any(|row| row.held))
}

pub(super) async fn answered(
    store: &Store,
    fence: Fence,
    leg: SavedLeg,
    at: OffsetDateTime,
) -> Result<bool, Failure> {
    let query = guard(statement(ANSWERED), fence)
        .bind(at)
        .bind(leg.remote_tag)
        .bind(leg.remote_target)
        .bind(leg.route_set)
        .bind(i64::from(leg.local_cseq));
    let rows = store.write::<Held>(intent_binds(query, leg.intent)).await?;
    Ok(rows.iter().any(|row| row.held))
}

/// Binds `$1` to `$3`.
fn guard(statement: Statement, fence: Fence) -> Statement {
    statement.bind(fence.call.uuid()).bind(fence.owner.uuid()).bind(fence.epoch)
}
