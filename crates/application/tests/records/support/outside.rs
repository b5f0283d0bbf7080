//! A shelf, a store and an artifact store that fail when told to, and see what must not happen.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::call::{ArtifactKey, ArtifactKind, CallFacts, TranscriptEntry, plain_text};
use domain::ids::CallId;
use domain::ports::{
    ArtifactBody, Artifacts, ArtifactsUnavailable, CompleteRecord, Filing, Owner, RecordShelf, ShelfError,
    StoreUnavailable,
};
use domain::testing::{InMemory, moment};
use time::OffsetDateTime;
use tokio::sync::watch;
use tokio::time::sleep;
use url::Url;

/// What the next work of a port meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fate {
    Done,
    /// Nothing is done.
    Refused,
    /// It is done, but nobody learns it.
    AnswerLost,
}

/// Chooses fates, and how long each work takes.
pub(crate) type Chooser = Box<dyn FnMut(&'static str, CallId) -> (Fate, Duration) + Send>;

/// Everything outside of the use case.
pub(crate) struct Outside {
    store: InMemory,
    fates: Mutex<Chooser>,
    /// Artifacts that are stored, and how often each was put.
    pub(crate) stored: Mutex<BTreeMap<String, (String, u32)>>,
    on_disk: Mutex<BTreeMap<CallId, CompleteRecord>>,
    waiting: Mutex<VecDeque<CallId>>,
    added: watch::Sender<()>,
    left: watch::Sender<usize>,
    pub(crate) aside: Mutex<Vec<CallId>>,
    /// Work that is under way, and the most there ever was.
    busy: Mutex<(usize, usize)>,
    pub(crate) taken: Mutex<usize>,
    pub(crate) shelf_broken: AtomicBool,
}

impl Outside {
    pub(crate) fn new(store: InMemory, fates: Chooser) -> Self {
        Self {
            store,
            fates: Mutex::new(fates),
            stored: Mutex::default(),
            on_disk: Mutex::default(),
            waiting: Mutex::default(),
            added: watch::Sender::new(()),
            left: watch::Sender::new(0),
            aside: Mutex::default(),
            busy: Mutex::default(),
            taken: Mutex::default(),
            shelf_broken: AtomicBool::new(false),
        }
    }

    /// All that was not forgotten is on the shelf again.
    pub(crate) fn restock(&self) {
        let left = self.on_disk.lock().unwrap().keys().copied().collect();
        *self.waiting.lock().unwrap() = left;
        self.told();
    }

    async fn meet(&self, work: &'static str, call: CallId) -> Fate {
        let (fate, takes) = (self.fates.lock().unwrap())(work, call);
        {
            let mut busy = self.busy.lock().unwrap();
            busy.0 += 1;
            busy.1 = busy.1.max(busy.0);
        }
        // Work that is cut off is no longer under way.
        let _over = Over(&self.busy);
        sleep(takes).await;
        fate
    }

    pub(crate) fn most_at_once(&self) -> usize {
        self.busy.lock().unwrap().1
    }

    pub(crate) fn left(&self) -> usize {
        self.on_disk.lock().unwrap().len()
    }

    pub(crate) fn put_on_shelf(&self, record: CompleteRecord) {
        self.waiting.lock().unwrap().push_back(record.call);
        self.on_disk.lock().unwrap().insert(record.call, record);
        self.told();
    }

    fn told(&self) {
        self.left.send_replace(self.left());
        self.added.send_replace(());
    }

    fn text(&self, owner: Owner, call: CallId, kind: ArtifactKind) -> Option<String> {
        let key = ArtifactKey { tenant: owner.tenant, organization: owner.organization, call, kind };
        self.stored.lock().unwrap().get(&key.to_string()).map(|(text, _)| text.clone())
    }

    /// Whether a record's transcript is filed, whatever else is not.
    pub(crate) fn is_transcribed(&self, record: &CompleteRecord) -> bool {
        self.store.filed(record.call).is_some_and(|filed| filed.transcript == record.transcript)
    }

    /// Whether all of a record is where it belongs, and nothing else is.
    pub(crate) fn is_filed(&self, owner: Owner, record: &CompleteRecord) -> bool {
        let filed = self.store.filed(record.call);
        let said = filed.is_some_and(|filed| {
            filed.transcript == record.transcript && filed.facts == record.facts && filed.at >= moment(0)
        });
        let sound = record.sound.as_ref().map(|path| path.display().to_string());
        let text = plain_text(&record.transcript);
        let told = self.store.artifacts(record.call);
        let told = |kind| told.get(&kind).copied();
        let bytes = |text: &String| u64::try_from(text.len()).unwrap();
        said && self.text(owner, record.call, ArtifactKind::Recording) == sound
            && self.text(owner, record.call, ArtifactKind::Transcript).as_ref() == Some(&text)
            && told(ArtifactKind::Recording) == sound.as_ref().map(bytes)
            && told(ArtifactKind::Transcript) == Some(bytes(&text))
    }
}

struct Over<'a>(&'a Mutex<(usize, usize)>);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.lock().unwrap().0 -= 1;
    }
}

