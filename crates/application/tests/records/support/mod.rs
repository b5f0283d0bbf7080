//! A machine with calls, and their records.

mod outside;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use application::analyse_calls::AnalyseCalls;
use application::file_records::FileRecords;
use domain::call::{CallFacts, Speaker, TranscriptEntry};
use domain::ids::{BootId, CallId};
use domain::ports::{Clock, CompleteRecord, Owner};
use domain::testing::{Ground, InMemory, World, moment};
use time::OffsetDateTime;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

pub(crate) use outside::{Fate, Outside};

/// Follows tokio's clock.
struct SimulatedClock(Instant);

impl Clock for SimulatedClock {
    fn now(&self) -> OffsetDateTime {
        moment(0) + self.0.elapsed()
    }

    fn since_boot(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A machine with calls, and their records.
pub(crate) struct Stage {
    pub(crate) outside: Arc<Outside>,
    pub(crate) world: World,
    pub(crate) ground: Ground,
    pub(crate) owner: Owner,
    clock: Arc<SimulatedClock>,
    files: Arc<FileRecords>,
    running: AbortOnDropHandle<()>,
}

impl Stage {
    /// Files records, and lets every work meet its fate.
    pub(crate) async fn new(
        fates: impl FnMut(&'static str, CallId) -> (Fate, Duration) + Send + 'static,
    ) -> Self {
        let store = InMemory::new();
        let world = World::new(store.clone(), ());
        let ground = Ground::lay(&world, None).await.unwrap();
        let outside = Arc::new(Outside::new(store, Box::new(fates)));
        let clock = Arc::new(SimulatedClock(Instant::now()));
        let owner = Owner { tenant: ground.tenant, organization: ground.organization };
        let (files, running) = start(&outside, &world, ground.boot, &clock);
        Self { outside, world, ground, owner, clock, files, running }
    }

    /// The process dies and starts again: all that was not forgotten is on the shelf.
    pub(crate) fn restart(&mut self) {
        self.running.abort();
        self.outside.restock();
        (self.files, self.running) = start(&self.outside, &self.world, self.ground.boot, &self.clock);
    }

    /// A call that is over leaves a record, with sound or without.
    pub(crate) async fn record(&self, sound: bool) -> CompleteRecord {
        let (call, _) = self.ground.calling(&self.world).await.unwrap();
        let record = record(call.id, sound);
        self.outside.put_on_shelf(record.clone());
        record
    }

    pub(crate) async fn settled(&self, limit: Duration) {
        self.files.settled(limit).await;
    }
}

fn start(
    outside: &Arc<Outside>,
    world: &World,
    boot: BootId,
    clock: &Arc<SimulatedClock>,
) -> (Arc<FileRecords>, AbortOnDropHandle<()>) {
    let analyses = Arc::new(AnalyseCalls::new(Arc::clone(&world.analyses), None, clock.clone(), boot));
    let files = FileRecords::new(outside.clone(), outside.clone(), outside.clone(), clock.clone(), analyses);
    let files = Arc::new(files);
    let own = Arc::clone(&files);
    (files, AbortOnDropHandle::new(tokio::spawn(async move { own.run().await })))
}

/// A record that no other call has.
pub(crate) fn record(call: CallId, sound: bool) -> CompleteRecord {
    let entry = |at, who| TranscriptEntry { at: Duration::from_secs(at), who, text: call.to_string() };
    CompleteRecord {
        call,
        sound: sound.then(|| PathBuf::from(format!("/{call}.wav"))),
        transcript: vec![entry(1, Speaker::Assistant), entry(2, Speaker::Customer)],
        facts: CallFacts { outcome_named: Some(call.to_string()), ..CallFacts::default() },
    }
}
