//! Call logs in memory: every page is made from all calls.

use std::cmp::Ordering;

use async_trait::async_trait;

use super::{CallEntry, InMemory, Stage, State};
use crate::call::{
    Analysis, ArtifactKey, ArtifactKind, CallListing, CallLog, CallOrder, CallQuery, CallType, Ended, Live,
};
use crate::ids::{AssistantId, CallId, NumberId, TeamId};
use crate::organization::folded;
use crate::page::Page;
use crate::ports::{CallRecords, Owner, StoreUnavailable};
use crate::scope::Scope;
use crate::testing::{LaidCall, LaysCalls, TestResult};

#[async_trait]
impl CallRecords for InMemory {
    async fn page(
        &self,
        scope: Scope,
        query: &CallQuery,
    ) -> Result<Option<Page<CallListing>>, StoreUnavailable> {
        let state = self.reach()?;
        let owner = state.organizations.get(&query.organization).map(|entry| &entry.organization);
        if owner.is_none_or(|owner| !scope.covers(owner.tenant, owner.id)) {
            return Ok(None);
        }
        let mut found: Vec<CallLog> = state.logs().filter(|log| fits(log, query)).collect();
        found.sort_by(|one, other| in_order(&one.listing, &other.listing, query.order));
        let offset = usize::try_from(query.page.offset()).unwrap_or(usize::MAX);
        let size = usize::try_from(query.page.size).unwrap_or(usize::MAX);
        let total = u64::try_from(found.len()).unwrap_or(u64::MAX);
        let items = found.into_iter().skip(offset).take(size).map(|log| log.listing).collect();
        Ok(Some(Page { items, total }))
    }

    async fn read(&self, scope: Scope, call: CallId) -> Result<Option<CallLog>, StoreUnavailable> {
        let state = self.reach()?;
        let accepted = state.calls.get(&call).map(|entry| (entry.call.tenant, state.log_of(entry)));
        let laid = || state.laid.get(&call).map(|laid| (laid.tenant, state.log_of_laid(laid)));
        let found = accepted.or_else(laid);
        let seen = found.filter(|(tenant, log)| scope.covers(*tenant, log.listing.organization));
        Ok(seen.map(|(_, log)| log))
    }
}

#[async_trait]
impl LaysCalls for InMemory {
    async fn lay(&self, calls: &[LaidCall]) -> TestResult {
        self.lock().laid.extend(calls.iter().map(|call| (call.id, call.clone())));
        Ok(())
    }
}

/// Whether every filter that is set holds.
pub(super) fn fits(log: &CallLog, query: &CallQuery) -> bool {
    let listing = &log.listing;
    let named = |part: &String| {
        let name = listing.agent.as_ref().map(|(_, name)| folded(name));
        name.is_some_and(|name| name.contains(&folded(part)))
    };
    let wanted = |intent: &String| {
        let own = log.user_primary_intent.as_ref().map(|own| folded(own));
        own.is_some_and(|own| own == folded(intent))
    };
    listing.organization == query.organization
        && query.call_type.is_none_or(|wanted| wanted == listing.call_type)
        && query.agent_name.as_ref().is_none_or(named)
        && query.user_primary_intent.as_ref().is_none_or(wanted)
        && query.from.is_none_or(|from| listing.created_at >= from)
        && query.to.is_none_or(|to| listing.created_at <= to)
}

pub(super) fn in_order(one: &CallListing, other: &CallListing, order: CallOrder) -> Ordering {
    let made = |call: &CallListing| (call.created_at, call.id);
    // Calls without a duration are last either way: `true` comes after `false`.
    let unknown = |call: &CallListing| call.duration.is_none();
    let length = |call: &CallListing| (call.duration, call.id);
    match order {
        CallOrder::Newest => made(other).cmp(&made(one)),
        CallOrder::Oldest => made(one).cmp(&made(other)),
        CallOrder::Longest => unknown(one).cmp(&unknown(other)).then_with(|| length(other).cmp(&length(one))),
        CallOrder::Shortest => {
            unknown(one).cmp(&unknown(other)).then_with(|| length(one).cmp(&length(other)))
        }
    }
}

