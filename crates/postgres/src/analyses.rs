//! Analyses: one row per filed call, claimed with a lease.

use async_trait::async_trait;
use domain::assistant::Language;
use domain::call::{ANALYSIS_LEASE, EndedReason, Sentiment};
use domain::ids::{BootId, CallId};
use domain::ports::{Analyses, AnalysisSettled, DueAnalysis, StoreUnavailable};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::failure::Failure;
use crate::rows::{entries_from, facts_from, texts};
use crate::statement::{row, statement};
use crate::store::Store;

/// The most that is claimed at a time.
const MOST: usize = 64;

// A try counts from its claim on, so that one that kills the process is not repeated for ever.
// The planner takes a limit that it does not see for a tenth of what is due: with a long queue it would
// read all analyses to claim a few. [`MOST`] stands there as a number, which it sees.
const CLAIM: &str = "
WITH due AS MATERIALIZED (
    SELECT a.call_id FROM analyses a JOIN calls c ON c.id = a.call_id
    WHERE a.state = 'due' AND a.due_at <= $2 AND (a.lease_until IS NULL OR a.lease_until <= $2)
        AND c.ended_at IS NOT NULL
    ORDER BY a.due_at, a.call_id LIMIT $4 FOR UPDATE OF a SKIP LOCKED
), claimed AS (
    UPDATE analyses SET claimed_by = $1, lease_until = $3, tries = LEAST(tries + 1, 32767)
    FROM (SELECT call_id FROM due LIMIT 64) due WHERE analyses.call_id = due.call_id
    RETURNING analyses.call_id, analyses.due_at, analyses.tries
)
SELECT n.call_id, n.tries, t.entries, t.facts, c.ended_reason, c.duration_seconds,
    s.language, s.conduct -> 'outcomes' AS outcomes
FROM claimed n
JOIN call_transcripts t ON t.call_id = n.call_id
JOIN calls c ON c.id = n.call_id
LEFT JOIN assistants s ON s.id = c.assistant_id
ORDER BY n.due_at, n.call_id";

const FINISH: &str = "
WITH done AS (
    UPDATE analyses SET state = 'done', done_at = now(), model = $4, claimed_by = NULL, lease_until = NULL
    WHERE call_id = $1 AND claimed_by = $2 AND tries = $3 AND state = 'due'
    RETURNING call_id
), shown AS (
    UPDATE calls SET user_primary_intent = $5, user_sentiment = $6, outcome = $7, summary = $8, summary_fr = $9
    FROM done WHERE calls.id = done.call_id
)
SELECT true AS settled FROM done";

const TRY_AGAIN: &str = "
WITH freed AS (
    UPDATE analyses SET due_at = $4, claimed_by = NULL, lease_until = NULL
    WHERE call_id = $1 AND claimed_by = $2 AND tries = $3 AND state = 'due'
    RETURNING call_id
)
SELECT true AS settled FROM freed";

const RELEASE: &str = "
WITH freed AS (
    UPDATE analyses SET claimed_by = NULL, lease_until = NULL
    WHERE claimed_by = ANY ($1) AND state = 'due'
    RETURNING true
)
SELECT count(*) AS released FROM freed";

row! {
    DueRow {
        call_id: Uuid,
        tries: i16,
        entries: Value,
        facts: Value,
        ended_reason: Option<String>,
        duration_seconds: Option<i64>,
        language: Option<String>,
        outcomes: Option<Value>,
    }
}

row! {
    Settled { settled: bool }
}

row! {
    Released { released: i64 }
}

#[async_trait]
impl Analyses for Store {
    async fn claim_analyses(
        &self,
        boot: BootId,
        now: OffsetDateTime,
        most: usize,
    ) -> Result<Vec<DueAnalysis>, StoreUnavailable> {
        let claim = statement(CLAIM)
            .bind(boot.uuid())
            .bind(now)
            .bind(now + ANALYSIS_LEASE)
            .bind(i64::try_from(most.min(MOST)).unwrap_or(0));
        let rows = self.write::<DueRow>(claim).await?;
        // One unreadable row must not keep the others waiting: it is logged and left to its lease.
        let readable = rows.into_iter().filter_map(|row| match row.into_due(boot) {
            Ok(due) => Some(due),
            Err(failure) => {
                tracing::error!(error = %failure, "a call cannot be analysed");
                None
            }
        });
        Ok(readable.collect())
    }

    async fn settle_analysis(
        &self,
        call: CallId,
        boot: BootId,
        tries: u16,
        settled: AnalysisSettled,
    ) -> Result<bool, StoreUnavailable> {
        let Ok(tries) = i16::try_from(tries.saturating_add(1)) else { return Ok(false) };
        let claim = |text| statement(text).bind(call.uuid()).bind(boot.uuid()).bind(tries);
        let query = match settled {
            AnalysisSettled::Done(analysis) => claim(FINISH)
                .bind(analysis.model.as_deref().map(storable))
                .bind(analysis.kept_intent().map(storable))
                .bind(analysis.sentiment.map(Sentiment::as_str))
                .bind(analysis.outcome.as_deref().map(storable))
                .bind(analysis.summary.as_deref().map(storable))
                .bind(analysis.summary_fr.as_deref().map(storable)),
            AnalysisSettled::Again(at) => claim(TRY_AGAIN).bind(at),
        };
        let rows = self.write::<Settled>(query).await?;
        Ok(rows.iter().any(|row| row.settled))
    }

    async fn release_analyses(&self, gone: &[BootId]) -> Result<u64, StoreUnavailable> {
        let boots: Vec<Uuid> = gone.iter().map(|boot| boot.uuid()).collect();
        let rows = self.write::<Released>(statement(RELEASE).bind(boots)).await?;
        Ok(rows.first().and_then(|row| u64::try_from(row.released).ok()).unwrap_or(0))
    }
}

impl DueRow {
    fn into_due(self, boot: BootId) -> Result<DueAnalysis, Failure> {
        let broken = |why| Failure::impossible("analyses", self.call_id, why);
        let reason = self.ended_reason.as_deref().and_then(EndedReason::parse);
        let duration = self.duration_seconds.map(u64::try_from).transpose();
        let language = match &self.language {
            Some(tag) => Language::parse(tag).ok_or_else(|| broken("the language is unknown"))?,
            // Nobody's assistant: nothing says otherwise.
            None => Language::EnglishUnitedStates,
        };
        let outcomes = match &self.outcomes {
            Some(list) => texts(Some(list)).ok_or_else(|| broken("the outcomes cannot be read"))?,
            None => Vec::new(),
        };
        Ok(DueAnalysis {
            call: CallId::from_uuid(self.call_id),
            boot,
            tries: u16::try_from(self.tries)
                .ok()
                .and_then(|tries| tries.checked_sub(1))
                .ok_or_else(|| broken("tries are out of range"))?,
            transcript: entries_from(&self.entries).ok_or_else(|| broken("the transcript cannot be read"))?,
            facts: facts_from(&self.facts).ok_or_else(|| broken("the facts cannot be read"))?,
            reason: reason.ok_or_else(|| broken("a call that is over has no reason"))?,
            duration: duration.map_err(|_| broken("the duration is negative"))?,
            language,
            outcomes,
        })
    }
}

/// What a text column can hold.
fn storable(text: &str) -> String {
    text.replace('\0', "")
}
