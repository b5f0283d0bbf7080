//! The queue of callbacks: one row per call, claimed with a lease.

use std::time::Duration;

use async_trait::async_trait;
use domain::audit::{Actor, Deed};
use domain::callback::{CallbackDraft, CallbackUrl};
use domain::ids::{BootId, CallId};
use domain::ports::{
    Callbacks, ClaimedAgain, ClaimedCallback, Settled, StoreUnavailable, TryOutcome, TryRecord,
};
use domain::scope::Scope;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::redelivery;
use crate::setup::signing::{SecretsRow, into_secrets};
use crate::statement::{row, statement};
use crate::store::Store;

/// What goes out, of the rows `claimed`, with the secrets that are in force at $2.
macro_rules! with_secrets {
    () => {
        "SELECT c.call_id, c.url, c.body, c.prepared_at, c.tries, \
             s.organization_id AS secret_organization_id, s.id AS current_id, s.secret AS current, \
             p.id AS previous_id, p.secret AS previous \
         FROM claimed c \
         JOIN signing_secrets s ON s.organization_id = c.organization_id AND s.expires_at IS NULL \
         LEFT JOIN signing_secrets p ON p.organization_id = c.organization_id AND p.expires_at > $2 \
         ORDER BY c.due_at, c.call_id"
    };
}
pub(crate) use with_secrets;

const CLAIM: &str = concat!(
    "WITH due AS MATERIALIZED (
        SELECT call_id FROM callbacks
        WHERE state = 'pending' AND COALESCE(lease_until, due_at) <= $2 AND destination <> ALL ($4)
        ORDER BY COALESCE(lease_until, due_at) LIMIT $5 FOR UPDATE SKIP LOCKED
    ), claimed AS (
        UPDATE callbacks SET claimed_by = $1, claimed_at = $2, lease_until = $3
        FROM due WHERE callbacks.call_id = due.call_id
        RETURNING callbacks.*
    ) ",
    with_secrets!()
);

const CLAIM_FRESH: &str = concat!(
    "WITH claimed AS (
        UPDATE callbacks SET claimed_at = $2, lease_until = $3
        WHERE call_id = $4 AND claimed_by = $1 AND claimed_at IS NULL AND state = 'pending' AND tries = 0
        RETURNING *
    ) ",
    with_secrets!()
);

const SETTLE: &str = "
WITH settled AS (
    UPDATE callbacks SET tries = tries + 1, state = $4, due_at = COALESCE($5, due_at),
        claimed_by = NULL, claimed_at = NULL, lease_until = NULL
    WHERE call_id = $1 AND claimed_by = $2 AND tries = $3 AND state = 'pending'
    RETURNING call_id, tries
), kept AS (
    INSERT INTO callback_tries (call_id, try, began_at, took_ms, outcome, http_status, detail)
    SELECT call_id, tries, $6, $7, $8, $9, $10 FROM settled
)
SELECT true AS settled FROM settled";

const RELEASE: &str = "
WITH released AS (
    UPDATE callbacks SET claimed_by = NULL, claimed_at = NULL, lease_until = NULL
    WHERE claimed_by = ANY ($1) AND state = 'pending'
    RETURNING 1
)
SELECT count(*) AS released FROM released";

row! {
    ClaimedRow {
        call_id: Uuid,
        url: String,
        body: Vec<u8>,
        prepared_at: OffsetDateTime,
        tries: i16,
    }
}

row! {
    Done { settled: bool }
}

row! {
    Released { released: i64 }
}

pub(crate) type Claimed = crate::rows::Both<ClaimedRow, SecretsRow>;

#[async_trait]
impl Callbacks for Store {
    async fn claim(
        &self,
        boot: BootId,
        now: OffsetDateTime,
        lease: Duration,
        excluded: &[String],
        limit: u32,
    ) -> Result<Vec<ClaimedCallback>, StoreUnavailable> {
        let query = statement(CLAIM)
            .bind(boot.uuid())
            .bind(now)
            .bind(now + lease)
            .bind(excluded.to_vec())
            .bind(i64::from(limit));
        let rows = self.write::<Claimed>(query).await?;
        Ok(self.readable(rows)?)
    }

