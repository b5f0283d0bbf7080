//! Ending a call: status, record, line and callback together, or not at all.

use domain::callback::FIRST_LEASE;
use domain::ports::{Concluded, Conclusion, Fence};

use crate::failure::Failure;
use crate::statement::{row, statement};
use crate::store::Store;

const ENDED_BY: &str = "
SELECT true AS ours FROM call_legs
WHERE call_id = $1 AND owner = $2 AND epoch = $3 AND leg = 1 AND state = 'ended'";

pub(crate) const CONCLUDE: &str = "
WITH leg AS (
    UPDATE call_legs SET state = 'ended'
    WHERE call_id = $1 AND owner = $2 AND epoch = $3 AND leg = 1 AND state <> 'ended'
    RETURNING call_id
), outbound AS (
    UPDATE outbound_calls SET status = $4, sip_code = $9, sip_phrase = $10
    FROM leg
    WHERE outbound_calls.call_id = leg.call_id AND status = 'calling'
    RETURNING outbound_calls.call_id, tenant_id, organization_id
), call AS (
    UPDATE calls SET ended_reason = $5, started_at = $6, ended_at = $7, duration_seconds = $8
    FROM outbound WHERE calls.id = outbound.call_id
), line AS (
    UPDATE trunk_lines SET call_id = NULL FROM outbound WHERE trunk_lines.call_id = outbound.call_id
), callback AS (
    INSERT INTO callbacks (call_id, tenant_id, organization_id, url, destination, body, prepared_at,
        state, due_at, claimed_by, lease_until)
    SELECT call_id, tenant_id, organization_id, $11, $12, $13, $14, 'pending', $14, $2, $15
    FROM outbound WHERE $11 IS NOT NULL
)
SELECT true AS ended FROM outbound";

row! {
    End { ended: bool }
}

row! {
    Ours { ours: bool }
}

pub(super) async fn conclude(store: &Store, conclusion: Conclusion) -> Result<Concluded, Failure> {
    match attempt(store, &conclusion).await {
        // The answer was lost: whoever ended it under this very fence was we.
        Err(failure) if failure.is_uncertain() && !matches!(failure, Failure::TimedOut) => {
            match attempt(store, &conclusion).await? {
                Concluded::Superseded if ended_by(store, conclusion.fence).await? => Ok(Concluded::Final),
                concluded => Ok(concluded),
            }
        }
        concluded => concluded,
    }
}

async fn ended_by(store: &Store, fence: Fence) -> Result<bool, Failure> {
    let make = || statement(ENDED_BY).bind(fence.call.uuid()).bind(fence.owner.uuid()).bind(fence.epoch);
    Ok(store.read::<Ours>(make).await?.iter().any(|row| row.ours))
}

async fn attempt(store: &Store, conclusion: &Conclusion) -> Result<Concluded, Failure> {
    let Conclusion { fence, ended, answer, callback } = conclusion;
    let duration = ended.duration().and_then(|seconds| i64::try_from(seconds).ok());
    let (code, phrase) = match answer {
        Some(answer) => (Some(i32::from(answer.code)), Some(without_nul(&answer.phrase))),
        None => (None, None),
    };
    let query = statement(CONCLUDE)
        .bind(fence.call.uuid())
        .bind(fence.owner.uuid())
        .bind(fence.epoch)
        .bind(ended.status().as_str())
        .bind(ended.reason.as_str())
        .bind(ended.started_at)
        .bind(ended.ended_at)
        .bind(duration)
        .bind(code)
        .bind(phrase)
        .bind(callback.as_ref().map(|draft| draft.url.url().to_string()))
        .bind(callback.as_ref().map(|draft| draft.url.destination()))
        .bind(callback.as_ref().map(|draft| draft.body.clone()))
        .bind(callback.as_ref().map(|draft| draft.prepared_at))
        .bind(callback.as_ref().map(|draft| draft.prepared_at + FIRST_LEASE));
    let rows = store.write::<End>(query).await?;
    Ok(if rows.iter().any(|row| row.ended) { Concluded::Final } else { Concluded::Superseded })
}

/// A peer's words may hold what a PostgreSQL text cannot.
fn without_nul(text: &str) -> String {
    text.replace('\0', "")
}
