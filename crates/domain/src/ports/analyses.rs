//! Analyses that are due, and asking a language model.

use async_trait::async_trait;
use serde_json::Value;
use time::OffsetDateTime;

use super::StoreUnavailable;
use crate::assistant::Language;
use crate::call::{Analysis, CallFacts, EndedReason, Evidence, TranscriptEntry};
use crate::ids::{BootId, CallId};

/// A call to be analysed, claimed under a lease.
#[derive(Clone, Debug, PartialEq)]
pub struct DueAnalysis {
    /// The call.
    pub call: CallId,
    /// Who claimed it.
    pub boot: BootId,
    /// Tries before this one, those that a crash cut off too.
    pub tries: u16,
    /// What was said.
    pub transcript: Vec<TranscriptEntry>,
    /// What the call came to.
    pub facts: CallFacts,
    /// Why it ended.
    pub reason: EndedReason,
    /// Whole seconds of conversation.
    pub duration: Option<u64>,
    /// The assistant's language.
    pub language: Language,
    /// Outcomes of the assistant's own.
    pub outcomes: Vec<String>,
}

impl DueAnalysis {
    /// What is known before a model is asked.
    pub fn evidence(&self) -> Evidence<'_> {
        Evidence {
            transcript: &self.transcript,
            facts: &self.facts,
            reason: self.reason,
            duration: self.duration,
            outcomes: &self.outcomes,
        }
    }
}

/// What became of a claimed analysis.
#[derive(Clone, Debug, PartialEq)]
pub enum AnalysisSettled {
    /// It is done; the call's record shows it from here on.
    Done(Box<Analysis>),
    /// It is to be tried again at this time.
    Again(OffsetDateTime),
}

/// The store of analyses.
#[async_trait]
pub trait Analyses: Send + Sync {
    /// Claims at most `most` analyses that are due at `now`, of calls that are over, for as long as
    /// [`ANALYSIS_LEASE`](crate::call::ANALYSIS_LEASE); those that are due for longest first. A store may
    /// claim fewer at a time.
    async fn claim_analyses(
        &self,
        boot: BootId,
        now: OffsetDateTime,
        most: usize,
    ) -> Result<Vec<DueAnalysis>, StoreUnavailable>;

    /// Settles the claim of this try; `false` when it was no longer held, and nothing was written.
    async fn settle_analysis(
        &self,
        call: CallId,
        boot: BootId,
        tries: u16,
        settled: AnalysisSettled,
    ) -> Result<bool, StoreUnavailable>;

    /// Frees the claims of boots that are gone; returns how many.
    async fn release_analyses(&self, gone: &[BootId]) -> Result<u64, StoreUnavailable>;
}

/// What a language model is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// The task.
    pub system: String,
    /// What it is about.
    pub user: String,
    /// The answer's form: a name and a strict JSON Schema.
    pub schema: (String, Value),
}

/// Why a model gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// It could not be asked, or is overloaded: later may be better.
    #[error("the language model is unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// It answered something that is not of the form, or refused: the same question may be asked once more.
    #[error("the language model's answer cannot be used")]
    Unusable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// A language model.
#[async_trait]
pub trait LanguageModel: Send + Sync {
    /// Its name, for the provenance of what it wrote.
    fn name(&self) -> &str;

    /// Answers in the form that was asked for, as far as the provider holds to it: the caller checks.
    async fn complete(&self, prompt: &Prompt) -> Result<Value, ModelError>;
}
