//! The record of a call while it goes on, kept on this machine until it is filed.

use std::path::PathBuf;

use async_trait::async_trait;

use crate::audio::{AudioFormat, Frame};
use crate::call::{CallFacts, Fact, TranscriptEntry};
use crate::ids::CallId;

/// Begins records of answered calls.
pub trait Recorder: Send + Sync {
    /// Begins one; with a format, the sound is kept too.
    fn begin(&self, call: CallId, sound: Option<AudioFormat>) -> Box<dyn Recording>;
}

/// A record that is being made; dropping it completes it. Nothing here waits for a disk.
pub trait Recording: Send {
    /// Adds 20 ms of both sides; none is silence. What a slow disk cannot take becomes silence of the
    /// same length.
    fn sound(&mut self, heard: Option<&Frame>, played: Option<&Frame>);

    /// Adds a turn; turns may come late and out of order.
    fn turn(&mut self, entry: TranscriptEntry);

    /// Adds something that the call came to.
    fn fact(&mut self, fact: Fact);
}

/// A complete record on this machine's disk.
#[derive(Clone, Debug, PartialEq)]
pub struct CompleteRecord {
    /// The call.
    pub call: CallId,
    /// The sound: stereo WAV, the callee left, the assistant right; none when it was not kept.
    pub sound: Option<PathBuf>,
    /// What was said, in order.
    pub transcript: Vec<TranscriptEntry>,
    /// What the call came to.
    pub facts: CallFacts,
}

/// The records of this machine could not be read or removed.
#[derive(Debug, thiserror::Error)]
#[error("the records on this machine cannot be used")]
pub struct ShelfError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// Complete records, waiting to be filed; they survive a crash of this machine's program.
#[async_trait]
pub trait RecordShelf: Send + Sync {
    /// Waits for a record that is complete: those of earlier starts first, each once per start. Whoever
    /// stops waiting loses none.
    async fn next(&self) -> Result<CompleteRecord, ShelfError>;

    /// It is filed: forget it here.
    async fn discard(&self, call: CallId) -> Result<(), ShelfError>;

    /// It can never be filed: keep its files for a person to look at, and give it no more.
    async fn set_aside(&self, call: CallId) -> Result<(), ShelfError>;

    /// Waits until every record that was begun is discarded or set aside.
    async fn cleared(&self);
}
