//! Analyses in memory: each filed call has one.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{InMemory, Stage, State};
use crate::assistant::{Assistant, Language};
use crate::call::{ANALYSIS_LEASE, Analysis, Ended};
use crate::ids::{BootId, CallId};
use crate::ports::{Analyses, AnalysisSettled, DueAnalysis, StoreUnavailable};

/// What became of an analysis since its transcript was filed.
#[derive(Default)]
pub(super) struct AnalysisEntry {
    /// When it is tried again; as soon as its transcript is filed, unless it was tried.
    again_at: Option<OffsetDateTime>,
    tries: u16,
    claim: Option<(BootId, OffsetDateTime)>,
    done: Option<Analysis>,
}

#[async_trait]
impl Analyses for InMemory {
    async fn claim_analyses(
        &self,
        boot: BootId,
        now: OffsetDateTime,
        most: usize,
    ) -> Result<Vec<DueAnalysis>, StoreUnavailable> {
        let mut state = self.reach()?;
        let mut due: Vec<_> =
            state.filed.keys().filter_map(|call| Some((state.ready_at(*call, now)?, *call))).collect();
        due.sort_unstable();
        due.truncate(most);
        Ok(due.into_iter().filter_map(|(_, call)| state.claim_analysis(call, boot, now)).collect())
    }

    async fn settle_analysis(
        &self,
        call: CallId,
        boot: BootId,
        tries: u16,
        settled: AnalysisSettled,
    ) -> Result<bool, StoreUnavailable> {
        let mut state = self.reach()?;
        let Some(entry) = state.analyses.get_mut(&call) else { return Ok(false) };
        let held = entry.claim.is_some_and(|(holder, _)| holder == boot);
        if !held || entry.tries != tries + 1 || entry.done.is_some() {
            return Ok(false);
        }
        entry.claim = None;
        match settled {
            AnalysisSettled::Done(analysis) => entry.done = Some(*analysis),
            AnalysisSettled::Again(at) => entry.again_at = Some(at),
        }
        Ok(true)
    }

    async fn release_analyses(&self, gone: &[BootId]) -> Result<u64, StoreUnavailable> {
        let mut released = 0;
        for entry in self.reach()?.analyses.values_mut() {
            if entry.claim.is_some_and(|(holder, _)| gone.contains(&holder)) {
                entry.claim = None;
                released += 1;
            }
        }
        Ok(released)
    }
}

impl InMemory {
    /// The analysis of a call, once it is done.
    pub fn analysis(&self, call: CallId) -> Option<Analysis> {
        self.lock().analysis_of(call).cloned()
    }
}

impl State {
    pub(super) fn analysis_of(&self, call: CallId) -> Option<&Analysis> {
        self.analyses.get(&call)?.done.as_ref()
    }

    /// Since when it is due, when it may be claimed now.
    fn ready_at(&self, call: CallId, now: OffsetDateTime) -> Option<OffsetDateTime> {
        let filed = self.filed.get(&call)?;
        let entry = self.analyses.get(&call);
        let due_at = entry.and_then(|entry| entry.again_at).unwrap_or(filed.at);
        let free = entry.is_none_or(|entry| {
            entry.done.is_none() && entry.claim.is_none_or(|(_, lease_until)| lease_until <= now)
        });
        (free && due_at <= now && self.end_of(call).is_some()).then_some(due_at)
    }

    fn end_of(&self, call: CallId) -> Option<(Ended, Option<&Assistant>)> {
        let accepted = self.calls.get(&call).and_then(|entry| match &entry.stage {
            Stage::Over { ended, .. } => Some((*ended, Some(entry.call.assistant))),
            Stage::Live { .. } => None,
        });
        let laid = || self.laid.get(&call).and_then(|laid| Some((laid.ended?, laid.assistant)));
        let (ended, assistant) = accepted.or_else(laid)?;
        Some((ended, assistant.and_then(|id| self.assistants.get(&id))))
    }

    fn claim_analysis(&mut self, call: CallId, boot: BootId, now: OffsetDateTime) -> Option<DueAnalysis> {
        let filed = self.filed.get(&call)?.clone();
        let (ended, assistant) = self.end_of(call)?;
        let language = assistant.map_or(Language::EnglishUnitedStates, |assistant| assistant.language);
        let outcomes = assistant.map(|assistant| assistant.conduct.outcomes.clone()).unwrap_or_default();
        let entry = self.analyses.entry(call).or_default();
        let tries = entry.tries;
        entry.tries = tries.saturating_add(1);
        entry.claim = Some((boot, now + ANALYSIS_LEASE));
        Some(DueAnalysis {
            call,
            boot,
            tries,
            transcript: filed.transcript,
            facts: filed.facts,
            reason: ended.reason,
            duration: ended.duration(),
            language,
            outcomes,
        })
    }
}
