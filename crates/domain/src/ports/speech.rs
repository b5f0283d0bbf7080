//! Turning lines into audio.

use async_trait::async_trait;

use crate::assistant::Language;
use crate::audio::{AudioFormat, Encoded};

/// A line to be spoken.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// The language, and so the voice.
    pub language: Language,
    /// The words, already filled; markup in it has no effect.
    pub text: String,
    /// The encoding wanted.
    pub format: AudioFormat,
}

/// The line could not be spoken.
#[derive(Debug, thiserror::Error)]
#[error("the line could not be spoken")]
pub struct SpeechError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// Speaks lines in a built-in voice.
#[async_trait]
pub trait Speech: Send + Sync {
    /// The line's audio; equal lines may share one encoding.
    async fn say(&self, line: Line) -> Result<Encoded, SpeechError>;
}
