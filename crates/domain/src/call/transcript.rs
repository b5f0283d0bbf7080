//! What was said and done on a call, turn by turn.

use std::fmt;
use std::time::Duration;

/// Who an entry is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The assistant.
    Assistant,
    /// The callee.
    Customer,
}

impl Speaker {
    /// As transcripts name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Assistant => "Assistant",
            Self::Customer => "Customer",
        }
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Assistant, Self::Customer].into_iter().find(|speaker| speaker.as_str() == text)
    }
}

/// One turn of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptEntry {
    /// When the turn began, since the answer; whole milliseconds.
    pub at: Duration,
    /// Whose it is.
    pub who: Speaker,
    /// What was heard of it, or in brackets what was done, e.g. `[caller spoke, 2.3 s]`, `[pressed 1]`.
    pub text: String,
}

impl TranscriptEntry {
    /// Whether it is words, and not in brackets what was done, or nothing at all.
    pub fn is_words(&self) -> bool {
        let text = self.text.trim();
        !(text.is_empty() || text.starts_with('[') && text.ends_with(']'))
    }
}

/// `[mm:ss] Assistant: …`, one line.
impl fmt::Display for TranscriptEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.at.as_secs();
        write!(f, "[{:02}:{:02}] {}: ", seconds / 60, seconds % 60, self.who.as_str())?;
        // A turn is one line, whatever a model or a callee put into it.
        let mut words = self.text.split_whitespace();
        if let Some(first) = words.next() {
            f.write_str(first)?;
        }
        words.try_for_each(|word| write!(f, " {word}"))
    }
}

/// A transcript as plain text, one line a turn.
pub fn plain_text(transcript: &[TranscriptEntry]) -> String {
    transcript.iter().flat_map(|entry| [entry.to_string(), "\n".to_owned()]).collect()
}
