//! Analysing calls in the background: what facts decide, what a language model reads in the
//! transcript, and trying again while the model is away.

mod answer;
mod prompt;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::call::{ANALYSIS_LEASE, ANALYSIS_TRIES, Analysis, wait_after_analysis};
use domain::ids::BootId;
use domain::ports::{
    Analyses, AnalysisSettled, Clock, DueAnalysis, LanguageModel, ModelError, Prompt, StoreUnavailable,
};
use serde_json::Value;
use tokio::sync::Notify;
use tokio::task::{JoinError, JoinSet};

use self::answer::Answer;
use crate::causes::causes;
use crate::crash_point::crash_point;

/// Concurrent analyses of this node; the rest wait in the store.
const AT_ONCE: usize = 8;

/// The store is looked at this often, whatever the hints say.
const POLL: Duration = Duration::from_secs(2);

/// How long the model may take for one answer: two of them fit into a lease, with time to settle.
const ANSWER: Duration = Duration::from_secs(50);

/// Between two attempts to settle.
const SETTLE_AGAIN: Duration = Duration::from_secs(1);

/// Analyses the calls that are over and filed.
pub struct AnalyseCalls {
    analyses: Arc<dyn Analyses>,
    model: Option<Arc<dyn LanguageModel>>,
    clock: Arc<dyn Clock>,
    boot: BootId,
    hint: Notify,
    // Whether the model was away when it was last asked: that it went and came back is told once.
    away: AtomicBool,
}

impl AnalyseCalls {
    /// Builds the use case from its ports; without a model there are facts alone.
    pub fn new(
        analyses: Arc<dyn Analyses>,
        model: Option<Arc<dyn LanguageModel>>,
        clock: Arc<dyn Clock>,
        boot: BootId,
    ) -> Self {
        Self { analyses, model, clock, boot, hint: Notify::new(), away: AtomicBool::new(false) }
    }

    /// A transcript was filed, or a call ended: the next look at the store is now.
    pub fn hint(&self) {
        self.hint.notify_one();
    }

    /// Analyses until the task is dropped; what was under way then is tried again when its lease is
    /// over.
    pub async fn run(self: &Arc<Self>) {
        let mut running = JoinSet::new();
        let mut failing = false;
        loop {
            let claimed = self.claim(&mut running).await;
            if let Err(error) = &claimed
                && !failing
            {
                tracing::error!(error = causes(error), "analyses cannot be claimed");
            }
            failing = claimed.is_err();
            tokio::select! {
                Some(done) = running.join_next() => tell_panic(done),
                () = self.hint.notified() => {}
                () = tokio::time::sleep(POLL) => {}
            }
        }
    }

    async fn claim(self: &Arc<Self>, running: &mut JoinSet<()>) -> Result<(), StoreUnavailable> {
        let room = AT_ONCE.saturating_sub(running.len());
        if room == 0 {
            return Ok(());
        }
        for due in self.analyses.claim_analyses(self.boot, self.clock.now(), room).await? {
            let this = Arc::clone(self);
            running.spawn(async move { this.analyse(due).await });
        }
        Ok(())
    }

    async fn analyse(&self, due: DueAnalysis) {
        crash_point("analysis-claimed");
        let until = self.clock.since_boot() + ANALYSIS_LEASE;
        let settled = self.find_out(&due).await;
        crash_point("analysis-made");
        self.settle(&due, settled, until).await;
    }

    async fn find_out(&self, due: &DueAnalysis) -> AnalysisSettled {
        let evidence = due.evidence();
        let done = |analysis| AnalysisSettled::Done(Box::new(analysis));
        let from_facts = || done(Analysis::from_facts(&evidence));
        let Some(model) = self.model.as_deref().filter(|_| evidence.is_worth_reading()) else {
            return from_facts();
        };
        if due.tries >= ANALYSIS_TRIES {
            tracing::warn!(call = %due.call, tries = due.tries, "an analysis was cut off too often; facts alone");
            return from_facts();
        }
        match self.ask(model, due).await {
            Ok(Some(read)) => done(read.held_against(&evidence)),
            Ok(None) => {
                tracing::warn!(call = %due.call, model = model.name(), "the model's answers cannot be used; facts alone");
                from_facts()
            }
            Err(error) => {
                if let Some(wait) = wait_after_analysis(due.tries.saturating_add(1)) {
                    self.is_away(model, &error);
                    return AnalysisSettled::Again(self.clock.now() + wait);
                }
                tracing::warn!(call = %due.call, error = causes(&error), "the language model stays away; facts alone");
                from_facts()
            }
        }
    }

    /// What the model reads in the call: asked once more when its answer is not of its form, and
    /// then taken as far as it is; none when nothing of it is. An error when the model is away.
    async fn ask(
        &self,
        model: &dyn LanguageModel,
        due: &DueAnalysis,
    ) -> Result<Option<Analysis>, ModelError> {
        let prompt = prompt::prompt(due);
        let mut best: Option<Answer> = None;
        for _ in 0..2 {
            match complete(model, &prompt).await {
                Ok(value) => {
                    self.is_back(model);
                    let answer = Answer::read(&value, model.name(), &due.outcomes);
                    if answer.wrong.is_empty() {
                        return Ok(Some(answer.analysis));
                    }
                    tracing::debug!(call = %due.call, fields = ?answer.wrong, "the model's answer is not of its form");
                    let better = best.as_ref().is_none_or(|best| answer.wrong.len() < best.wrong.len());
                    if better && answer.is_usable() {
                        best = Some(answer);
                    }
                }
                Err(error @ ModelError::Unusable(_)) => {
                    self.is_back(model);
                    tracing::debug!(call = %due.call, error = causes(&error), "the model's answer cannot be used");
                }
                // Half an answer now is worth more than a whole one some day.
                Err(ModelError::Unavailable(_)) if best.is_some() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(best.map(|answer| answer.analysis))
    }

    fn is_away(&self, model: &dyn LanguageModel, error: &ModelError) {
        if !self.away.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                error = causes(error),
                model = model.name(),
                "the language model is away; analyses wait"
            );
        }
    }

    fn is_back(&self, model: &dyn LanguageModel) {
        if self.away.swap(false, Ordering::Relaxed) {
            tracing::info!(model = model.name(), "the language model is back");
        }
    }

    /// Settles as soon as the store is there, but no later than `until`: then somebody else may try.
    async fn settle(&self, due: &DueAnalysis, settled: AnalysisSettled, until: Duration) {
        let call = due.call;
        loop {
            match self.analyses.settle_analysis(call, due.boot, due.tries, settled.clone()).await {
                Ok(true) => return,
                Ok(false) => {
                    return tracing::warn!(%call, "an analysis's claim was lost before it was settled");
                }
                Err(error) if self.clock.since_boot() >= until => {
                    return tracing::error!(%call, error = causes(&error), "an analysis was not settled; it is repeated");
                }
                Err(_) => tokio::time::sleep(SETTLE_AGAIN).await,
            }
        }
    }
}

async fn complete(model: &dyn LanguageModel, prompt: &Prompt) -> Result<Value, ModelError> {
    match tokio::time::timeout(ANSWER, model.complete(prompt)).await {
        Ok(answered) => answered,
        Err(elapsed) => Err(ModelError::Unavailable(elapsed.into())),
    }
}

/// A panic ends its own analysis only, which is tried again when its lease is over.
fn tell_panic(done: Result<(), JoinError>) {
    if let Err(error) = done {
        tracing::error!(error = causes(&error), "an analysis broke off");
    }
}
