//! Sending a callback again by hand: one try at a time, beside nothing of the schedule.

use std::time::Duration;

use diesel_async::AsyncConnection;
use domain::audit::{Action, Actor, Deed};
use domain::callback::MANUAL_TRIES_MAX;
use domain::ids::{BootId, CallId, OrganizationId, TenantId};
use domain::ports::{ClaimedAgain, TryRecord};
use domain::scope::Scope;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::audit::{actor_columns, entry};
use crate::callbacks::{Claimed, Done, outcome_columns, with_secrets};
use crate::failure::Failure;
use crate::statement::{row, statement};
use crate::store::Store;

const LOCK: &str = "
SELECT tenant_id, organization_id, destination, state, manual_until, manual_tries
FROM callbacks WHERE call_id = $1 AND tenant_id = $2 AND ($3 IS NULL OR organization_id = $3)
FOR NO KEY UPDATE";

// The secrets' text takes the moment as $2, and the number of tries as those of the schedule.
const CLAIM: &str = concat!(
    "WITH begun AS (
        UPDATE callbacks SET manual_by = $1, manual_until = $3, manual_tries = manual_tries + 1
        WHERE call_id = $4 RETURNING *
    ), claimed AS (
        SELECT call_id, organization_id, url, body, prepared_at, due_at,
            (tries + manual_tries - 1)::smallint AS tries
        FROM begun
    ) ",
    with_secrets!()
);

const SETTLE: &str = "
WITH settled AS (
    UPDATE callbacks SET manual_by = NULL, manual_until = NULL,
        state = CASE WHEN $4 THEN 'delivered' ELSE state END
    WHERE call_id = $1 AND manual_by = $2 AND tries + manual_tries = $3 AND state <> 'pending'
    RETURNING call_id
), kept AS (
    INSERT INTO callback_tries (call_id, try, began_at, took_ms, outcome, http_status, detail, manual, actor,
        actor_id, actor_name)
    SELECT call_id, $3, $5, $6, $7, $8, $9, true, $10, $11, $12 FROM settled
)
SELECT true AS settled FROM settled";

row! {
    /// A callback that may be sent again, locked.
    LockedRow {
        tenant_id: Uuid,
        organization_id: Uuid,
        destination: String,
        state: String,
        manual_until: Option<OffsetDateTime>,
        manual_tries: i16,
    }
}

pub(crate) async fn claim(
    store: &Store,
    scope: Scope,
    call: CallId,
    boot: BootId,
    lease: Duration,
    deed: &Deed,
) -> Result<ClaimedAgain, Failure> {
    store
        .with(async |connection| {
            connection
                .transaction::<_, Failure, _>(async |connection| {
                    let locking = statement(LOCK)
                        .bind(call.uuid())
                        .bind(scope.tenant().uuid())
                        .bind(scope.organization().map(OrganizationId::uuid));
                    let locked = locking.rows::<LockedRow>(connection).await?.into_iter().next();
                    let Some(locked) = locked else { return Ok(ClaimedAgain::Unknown) };
                    if let Some(refused) = locked.refused(deed.at) {
                        return Ok(refused);
                    }
                    let claiming = statement(CLAIM)
                        .bind(boot.uuid())
                        .bind(deed.at)
                        .bind(deed.at + lease)
                        .bind(call.uuid());
                    let rows = claiming.rows::<Claimed>(connection).await?;
                    let within = Scope::Organization(
                        TenantId::from_uuid(locked.tenant_id),
                        OrganizationId::from_uuid(locked.organization_id),
                    );
                    let noting =
                        entry(deed, within, Action::CallbackRedeliver, call, Some(&locked.destination))?;
                    noting.run(connection).await?;
                    // Before the commit: what cannot be read or signed is not begun.
                    let unsigned =
                        || Failure::impossible("callbacks", call.uuid(), "its organization has no secret");
                    let callback = store.readable(rows)?.into_iter().next().ok_or_else(unsigned)?;
                    Ok(ClaimedAgain::Claimed(Box::new(callback)))
                })
                .await
        })
        .await
}

impl LockedRow {
    fn refused(&self, now: OffsetDateTime) -> Option<ClaimedAgain> {
        if self.state == "pending" {
            return Some(ClaimedAgain::Pending);
        }
        if self.manual_until.is_some_and(|until| until > now) {
            return Some(ClaimedAgain::UnderWay);
        }
        let spent = u16::try_from(self.manual_tries).is_ok_and(|tries| tries >= MANUAL_TRIES_MAX);
        spent.then_some(ClaimedAgain::TooMany)
    }
}

pub(crate) async fn settle(
    store: &Store,
    boot: BootId,
    call: CallId,
    tries_before: u16,
    record: TryRecord,
    by: &Actor,
) -> Result<bool, Failure> {
    let Ok(number) = i16::try_from(tries_before.saturating_add(1)) else { return Ok(false) };
    let (kind, actor_id, actor_name) = actor_columns(by);
    let confirmed = record.outcome.confirmed();
    let (outcome, status, detail) = outcome_columns(record.outcome);
    let settling = statement(SETTLE)
        .bind(call.uuid())
        .bind(boot.uuid())
        .bind(number)
        .bind(confirmed)
        .bind(record.began_at)
        .bind(i64::try_from(record.took.as_millis()).unwrap_or(i64::MAX))
        .bind(outcome)
        .bind(status)
        .bind(detail)
        .bind(kind)
        .bind(actor_id)
        .bind(actor_name);
    Ok(store.write::<Done>(settling).await?.iter().any(|row| row.settled))
}
