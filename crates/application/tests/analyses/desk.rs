//! A node that analyses calls, on the store in memory and in simulated time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use application::analyse_calls::AnalyseCalls;
use async_trait::async_trait;
use domain::call::{Analysis, CallFacts, Ended, EndedReason, Speaker, TranscriptEntry};
use domain::ids::{BootId, CallId};
use domain::ports::{Analyses, AnalysisSettled, Clock, DueAnalysis, Filing, LanguageModel, StoreUnavailable};
use domain::testing::{Ground, InMemory, LaidCall, LaysCalls, World, moment};
use time::OffsetDateTime;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

/// Follows tokio's clock, which tests pause.
pub(crate) struct SimulatedClock(Instant);

impl Clock for SimulatedClock {
    fn now(&self) -> OffsetDateTime {
        moment(0) + self.0.elapsed()
    }

    fn since_boot(&self) -> Duration {
        Duration::from_mins(1) + self.0.elapsed()
    }
}

/// A node that analyses.
pub(crate) struct Desk {
    pub(crate) store: InMemory,
    pub(crate) world: World,
    pub(crate) ground: Ground,
    pub(crate) clock: Arc<SimulatedClock>,
    pub(crate) running: JoinHandle<()>,
    analyse: Arc<AnalyseCalls>,
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Desk {
    pub(crate) async fn with(model: Option<Arc<dyn LanguageModel>>) -> Self {
        let store = InMemory::new();
        let world = World::new(store.clone(), ());
        let ground = Ground::lay(&world, None).await.unwrap();
        let clock = Arc::new(SimulatedClock(Instant::now()));
        let (analyse, running) = start(Arc::new(store.clone()), model, &clock, ground.boot);
        Self { store, world, ground, clock, running, analyse }
    }

    /// Files a call that is over, with these words of the customer.
    pub(crate) async fn filed(&self, said: &[&str], facts: CallFacts, reason: EndedReason) -> CallId {
        let call = self.over(reason).await;
        self.file(call, said, &facts).await;
        call
    }

    /// The same, of a customer who spoke and hung up.
    pub(crate) async fn talked(&self, said: &[&str]) -> CallId {
        self.filed(said, active(), EndedReason::CustomerEndedCall).await
    }

    pub(crate) async fn over(&self, reason: EndedReason) -> CallId {
        let laid = LaidCall {
            assistant: Some(self.ground.assistant.id),
            ended: Some(Ended { reason, started_at: Some(moment(0)), ended_at: moment(65) }),
            ..LaidCall::bare(self.ground.tenant, self.ground.organization, 0)
        };
        self.store.lay(std::slice::from_ref(&laid)).await.unwrap();
        laid.id
    }

    pub(crate) async fn file(&self, call: CallId, said: &[&str], facts: &CallFacts) {
        let entry = |text: &&str| TranscriptEntry {
            at: Duration::from_secs(1),
            who: Speaker::Customer,
            text: (*text).to_owned(),
        };
        let transcript: Vec<_> = said.iter().map(entry).collect();
        self.store.file_transcript(call, &transcript, facts, self.clock.now()).await.unwrap().unwrap();
        self.analyse.hint();
    }

    /// Waits for the analysis of a call: how long, and what it says.
    pub(crate) async fn analysed(&self, call: CallId) -> (Duration, Analysis) {
        let began = Instant::now();
        while began.elapsed() < Duration::from_hours(3) {
            if let Some(analysis) = self.store.analysis(call) {
                return (began.elapsed(), analysis);
            }
            sleep(Duration::from_millis(500)).await;
        }
        panic!("the call was never analysed")
    }
}

pub(crate) fn start(
    analyses: Arc<dyn Analyses>,
    model: Option<Arc<dyn LanguageModel>>,
    clock: &Arc<SimulatedClock>,
    boot: BootId,
) -> (Arc<AnalyseCalls>, JoinHandle<()>) {
    let analyse = Arc::new(AnalyseCalls::new(analyses, model, clock.clone(), boot));
    let running = Arc::clone(&analyse);
    (analyse, tokio::spawn(async move { running.run().await }))
}

pub(crate) fn active() -> CallFacts {
    CallFacts { customer_active: true, ..CallFacts::default() }
}

/// What the facts alone say of a customer who spoke and hung up after 65 seconds.
pub(crate) fn from_facts() -> Analysis {
    Analysis {
        summary: Some("The customer spoke. The customer hung up after 1 minute 5 seconds.".to_owned()),
        summary_fr: Some(
            "Le client a parlé. Le client a raccroché après 1\u{a0}minute et 5\u{a0}secondes.".to_owned(),
        ),
        ..Analysis::default()
    }
}

/// A store that takes no settlement so many times.
pub(crate) struct Forgetful {
    pub(crate) store: InMemory,
    pub(crate) refusals: AtomicUsize,
}

#[async_trait]
impl Analyses for Forgetful {
    async fn claim_analyses(
        &self,
        boot: BootId,
        now: OffsetDateTime,
        most: usize,
    ) -> Result<Vec<DueAnalysis>, StoreUnavailable> {
        self.store.claim_analyses(boot, now, most).await
    }

    async fn settle_analysis(
        &self,
        call: CallId,
        boot: BootId,
        tries: u16,
        settled: AnalysisSettled,
    ) -> Result<bool, StoreUnavailable> {
        let left = self.refusals.load(Ordering::SeqCst);
        if left > 0 {
            self.refusals.store(left - 1, Ordering::SeqCst);
            return Err(StoreUnavailable::because("away"));
        }
        self.store.settle_analysis(call, boot, tries, settled).await
    }

    async fn release_analyses(&self, gone: &[BootId]) -> Result<u64, StoreUnavailable> {
        self.store.release_analyses(gone).await
    }
}
