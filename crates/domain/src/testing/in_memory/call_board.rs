//! The board and the stories of calls in memory: all is made from all calls.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use async_trait::async_trait;

use super::call_records::{fits, in_order};
use super::{CallEntry, Delivery, InMemory, Stage, State};
use crate::call::{
    Account, Board, BoardCall, BoardQuery, CallCursor, CallOrder, CallQuery, CallState, CallStory,
    ChartBounds, Dialled, Outcomes, Provenance, Report, ReportState,
};
use crate::callback::DeliveryState;
use crate::ids::CallId;
use crate::page::Page;
use crate::ports::{CallBoard, StoreUnavailable, Watched};
use crate::scope::Scope;
use crate::testing::LaidCall;

#[async_trait]
impl CallBoard for InMemory {
    async fn board(&self, scope: Scope, query: &BoardQuery) -> Result<Option<Board>, StoreUnavailable> {
        let state = self.reach()?;
        if !state.shows(scope, &query.calls) {
            return Ok(None);
        }
        let counted = CallQuery { agent_name: None, user_primary_intent: None, ..query.calls.clone() };
        let mut outcomes = Outcomes::default();
        for call in state.board_calls().filter(|call| fits(&call.log, &counted)) {
            outcomes.add(call.state.status(), 1);
        }
        let anytime = CallQuery { from: None, to: None, ..counted };
        let bars = query.chart.iter().flat_map(ChartBounds::bars);
        let chart = bars.map(|(first, next)| {
            let mut bar = Outcomes::default();
            for call in state.board_calls().filter(|call| fits(&call.log, &anytime)) {
                if (first..next).contains(&call.log.listing.created_at) {
                    bar.add(call.state.status(), 1);
                }
            }
            bar
        });
        let chart = chart.collect();
        let found = state.found(query, query.calls.order);
        let total = u64::try_from(found.len()).unwrap_or(u64::MAX);
        let offset = usize::try_from(query.calls.page.offset()).unwrap_or(usize::MAX);
        let size = usize::try_from(query.calls.page.size).unwrap_or(usize::MAX);
        let items = found.into_iter().skip(offset).take(size).collect();
        Ok(Some(Board { calls: Page { items, total }, outcomes, chart }))
    }

    async fn story(&self, scope: Scope, call: CallId) -> Result<Option<CallStory>, StoreUnavailable> {
        let state = self.reach()?;
        Ok(state
            .owner(call)
            .filter(|own| scope.covers(own.tenant, own.organization))
            .and(state.story_of(call)))
    }

    async fn through(
        &self,
        scope: Scope,
        query: &BoardQuery,
        after: Option<CallCursor>,
        limit: u32,
    ) -> Result<Option<Vec<BoardCall>>, StoreUnavailable> {
        let state = self.reach()?;
        if !state.shows(scope, &query.calls) {
            return Ok(None);
        }
        let oldest = query.calls.order == CallOrder::Oldest;
        let order = if oldest { CallOrder::Oldest } else { CallOrder::Newest };
        let place = |call: CallCursor| (call.created_at, call.call);
        let behind = |call: &BoardCall| {
            after.is_none_or(|after| {
                let (own, after) = (place(call.cursor()), place(after));
                if oldest { own > after } else { own < after }
            })
        };
        let found = state.found(query, order).into_iter().filter(behind);
        Ok(Some(found.take(usize::try_from(limit).unwrap_or(usize::MAX)).collect()))
    }

    async fn pulse(&self, watched: &[Watched]) -> Result<HashMap<Watched, i64>, StoreUnavailable> {
        let state = self.reach()?;
        let print = |text: String| {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            hasher.finish().cast_signed()
        };
        let prints = watched.iter().filter_map(|one| {
            let seen = match one {
                Watched::Board(organization) => {
                    state.organizations.get(organization)?;
                    let own = |call: &BoardCall| call.log.listing.organization == *organization;
                    let calls = state.board_calls().filter(own);
                    let calls: Vec<_> = calls.map(|call| (call.log.listing.id, call.state)).collect();
                    format!("{calls:?}")
                }
                Watched::Story(call) => format!("{:?}", state.story_of(*call)?),
            };
            Some((*one, print(seen)))
        });
        Ok(prints.collect())
    }
}

impl State {
    fn shows(&self, scope: Scope, query: &CallQuery) -> bool {
        let owner = self.organizations.get(&query.organization).map(|entry| &entry.organization);
        owner.is_some_and(|owner| scope.covers(owner.tenant, owner.id))
    }

    fn board_calls(&self) -> impl Iterator<Item = BoardCall> {
        let accepted = self.calls.values().map(|entry| self.board_call(entry));
        accepted.chain(self.laid.values().map(|laid| self.laid_call(laid)))
    }

    /// The whole list.
    fn found(&self, query: &BoardQuery, order: CallOrder) -> Vec<BoardCall> {
        let mut found: Vec<_> = self
            .board_calls()
            .filter(|call| fits(&call.log, &query.calls))
            .filter(|call| query.status.is_none_or(|status| status == call.state.status()))
            .collect();
        found.sort_by(|one, other| in_order(&one.log.listing, &other.log.listing, order));
        found
    }

    fn board_call(&self, entry: &CallEntry) -> BoardCall {
        let state = match &entry.stage {
            Stage::Live { live, .. } => CallState::from(*live),
            Stage::Over { ended, .. } => CallState::ended(ended.reason, ended.started_at.is_some()),
        };
        BoardCall { log: self.log_of(entry), state }
    }

    fn laid_call(&self, laid: &LaidCall) -> BoardCall {
        let connected = laid.answered_at().is_some();
        let state = match laid.ended {
            Some(ended) => CallState::ended(ended.reason, connected),
            None => CallState::without_leg(connected),
        };
        BoardCall { log: self.log_of_laid(laid), state }
    }

    fn story_of(&self, id: CallId) -> Option<CallStory> {
        let entry = self.calls.get(&id);
        let laid = || self.laid.get(&id).map(|laid| self.laid_call(laid));
        let call = entry.map(|entry| self.board_call(entry)).or_else(laid)?;
        let dialled = entry.filter(|entry| entry.dialled).and_then(|entry| {
            let trunk = &self.trunks.get(&entry.call.trunk)?.trunk;
            Some(Dialled { trunk: trunk.name.clone(), rang_at: entry.rang_at })
        });
        let answer = entry.and_then(|entry| match &entry.stage {
            Stage::Over { answer, .. } => answer.clone(),
            Stage::Live { .. } => None,
        });
        let callback = self.callbacks.get(&id).map(|entry| Report {
            url: entry.draft.url.url().to_string(),
            state: match entry.state {
                Delivery::Pending { due_at, .. } => ReportState::Due(due_at),
                Delivery::Settled(DeliveryState::Delivered) => ReportState::Delivered,
                Delivery::Settled(_) => ReportState::GivenUp,
            },
            tries: entry.all_tries(),
        });
        let filed = self.filed.get(&id);
        let account =
            filed.map(|filed| Account { transcript: filed.transcript.clone(), facts: filed.facts.clone() });
        let analysis = filed.map(|_| match self.analysis_of(id) {
            None => Provenance::Due,
            Some(analysis) => analysis.model.clone().map_or(Provenance::Facts, Provenance::Model),
        });
        Some(CallStory { call, dialled, answer, callback, account, analysis })
    }
}
