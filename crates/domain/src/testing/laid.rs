//! Calls that were, laid down whole: inbound and web calls, and what an analysis found out.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::fixtures::{TestResult, fresh, moment};
use crate::call::{CallType, Ended};
use crate::ids::{AssistantId, CallId, NumberId, OrganizationId, TenantId};

/// A call as it is laid down.
#[derive(Clone, Debug)]
pub struct LaidCall {
    /// Its identity.
    pub id: CallId,
    /// Whose call it is.
    pub tenant: TenantId,
    /// Whose call it is.
    pub organization: OrganizationId,
    /// How it came about.
    pub call_type: CallType,
    /// The assistant that handled it.
    pub assistant: Option<AssistantId>,
    /// The organization's number.
    pub number: Option<NumberId>,
    /// The other side's number.
    pub user_number: Option<String>,
    /// The other side's name.
    pub user_name: Option<String>,
    /// The moment of the answer.
    pub started_at: Option<OffsetDateTime>,
    /// How it ended; its start goes before `started_at`.
    pub ended: Option<Ended>,
    /// What the other side wanted.
    pub user_primary_intent: Option<String>,
    /// How the other side felt.
    pub user_sentiment: Option<String>,
    /// What came of it.
    pub outcome: Option<String>,
    /// Summary in English.
    pub summary: Option<String>,
    /// Summary in Canadian French.
    pub summary_fr: Option<String>,
    /// When the record was made.
    pub created_at: OffsetDateTime,
}

impl LaidCall {
    /// A web call of which nothing else is known, made so many seconds after the fixed moment.
    pub fn bare(tenant: TenantId, organization: OrganizationId, seconds: u64) -> Self {
        Self {
            id: CallId::from(fresh()),
            tenant,
            organization,
            call_type: CallType::Web,
            assistant: None,
            number: None,
            user_number: None,
            user_name: None,
            started_at: None,
            ended: None,
            user_primary_intent: None,
            user_sentiment: None,
            outcome: None,
            summary: None,
            summary_fr: None,
            created_at: moment(seconds),
        }
    }

    /// The moment of the answer.
    pub fn answered_at(&self) -> Option<OffsetDateTime> {
        self.ended.map_or(self.started_at, |ended| ended.started_at)
    }
}

/// Lays calls down in a store, counted like all others. No port does: they come from parts of the
/// service that no contract runs.
#[async_trait]
pub trait LaysCalls: Send + Sync {
    /// Lays them down together.
    async fn lay(&self, calls: &[LaidCall]) -> TestResult;
}
