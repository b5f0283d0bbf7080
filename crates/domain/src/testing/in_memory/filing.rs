//! Filed transcripts and artifacts in memory.

use std::collections::HashMap;

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{InMemory, State};
use crate::call::{ArtifactKind, CallFacts, TranscriptEntry};
use crate::ids::CallId;
use crate::ports::{Filing, Owner, StoreUnavailable};

/// What is filed of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filed {
    /// What was said.
    pub transcript: Vec<TranscriptEntry>,
    /// What the call came to.
    pub facts: CallFacts,
    /// When it was filed.
    pub at: OffsetDateTime,
}

#[async_trait]
impl Filing for InMemory {
    async fn file_transcript(
        &self,
        call: CallId,
        transcript: &[TranscriptEntry],
        facts: &CallFacts,
        at: OffsetDateTime,
    ) -> Result<Option<Owner>, StoreUnavailable> {
        let mut state = self.reach()?;
        let Some(owner) = state.owner(call) else { return Ok(None) };
        state.filed.entry(call).or_insert_with(|| Filed {
            transcript: transcript.to_vec(),
            facts: facts.clone(),
            at,
        });
        Ok(Some(owner))
    }

    async fn file_artifact(
        &self,
        call: CallId,
        kind: ArtifactKind,
        bytes: u64,
        _: OffsetDateTime,
    ) -> Result<(), StoreUnavailable> {
        let mut state = self.reach()?;
        if state.owner(call).is_some() {
            state.artifacts.entry(call).or_default().entry(kind).or_insert(bytes);
        }
        Ok(())
    }
}

impl InMemory {
    /// What is filed of a call.
    pub fn filed(&self, call: CallId) -> Option<Filed> {
        self.lock().filed.get(&call).cloned()
    }

    /// The artifacts of a call that are stored, and how many bytes each has.
    pub fn artifacts(&self, call: CallId) -> HashMap<ArtifactKind, u64> {
        self.lock().artifacts.get(&call).cloned().unwrap_or_default()
    }
}

impl State {
    pub(super) fn owner(&self, call: CallId) -> Option<Owner> {
        let accepted = self.calls.get(&call).map(|entry| (entry.call.tenant, entry.call.organization));
        let laid = || self.laid.get(&call).map(|laid| (laid.tenant, laid.organization));
        accepted.or_else(laid).map(|(tenant, organization)| Owner { tenant, organization })
    }
}