impl State {
    fn logs(&self) -> impl Iterator<Item = CallLog> {
        let accepted = self.calls.values().map(|entry| self.log_of(entry));
        accepted.chain(self.laid.values().map(|laid| self.log_of_laid(laid)))
    }

    pub(super) fn log_of(&self, entry: &CallEntry) -> CallLog {
        let call = &entry.call;
        let (started_at, ended) = match &entry.stage {
            Stage::Live { live: Live::Connected(connected), .. } => (Some(connected.since), None),
            Stage::Live { .. } => (None, None),
            Stage::Over { ended, .. } => (ended.started_at, Some(*ended)),
        };
        CallLog {
            listing: CallListing {
                id: call.id,
                organization: call.organization,
                call_type: CallType::Outbound,
                agent: self.agent(call.assistant),
                team: self.team(call.assistant),
                number: self.number_text(call.number),
                started_at,
                ended_at: ended.map(|ended| ended.ended_at),
                duration: ended.as_ref().and_then(Ended::duration),
                user_number: Some(call.destination.as_str().to_owned()),
                created_at: call.created_at,
            },
            ended_reason: ended.map(|ended| ended.reason),
            user_name: call.customer_name.clone(),
            user_primary_intent: None,
            user_sentiment: None,
            outcome: None,
            summary: None,
            summary_fr: None,
            artifacts: self.stored(call.id),
        }
        .with(self.analysis_of(call.id))
    }

    pub(super) fn log_of_laid(&self, laid: &LaidCall) -> CallLog {
        CallLog {
            listing: CallListing {
                id: laid.id,
                organization: laid.organization,
                call_type: laid.call_type,
                agent: laid.assistant.and_then(|id| self.agent(id)),
                team: laid.assistant.and_then(|id| self.team(id)),
                number: laid.number.and_then(|id| self.number_text(id)),
                started_at: laid.answered_at(),
                ended_at: laid.ended.map(|ended| ended.ended_at),
                duration: laid.ended.as_ref().and_then(Ended::duration),
                user_number: laid.user_number.clone(),
                created_at: laid.created_at,
            },
            ended_reason: laid.ended.map(|ended| ended.reason),
            user_name: laid.user_name.clone(),
            user_primary_intent: laid.user_primary_intent.clone(),
            user_sentiment: laid.user_sentiment.clone(),
            outcome: laid.outcome.clone(),
            summary: laid.summary.clone(),
            summary_fr: laid.summary_fr.clone(),
            artifacts: self.stored(laid.id),
        }
        .with(self.analysis_of(laid.id))
    }

    fn stored(&self, call: CallId) -> Vec<ArtifactKey> {
        let (Some(owner), Some(kinds)) = (self.owner(call), self.artifacts.get(&call)) else {
            return Vec::new();
        };
        let Owner { tenant, organization } = owner;
        let kinds = ArtifactKind::ALL.into_iter().filter(|kind| kinds.contains_key(kind));
        kinds.map(|kind| ArtifactKey { tenant, organization, call, kind }).collect()
    }

    fn agent(&self, id: AssistantId) -> Option<(AssistantId, String)> {
        self.assistants.get(&id).map(|assistant| (id, assistant.name.clone()))
    }

    fn team(&self, assistant: AssistantId) -> Option<(TeamId, String)> {
        let assistant = self.assistants.get(&assistant)?;
        let name = assistant.team.clone()?;
        let id = self.teams.get(&(assistant.organization, name.clone()))?;
        Some((*id, name))
    }

    fn number_text(&self, id: NumberId) -> Option<String> {
        self.numbers.get(&id).map(|number| number.number.as_str().to_owned())
    }
}

impl CallLog {
    fn with(self, analysis: Option<&Analysis>) -> Self {
        let Some(analysis) = analysis else { return self };
        Self {
            user_primary_intent: analysis.kept_intent().map(str::to_owned),
            user_sentiment: analysis.sentiment.map(|sentiment| sentiment.as_str().to_owned()),
            outcome: analysis.outcome.clone(),
            summary: analysis.summary.clone(),
            summary_fr: analysis.summary_fr.clone(),
            ..self
        }
    }
}
