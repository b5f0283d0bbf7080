//! Recording a call with everything that belongs to it, in one statement.

use domain::call::{EndedReason, OutboundCall};
use domain::ids::BootId;
use domain::ports::{Acceptance, Accepted, DialIntent, Dispatch, Fence};
use serde_json::json;

use super::uncertain;
use crate::failure::Failure;
use crate::rows::intent_binds;
use crate::statement::{Statement, row, statement};
use crate::store::Store;

// The boot is locked against being struck off, so that no call is left to a boot that nobody
// watches. A line is taken where no other call is just taking it.
pub(crate) const DIAL: &str = "
WITH boot AS MATERIALIZED (
    SELECT id FROM boots WHERE id = $12 AND left_at IS NULL FOR KEY SHARE
), free AS MATERIALIZED (
    SELECT line FROM trunk_lines
    WHERE trunk_id = $14 AND call_id IS NULL AND line <= $13 AND EXISTS (SELECT FROM boot)
    ORDER BY line LIMIT 1 FOR UPDATE SKIP LOCKED
), decided AS MATERIALIZED (
    SELECT ($13 IS NULL OR EXISTS (SELECT FROM free)) AS placed FROM boot
), contact AS (
    INSERT INTO contacts (id, tenant_id, organization_id, name, phone_number, created_at)
    SELECT $4, $2, $3, $8, $7, $11 FROM decided
), call AS (
    INSERT INTO calls (id, tenant_id, organization_id, call_type, assistant_id, number_id,
        user_phone_number, user_name, ended_at, ended_reason, created_at)
    SELECT $1, $2, $3, 'Outbound', $5, $6, $7, $8, CASE WHEN NOT placed THEN $11 END,
        CASE WHEN NOT placed THEN 'capacity-exceeded' END, $11
    FROM decided
), outbound AS (
    INSERT INTO outbound_calls (call_id, tenant_id, organization_id, contact_id, trunk_id, variables,
        callback_url, status)
    SELECT $1, $2, $3, $4, $14, $9, $10, CASE WHEN placed THEN 'calling' ELSE 'failed' END
    FROM decided
), leg AS (
    INSERT INTO call_legs (call_id, leg, owner, epoch, state, trunk_id, sip_call_id, local_tag, branch,
        first_cseq, local_cseq, request_uri, from_header, to_header, transport, gateway)
    SELECT $1, 1, $12, 1, 'dialling', $14, $15, $16, $17, $18, $18, $19, $20, $21, $22, $23
    FROM decided WHERE placed
), taken AS (
    UPDATE trunk_lines SET call_id = $1 FROM free
    WHERE trunk_lines.trunk_id = $14 AND trunk_lines.line = free.line
), counted AS (
    INSERT INTO call_counts (organization_id, hour, call_type, calls)
    SELECT $3, date_trunc('hour', $11, 'UTC'), 'Outbound', 1 FROM decided
)
SELECT placed FROM decided";

const REFUSE: &str = "
WITH contact AS (
    INSERT INTO contacts (id, tenant_id, organization_id, name, phone_number, created_at)
    VALUES ($4, $2, $3, $8, $7, $11)
), call AS (
    INSERT INTO calls (id, tenant_id, organization_id, call_type, assistant_id, number_id,
        user_phone_number, user_name, ended_at, ended_reason, created_at)
    VALUES ($1, $2, $3, 'Outbound', $5, $6, $7, $8, $11, $13, $11)
), outbound AS (
    INSERT INTO outbound_calls (call_id, tenant_id, organization_id, contact_id, trunk_id, variables,
        callback_url, status)
    VALUES ($1, $2, $3, $4, $12, $9, $10, $14)
), counted AS (
    INSERT INTO call_counts (organization_id, hour, call_type, calls)
    VALUES ($3, date_trunc('hour', $11, 'UTC'), 'Outbound', 1)
)
SELECT false AS placed";

row! {
    Decision { placed: bool }
}

pub(super) async fn accept(store: &Store, acceptance: Acceptance) -> Result<Accepted, Failure> {
    let Acceptance { call, dispatch } = acceptance;
    match dispatch {
        Dispatch::Dial { owner, intent, max_calls } => dial(store, call, owner, *intent, max_calls).await,
        Dispatch::Refuse { reason } => refuse(store, call, reason).await,
    }
}

async fn dial(
    store: &Store,
    call: OutboundCall,
    owner: BootId,
    intent: DialIntent,
    max_calls: Option<u32>,
) -> Result<Accepted, Failure> {
    let fence = Fence { call: call.id, owner, epoch: 1 };
    if intent.trunk != call.trunk {
        return Err(Failure::Refused("the call is prepared for another trunk than its own"));
    }
    let make = || {
        let query = call_binds(statement(DIAL), &call).bind(owner.uuid()).bind(max_calls.map(i64::from));
        intent_binds(query, intent.clone())
    };
    match store.write::<Decision>(make()).await {
        Err(failure) if failure.is_uncertain() => {
            let settled = uncertain::settle(store, fence, failure, make()).await;
            if settled.is_err() {
                uncertain::retract(store.clone(), fence, call.created_at);
            }
            settled
        }
        rows => decided(fence, &rows?),
    }
}

/// What the statement decided.
pub(super) fn decided(fence: Fence, rows: &[Decision]) -> Result<Accepted, Failure> {
    match rows.first() {
        Some(Decision { placed: true }) => Ok(Accepted::Calling(fence)),
        Some(Decision { placed: false }) => Ok(Accepted::Failed(EndedReason::CapacityExceeded)),
        None => Err(Failure::Refused("the boot has not joined, or was struck off")),
    }
}

async fn refuse(store: &Store, call: OutboundCall, reason: EndedReason) -> Result<Accepted, Failure> {
    let trunk = call.trunk.uuid();
    let query = call_binds(statement(REFUSE), &call)
        .bind(trunk)
        .bind(reason.as_str())
        .bind(reason.status(false).as_str());
    store.write::<Decision>(query).await?;
    Ok(Accepted::Failed(reason))
}

/// Binds `$1` to `$11`.
fn call_binds(statement: Statement, call: &OutboundCall) -> Statement {
    statement
        .bind(call.id.uuid())
        .bind(call.tenant.uuid())
        .bind(call.organization.uuid())
        .bind(call.contact.uuid())
        .bind(call.assistant.uuid())
        .bind(call.number.uuid())
        .bind(call.destination.as_str().to_owned())
        .bind(call.customer_name.clone())
        .bind(json!(call.variables))
        .bind(call.callback_url.as_ref().map(|url| url.url().to_string()))
        .bind(call.created_at)
}