    async fn claim_fresh(
        &self,
        boot: BootId,
        call: CallId,
        now: OffsetDateTime,
        lease: Duration,
    ) -> Result<Option<ClaimedCallback>, StoreUnavailable> {
        let query = statement(CLAIM_FRESH).bind(boot.uuid()).bind(now).bind(now + lease).bind(call.uuid());
        let rows = self.write::<Claimed>(query).await?;
        Ok(self.readable(rows)?.into_iter().next())
    }

    async fn settle(
        &self,
        boot: BootId,
        call: CallId,
        tries_before: u16,
        record: TryRecord,
        settled: Settled,
    ) -> Result<bool, StoreUnavailable> {
        let Ok(tries) = i16::try_from(tries_before) else { return Ok(false) };
        let (state, due) = match settled {
            Settled::Delivered => ("delivered", None),
            Settled::Again(due) => ("pending", Some(due)),
            Settled::GivenUp => ("given-up", None),
        };
        let (outcome, status, detail) = outcome_columns(record.outcome);
        let query = statement(SETTLE)
            .bind(call.uuid())
            .bind(boot.uuid())
            .bind(tries)
            .bind(state)
            .bind(due)
            .bind(record.began_at)
            .bind(i64::try_from(record.took.as_millis()).unwrap_or(i64::MAX))
            .bind(outcome)
            .bind(status)
            .bind(detail);
        let rows = self.write::<Done>(query).await?;
        Ok(rows.iter().any(|row| row.settled))
    }

    async fn claim_again(
        &self,
        scope: Scope,
        call: CallId,
        boot: BootId,
        lease: Duration,
        deed: &Deed,
    ) -> Result<ClaimedAgain, StoreUnavailable> {
        Ok(redelivery::claim(self, scope, call, boot, lease, deed).await?)
    }

    async fn settle_again(
        &self,
        boot: BootId,
        call: CallId,
        tries_before: u16,
        record: TryRecord,
        by: &Actor,
    ) -> Result<bool, StoreUnavailable> {
        Ok(redelivery::settle(self, boot, call, tries_before, record, by).await?)
    }

    async fn release(&self, earlier_boots: &[BootId]) -> Result<u64, StoreUnavailable> {
        let boots: Vec<Uuid> = earlier_boots.iter().map(|boot| boot.uuid()).collect();
        let rows = self.write::<Released>(statement(RELEASE).bind(boots)).await?;
        Ok(rows.first().and_then(|row| u64::try_from(row.released).ok()).unwrap_or(0))
    }
}

/// How a try went, as it is kept.
pub(crate) fn outcome_columns(outcome: TryOutcome) -> (&'static str, Option<i32>, Option<String>) {
    match outcome {
        TryOutcome::Answered(status) => ("answered", Some(i32::from(status)), None),
        TryOutcome::TimedOut => ("timed-out", None, None),
        TryOutcome::Broken(why) => ("broken", None, Some(why.replace('\0', ""))),
        TryOutcome::Refused(why) => ("refused", None, Some(why.replace('\0', ""))),
    }
}

impl Store {
    /// One unreadable row must not keep the others from their receivers: it is logged and left to
    /// its lease; only when nothing at all can be read is it the caller's failure.
    pub(crate) fn readable(&self, rows: Vec<Claimed>) -> Result<Vec<ClaimedCallback>, Failure> {
        let mut readable = Vec::with_capacity(rows.len());
        let mut broken = None;
        for row in rows {
            match self.claimed(row) {
                Ok(callback) => readable.push(callback),
                Err(failure) => {
                    if let Some(earlier) = broken.replace(failure) {
                        tracing::error!(error = %earlier, "a queued callback cannot be read");
                    }
                }
            }
        }
        match broken {
            Some(failure) if readable.is_empty() => Err(failure),
            Some(failure) => {
                tracing::error!(error = %failure, "a queued callback cannot be read");
                Ok(readable)
            }
            None => Ok(readable),
        }
    }

    fn claimed(&self, crate::rows::Both(row, secrets): Claimed) -> Result<ClaimedCallback, Failure> {
        let broken = |why| Failure::impossible("callbacks", row.call_id, why);
        Ok(ClaimedCallback {
            call: CallId::from_uuid(row.call_id),
            draft: CallbackDraft {
                url: CallbackUrl::from_stored(&row.url).ok_or_else(|| broken("the URL cannot be read"))?,
                body: row.body,
                prepared_at: row.prepared_at,
            },
            tries_before: u16::try_from(row.tries).map_err(|_| broken("tries are out of range"))?,
            secrets: into_secrets(secrets, self.key())?,
        })
    }
}