#[async_trait]
impl Filing for Outside {
    async fn file_transcript(
        &self,
        call: CallId,
        transcript: &[TranscriptEntry],
        facts: &CallFacts,
        at: OffsetDateTime,
    ) -> Result<Option<Owner>, StoreUnavailable> {
        let fate = self.meet("transcript", call).await;
        if fate == Fate::Refused {
            return Err(StoreUnavailable::because("refused"));
        }
        let owner = self.store.file_transcript(call, transcript, facts, at).await?;
        if fate == Fate::Done { Ok(owner) } else { Err(StoreUnavailable::because("lost")) }
    }

    async fn file_artifact(
        &self,
        call: CallId,
        kind: ArtifactKind,
        bytes: u64,
        at: OffsetDateTime,
    ) -> Result<(), StoreUnavailable> {
        let fate = self.meet("artifact", call).await;
        if fate == Fate::Refused {
            return Err(StoreUnavailable::because("refused"));
        }
        let stored = self.stored.lock().unwrap().keys().any(|key| {
            let key = ArtifactKey::parse(key).unwrap();
            (key.call, key.kind) == (call, kind)
        });
        assert!(stored, "it is shown before it is there");
        self.store.file_artifact(call, kind, bytes, at).await?;
        if fate == Fate::Done { Ok(()) } else { Err(StoreUnavailable::because("lost")) }
    }
}

#[async_trait]
impl Artifacts for Outside {
    async fn put(&self, key: &ArtifactKey, body: ArtifactBody) -> Result<u64, ArtifactsUnavailable> {
        let fate = self.meet("put", key.call).await;
        if fate == Fate::Refused {
            return Err(ArtifactsUnavailable("refused".into()));
        }
        let text = match body {
            ArtifactBody::File(path) => {
                assert!(self.on_disk.lock().unwrap().contains_key(&key.call), "its file is gone");
                path.display().to_string()
            }
            ArtifactBody::Text(text) => text,
        };
        let bytes = u64::try_from(text.len()).unwrap();
        let mut stored = self.stored.lock().unwrap();
        let puts = stored.get(&key.to_string()).map_or(0, |(_, puts)| *puts);
        stored.insert(key.to_string(), (text, puts + 1));
        if fate == Fate::Done { Ok(bytes) } else { Err(ArtifactsUnavailable("lost".into())) }
    }

    async fn sign(&self, _: &ArtifactKey, _: OffsetDateTime) -> Result<Url, ArtifactsUnavailable> {
        Err(ArtifactsUnavailable("nobody signs while filing".into()))
    }

    fn origin(&self) -> url::Origin {
        url::Origin::new_opaque()
    }
}

#[async_trait]
impl RecordShelf for Outside {
    async fn next(&self) -> Result<CompleteRecord, ShelfError> {
        let mut added = self.added.subscribe();
        loop {
            added.mark_unchanged();
            if self.shelf_broken.load(Ordering::Relaxed) {
                return Err(ShelfError("broken".into()));
            }
            if let Some(call) = self.waiting.lock().unwrap().pop_front() {
                *self.taken.lock().unwrap() += 1;
                return Ok(self.on_disk.lock().unwrap()[&call].clone());
            }
            added.changed().await.unwrap();
        }
    }

    async fn discard(&self, call: CallId) -> Result<(), ShelfError> {
        let fate = self.meet("discard", call).await;
        if fate == Fate::Refused {
            return Err(ShelfError("refused".into()));
        }
        let record = self.on_disk.lock().unwrap().get(&call).cloned();
        if let Some(record) = record {
            let owner =
                self.store.file_transcript(call, &[], &CallFacts::default(), moment(0)).await.unwrap();
            assert!(self.is_filed(owner.unwrap(), &record), "it is forgotten before it is filed");
            self.on_disk.lock().unwrap().remove(&call);
        }
        self.told();
        if fate == Fate::Done { Ok(()) } else { Err(ShelfError("lost".into())) }
    }

    async fn set_aside(&self, call: CallId) -> Result<(), ShelfError> {
        if self.meet("aside", call).await == Fate::Refused {
            return Err(ShelfError("refused".into()));
        }
        self.on_disk.lock().unwrap().remove(&call);
        self.aside.lock().unwrap().push(call);
        self.told();
        Ok(())
    }

    async fn cleared(&self) {
        self.left.subscribe().wait_for(|left| *left == 0).await.unwrap();
    }
}
