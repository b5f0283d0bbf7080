//! The records of calls on this machine's disk: sound and turns while a call is on, and afterwards
//! the shelf on which they wait to be filed.
//!
//! A call hands over 20 ms at a time through an [`intake`] of its own. One thread ([`writer`]) takes
//! from all of them and writes; a second ([`completer`]) waits for the disk when a call has ended. A
//! process that dies leaves files that the next start completes.

mod completer;
mod files;
mod intake;
mod line;
mod shelf;
mod tape;
mod writer;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, Thread};

use async_trait::async_trait;
use domain::audio::{AudioFormat, Frame};
use domain::call::{CallFacts, Fact, TranscriptEntry};
use domain::ids::CallId;
use domain::ports::{CompleteRecord, RecordShelf, Recorder, Recording, ShelfError};
use parking_lot::Mutex;

use self::completer::Work;
use self::files::{Aside, Files};
use self::intake::{Gathered, Intake};
use self::shelf::Shelf;
use self::tape::Tape;

/// Records calls in a folder, and gives their records when they are complete.
///
/// Both threads end once this value and the last recording are dropped.
pub struct DiskRecorder {
    shared: Arc<Shared>,
    writer: Writer,
}

/// What calls and disk threads share.
struct Shared {
    files: Files,
    shelf: Shelf,
    /// Begun since the writing thread last looked.
    begun: Mutex<Vec<Tape>>,
    closing: AtomicBool,
}

impl Shared {
    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }
}

/// Wakes the writing thread; the last one ends it.
#[derive(Clone)]
struct Writer(Arc<Wake>);

struct Wake {
    shared: Arc<Shared>,
    thread: Thread,
}

impl Drop for Wake {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl DiskRecorder {
    /// Opens the folder, making it when there is none. What earlier starts left in it is completed in
    /// the background, and given first.
    pub fn open(folder: &Path) -> io::Result<Arc<Self>> {
        let files = Files::open(folder)?;
        let left = files.calls()?;
        if !left.is_empty() {
            tracing::info!(records = left.len(), "taking up records that an earlier start left");
        }
        let shelf = Shelf::new(left.iter().copied());
        let shared =
            Arc::new(Shared { files, shelf, begun: Mutex::default(), closing: AtomicBool::new(false) });
        let (sender, work) = mpsc::channel();
        for call in left {
            // Its receiver is here.
            let _ = sender.send(Work::Left(call));
        }
        let own = Arc::clone(&shared);
        thread::Builder::new().name("records-end".to_owned()).spawn(move || completer::run(&own, &work))?;
        let own = Arc::clone(&shared);
        let writer =
            thread::Builder::new().name("records".to_owned()).spawn(move || writer::run(&own, &sender))?;
        let wake = Wake { shared: Arc::clone(&shared), thread: writer.thread().clone() };
        Ok(Arc::new(Self { shared, writer: Writer(Arc::new(wake)) }))
    }

    async fn on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Files) -> io::Result<T> + Send + 'static,
    ) -> Result<T, ShelfError> {
        let files = self.shared.files.clone();
        let done = tokio::task::spawn_blocking(move || work(&files)).await;
        done.map_err(io::Error::other).flatten().map_err(|error| ShelfError(error.into()))
    }
}

impl Recorder for DiskRecorder {
    fn begin(&self, call: CallId, sound: Option<AudioFormat>) -> Box<dyn Recording> {
        let gathered = if sound.is_some() { Gathered::with_room() } else { Gathered::default() };
        let intake = Arc::new(Intake::new(gathered));
        self.shared.shelf.begin(call);
        let tape = Tape::new(self.shared.files.clone(), call, Arc::clone(&intake), sound);
        self.shared.begun.lock().push(tape);
        self.writer.0.thread.unpark();
        let keeps_sound = sound.is_some();
        Box::new(DiskRecording {
            intake,
            keeps_sound,
            facts: CallFacts::default(),
            writer: self.writer.clone(),
        })
    }
}

#[async_trait]
impl RecordShelf for DiskRecorder {
    async fn next(&self) -> Result<CompleteRecord, ShelfError> {
        loop {
            let taken = self.shared.shelf.take().await;
            let Some(call) = taken.on_disk() else {
                match taken.keep() {
                    Some(record) => return Ok(record),
                    None => continue,
                }
            };
            match self.on_disk(move |files| Ok(files.read(call))).await? {
                Ok(record) => {
                    taken.keep();
                    return Ok(record);
                }
                // Too many open files, say: what lies there is whole, and its turn comes again.
                Err(error) if !files::is_broken(&error) => {
                    taken.put_back();
                    return Err(ShelfError(error.into()));
                }
                Err(error) => {
                    tracing::error!(%call, %error, "a record cannot be read, and is put aside");
                    if let Err(error) = self.on_disk(move |files| files.put_aside(call, Aside::Broken)).await
                    {
                        // It stays where it is; the next start meets it again.
                        tracing::error!(%call, %error, "a record cannot be put aside");
                    }
                    taken.keep();
                }
            }
            self.shared.shelf.strike(call);
        }
    }

    async fn discard(&self, call: CallId) -> Result<(), ShelfError> {
        self.on_disk(move |files| files.remove(call)).await?;
        self.shared.shelf.strike(call);
        Ok(())
    }

    async fn set_aside(&self, call: CallId) -> Result<(), ShelfError> {
        self.on_disk(move |files| files.put_aside(call, Aside::Orphan)).await?;
        self.shared.shelf.strike(call);
        Ok(())
    }

    async fn cleared(&self) {
        self.shared.shelf.cleared().await;
    }
}

/// The record of one call.
struct DiskRecording {
    intake: Arc<Intake>,
    keeps_sound: bool,
    facts: CallFacts,
    writer: Writer,
}

impl Recording for DiskRecording {
    fn sound(&mut self, heard: Option<&Frame>, played: Option<&Frame>) {
        if self.keeps_sound {
            self.intake.beat(heard, played);
        }
    }

    fn turn(&mut self, entry: TranscriptEntry) {
        self.intake.line(entry.into());
        self.writer.0.thread.unpark();
    }

    fn fact(&mut self, fact: Fact) {
        // Some are told again and again.
        let before = self.facts.clone();
        self.facts.note(fact.clone());
        if self.facts != before {
            self.intake.line(fact.into());
            self.writer.0.thread.unpark();
        }
    }
}

impl Drop for DiskRecording {
    fn drop(&mut self) {
        self.intake.end();
        self.writer.0.thread.unpark();
    }
}
