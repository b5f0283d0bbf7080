//! Upkeep: folding counts and forgetting what is over, in steps that hold nobody up.

use async_trait::async_trait;
use domain::back_off::FORGET_AFTER;
use domain::ports::{Housekeeping, StoreUnavailable};
use time::OffsetDateTime;

use crate::failure::Failure;
use crate::statement::{Statement, row, statement};
use crate::store::Store;

/// Rows that one step takes; a full step means that more may be left.
const STEP: i64 = 5_000;

// One node folds at a time, for two would wait for each other's totals; whoever accepts calls only
// adds deltas and waits for nobody. What another node folded since our snapshot was taken is gone,
// and so it is not taken twice.
pub(crate) const FOLD: &str = "
WITH turn AS MATERIALIZED (
    SELECT pg_try_advisory_xact_lock(7163102946023817) AS ours
), taken AS (
    DELETE FROM call_counts WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM call_counts WHERE (SELECT ours FROM turn) LIMIT $1
    ))
    RETURNING organization_id, call_type, hour, calls
), folded AS (
    INSERT INTO call_totals AS total (organization_id, span, call_type, starts, calls)
    SELECT organization_id, part.span, call_type, part.starts, sum(calls)
    FROM taken CROSS JOIN LATERAL (VALUES
        ('hour', hour),
        ('day', date_trunc('day', hour, 'UTC')),
        ('month', date_trunc('month', hour, 'UTC')),
        ('all', '-infinity'::timestamptz)
    ) AS part (span, starts)
    GROUP BY organization_id, part.span, call_type, part.starts
    ON CONFLICT (organization_id, span, call_type, starts) DO UPDATE SET calls = total.calls + excluded.calls
)
SELECT count(*) AS done FROM taken";

// The same for what calls came to. Many may come at once, so that the rows are joined: planned while the
// table is empty, a search in an array would go through all of it for each row.
const FOLD_OUTCOMES: &str = "
WITH turn AS MATERIALIZED (
    SELECT pg_try_advisory_xact_lock(7163102946023818) AS ours
), picked AS MATERIALIZED (
    SELECT ctid AS place FROM call_outcomes WHERE (SELECT ours FROM turn) LIMIT $1
), taken AS (
    DELETE FROM call_outcomes USING picked WHERE call_outcomes.ctid = picked.place
    RETURNING organization_id, half_hour, call_type, status, calls
), folded AS (
    INSERT INTO call_outcome_totals AS total (organization_id, span, starts, call_type, status, calls)
    SELECT organization_id, part.span, part.starts, call_type, status, sum(calls)
    FROM taken CROSS JOIN LATERAL (VALUES
        ('half', half_hour),
        ('hour', date_trunc('hour', half_hour, 'UTC')),
        ('day', date_trunc('day', half_hour, 'UTC')),
        ('month', date_trunc('month', half_hour, 'UTC'))
    ) AS part (span, starts)
    GROUP BY organization_id, part.span, part.starts, call_type, status
    ON CONFLICT (organization_id, span, starts, call_type, status)
        DO UPDATE SET calls = total.calls + excluded.calls
)
SELECT count(*) AS done FROM taken";

const FORGET: &str = "
WITH forgotten AS (
    DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM idempotency_keys WHERE created_at < $2 ORDER BY created_at LIMIT $1
        FOR UPDATE SKIP LOCKED
    ))
    RETURNING true
)
SELECT count(*) AS done FROM forgotten";

// One text for what is over at `$2`, by the column that says so.
macro_rules! forget_text {
    ($table:literal, $over:literal) => {
        concat!(
            "WITH forgotten AS (DELETE FROM ",
            $table,
            " WHERE ctid = ANY(ARRAY(SELECT ctid FROM ",
            $table,
            " WHERE ",
            $over,
            " <= $2 ORDER BY ",
            $over,
            " LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING true) SELECT count(*) AS done FROM forgotten"
        )
    };
}

const FORGET_SESSIONS: &str = forget_text!("sessions", "expires_at");
const FORGET_LINKS: &str = forget_text!("one_time_links", "expires_at");
const FORGET_FAILURES: &str = forget_text!("sign_in_failures", "GREATEST(last_at, known_until)");

row! {
    Done { done: i64 }
}

#[async_trait]
impl Housekeeping for Store {
    async fn fold_call_counts(&self) -> Result<bool, StoreUnavailable> {
        let counts = step(self, statement(FOLD).bind(STEP)).await?;
        let outcomes = step(self, statement(FOLD_OUTCOMES).bind(STEP)).await?;
        Ok(counts || outcomes)
    }

    async fn forget_idempotency_keys(&self, before: OffsetDateTime) -> Result<bool, StoreUnavailable> {
        Ok(step(self, statement(FORGET).bind(STEP).bind(before)).await?)
    }

    async fn forget_sign_ins(&self, now: OffsetDateTime) -> Result<bool, StoreUnavailable> {
        let mut more = false;
        for (text, over) in
            [(FORGET_SESSIONS, now), (FORGET_LINKS, now), (FORGET_FAILURES, now - FORGET_AFTER)]
        {
            more |= step(self, statement(text).bind(STEP).bind(over)).await?;
        }
        Ok(more)
    }
}

/// Whether the step was a full one.
async fn step(store: &Store, statement: Statement) -> Result<bool, Failure> {
    let done = store.write::<Done>(statement).await?;
    Ok(done.first().is_some_and(|row| row.done >= STEP))
}
