//! Calls laid down by SQL.

use std::fmt::Write;
use std::sync::Arc;

use async_trait::async_trait;
use domain::testing::{LaidCall, LaysCalls, TestResult};
use test_database::TestDatabase;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Lays calls down in a database.
pub(crate) struct Laying(pub(crate) Arc<TestDatabase>);

#[async_trait]
impl LaysCalls for Laying {
    async fn lay(&self, calls: &[LaidCall]) -> TestResult {
        self.0.rows(&laying(calls)).await;
        Ok(())
    }
}

/// One transaction that records the calls and counts them.
fn laying(calls: &[LaidCall]) -> String {
    let mut sql = "BEGIN;".to_owned();
    for call in calls {
        let ended = call.ended;
        let duration = ended.as_ref().and_then(domain::call::Ended::duration);
        let values = [
            text(Some(&call.id.to_string())),
            text(Some(&call.tenant.to_string())),
            text(Some(&call.organization.to_string())),
            text(Some(call.call_type.as_str())),
            text(call.assistant.map(|id| id.to_string()).as_deref()),
            text(call.number.map(|id| id.to_string()).as_deref()),
            text(call.user_number.as_deref()),
            text(call.user_name.as_deref()),
            moment(call.answered_at()),
            moment(ended.map(|ended| ended.ended_at)),
            duration.map_or("NULL".to_owned(), |seconds| seconds.to_string()),
            text(ended.map(|ended| ended.reason.as_str())),
            text(call.user_primary_intent.as_deref()),
            text(call.user_sentiment.as_deref()),
            text(call.outcome.as_deref()),
            text(call.summary.as_deref()),
            text(call.summary_fr.as_deref()),
            moment(Some(call.created_at)),
        ];
        write!(
            sql,
            "INSERT INTO calls (id, tenant_id, organization_id, call_type, assistant_id, number_id,
                user_phone_number, user_name, started_at, ended_at, duration_seconds, ended_reason,
                user_primary_intent, user_sentiment, outcome, summary, summary_fr, created_at)
            VALUES ({});
            INSERT INTO call_counts (organization_id, hour, call_type, calls)
            SELECT organization_id, date_trunc('hour', created_at, 'UTC'), call_type, 1
            FROM calls WHERE id = '{}';",
            values.join(", "),
            call.id
        )
        .unwrap();
    }
    sql + "COMMIT"
}

fn text(value: Option<&str>) -> String {
    value.map_or("NULL".to_owned(), |value| format!("'{}'", value.replace('\'', "''")))
}

fn moment(at: Option<OffsetDateTime>) -> String {
    text(at.map(|at| at.format(&Rfc3339).unwrap()).as_deref())
}
