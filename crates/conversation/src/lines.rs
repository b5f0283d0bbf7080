//! The lines of one call: their words, and their audio as it becomes ready.

use std::sync::Arc;
use std::time::Duration;

use domain::audio::{AudioFormat, Encoded, Frame};

/// A line that is due must be ready within this.
pub(crate) const LATEST_LINE: Duration = Duration::from_secs(5);

/// A line of the built-in voice, by its place in [`crate::Conversation::lines`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineId(pub usize);

/// How far a line's audio is.
#[derive(Clone, Debug)]
pub(crate) enum Audio {
    Unasked,
    Asked,
    Ready(Arc<[Frame]>),
    Failed,
}

#[derive(Debug, Default)]
pub(crate) struct Lines {
    lines: Vec<(String, Audio)>,
}

impl Lines {
    /// The line with these words, equal words once; none when there is nothing to say.
    pub(crate) fn add(&mut self, text: String) -> Option<LineId> {
        if text.trim().is_empty() {
            return None;
        }
        let known = self.lines.iter().position(|(known, _)| *known == text);
        Some(LineId(known.unwrap_or_else(|| {
            self.lines.push((text, Audio::Unasked));
            self.lines.len() - 1
        })))
    }

    /// Marks the line as asked for and answers its words, the first time only.
    pub(crate) fn ask(&mut self, line: LineId) -> Option<String> {
        let (text, audio) = self.lines.get_mut(line.0)?;
        if !matches!(audio, Audio::Unasked) {
            return None;
        }
        *audio = Audio::Asked;
        Some(text.clone())
    }

    /// Keeps a line's audio; in another format than the call's it is of no use.
    pub(crate) fn ready(&mut self, line: LineId, encoded: &Encoded, format: AudioFormat) {
        if let Some((_, audio)) = self.lines.get_mut(line.0) {
            let usable = encoded.format == format;
            *audio = if usable { Audio::Ready(Arc::clone(&encoded.frames)) } else { Audio::Failed };
        }
    }

    /// There will be no audio; one that came before stays.
    pub(crate) fn failed(&mut self, line: LineId) {
        if let Some((_, audio)) = self.lines.get_mut(line.0)
            && !matches!(audio, Audio::Ready(_))
        {
            *audio = Audio::Failed;
        }
    }

    pub(crate) fn audio(&self, line: LineId) -> &Audio {
        self.lines.get(line.0).map_or(&Audio::Failed, |(_, audio)| audio)
    }

    pub(crate) fn text(&self, line: LineId) -> &str {
        self.lines.get(line.0).map_or("", |(text, _)| text)
    }

    /// The words of all lines, in order.
    pub(crate) fn into_texts(self) -> Vec<String> {
        self.lines.into_iter().map(|(text, _)| text).collect()
    }
}
