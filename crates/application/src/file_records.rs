//! Filing the records of calls that are over: the transcript in the store, recording and transcript
//! among the artifacts, and only then away from this machine.

use std::sync::Arc;
use std::time::Duration;

use domain::call::{ArtifactKey, ArtifactKind, plain_text};
use domain::ports::{
    ArtifactBody, Artifacts, ArtifactsUnavailable, Clock, CompleteRecord, Filing, Owner, RecordShelf,
    ShelfError, StoreUnavailable,
};
use tokio::sync::Semaphore;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{sleep, timeout};

use crate::analyse_calls::AnalyseCalls;
use crate::causes::causes;
use crate::crash_point::crash_point;

/// Transcripts that are filed side by side, and apart from them records whose artifacts are stored: an
/// upload takes its time, and no summary waits for it.
const AT_ONCE: usize = 4;

/// How long storing one artifact may take: the sound of the longest call at 0.5 Mbit/s. What hangs
/// holds the place of others.
const STORING: Duration = Duration::from_hours(2);

/// Records that are held here, nearly all of them waiting for their next try. With more, the shelf
/// holds the rest: when so many fail, it is not their fault.
const MOST_HELD: usize = 256;

/// Before the second try; twice as long before each that follows.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// The longest wait between two tries.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// Files the records of this machine.
pub struct FileRecords {
    shelf: Arc<dyn RecordShelf>,
    filing: Arc<dyn Filing>,
    artifacts: Arc<dyn Artifacts>,
    clock: Arc<dyn Clock>,
    analyses: Arc<AnalyseCalls>,
    transcripts: Semaphore,
    uploads: Semaphore,
}

impl FileRecords {
    /// Builds the use case from its ports.
    pub fn new(
        shelf: Arc<dyn RecordShelf>,
        filing: Arc<dyn Filing>,
        artifacts: Arc<dyn Artifacts>,
        clock: Arc<dyn Clock>,
        analyses: Arc<AnalyseCalls>,
    ) -> Self {
        let [transcripts, uploads] = [(); 2].map(|()| Semaphore::new(AT_ONCE));
        Self { shelf, filing, artifacts, clock, analyses, transcripts, uploads }
    }

    /// Files records as they become complete, until the task is dropped: what is not filed then
    /// stays on the shelf for the next start.
    pub async fn run(self: &Arc<Self>) {
        let mut held = JoinSet::new();
        let mut failing = false;
        loop {
            tokio::select! {
                Some(filed) = held.join_next() => tell_of_panic(filed),
                next = self.shelf.next(), if held.len() < MOST_HELD => match next {
                    Ok(record) => {
                        failing = false;
                        let this = Arc::clone(self);
                        held.spawn(async move { this.file(record).await });
                    }
                    Err(error) => {
                        if !failing {
                            tracing::error!(error = causes(&error), "no record can be taken from the shelf");
                        }
                        failing = true;
                        sleep(FIRST_WAIT).await;
                    }
                }
            }
        }
    }

    /// Waits until every record is filed, or `limit` is over. [`Self::run`] has to go on meanwhile,
    /// and every call has to be over.
    pub async fn settled(&self, limit: Duration) {
        if timeout(limit, self.shelf.cleared()).await.is_err() {
            tracing::warn!("records of calls stay on this machine for the next start");
        }
    }

    /// Files one, however often it takes.
    async fn file(&self, record: CompleteRecord) {
        let mut progress = Progress::default();
        let mut wait = FIRST_WAIT;
        while let Err(error) = self.try_once(&record, &mut progress).await {
            if wait == FIRST_WAIT {
                tracing::warn!(call = %record.call, error = causes(&error), "a record is not filed yet; it is tried again");
            }
            sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    /// Takes every step that is left; a step that was taken is not taken again.
    async fn try_once(&self, record: &CompleteRecord, progress: &mut Progress) -> Result<(), FilingError> {
        let call = record.call;
        if progress.owner.is_none() {
            progress.owner = self.file_transcript(record).await?;
        }
        let Some(owner) = progress.owner else {
            self.shelf.set_aside(call).await?;
            tracing::error!(%call, "a record of an unknown call is set aside");
            return Ok(());
        };
        crash_point("filing");
        // It is never closed.
        let _place = self.uploads.acquire().await;
        for kind in ArtifactKind::ALL {
            if !progress.filed.contains(&kind)
                && let Some(body) = body(record, kind)
            {
                let Owner { tenant, organization } = owner;
                let key = ArtifactKey { tenant, organization, call, kind };
                let bytes = match progress.stored {
                    Some((stored, bytes)) if stored == kind => bytes,
                    _ => self.store(&key, body).await?,
                };
                progress.stored = Some((kind, bytes));
                crash_point("uploaded");
                self.filing.file_artifact(call, kind, bytes, self.clock.now()).await?;
                progress.filed.push(kind);
            }
        }
        crash_point("filed");
        self.shelf.discard(call).await?;
        tracing::info!(%call, "record filed");
        // By now the call's end is written too, nearly always.
        self.analyses.hint();
        Ok(())
    }

    async fn file_transcript(&self, record: &CompleteRecord) -> Result<Option<Owner>, StoreUnavailable> {
        // It is never closed.
        let _place = self.transcripts.acquire().await;
        let CompleteRecord { call, transcript, facts, .. } = record;
        let owner = self.filing.file_transcript(*call, transcript, facts, self.clock.now()).await?;
        // The call's end may be written already.
        self.analyses.hint();
        Ok(owner)
    }

    async fn store(&self, key: &ArtifactKey, body: ArtifactBody) -> Result<u64, ArtifactsUnavailable> {
        match timeout(STORING, self.artifacts.put(key, body)).await {
            Ok(stored) => stored,
            Err(elapsed) => Err(ArtifactsUnavailable(elapsed.into())),
        }
    }
}

/// What is done of a record.
#[derive(Default)]
struct Progress {
    /// Whose it is, once its transcript is filed.
    owner: Option<Owner>,
    /// The artifact that was stored last, and its bytes.
    stored: Option<(ArtifactKind, u64)>,
    /// The artifacts that the store knows of.
    filed: Vec<ArtifactKind>,
}

/// What kept a record from being filed.
#[derive(Debug, thiserror::Error)]
enum FilingError {
    #[error(transparent)]
    Store(#[from] StoreUnavailable),
    #[error(transparent)]
    Artifacts(#[from] ArtifactsUnavailable),
    #[error(transparent)]
    Shelf(#[from] ShelfError),
}

/// The artifact of a kind, if the record has one.
fn body(record: &CompleteRecord, kind: ArtifactKind) -> Option<ArtifactBody> {
    match kind {
        ArtifactKind::Recording => record.sound.clone().map(ArtifactBody::File),
        ArtifactKind::Transcript => Some(ArtifactBody::Text(plain_text(&record.transcript))),
    }
}

fn tell_of_panic(filed: Result<(), JoinError>) {
    if let Err(error) = filed {
        tracing::error!(%error, "filing a record broke; the next start files it");
    }
}
