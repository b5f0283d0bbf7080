//! What was said and done on a call, as it happens and as a transcript.

use std::fmt;

use domain::audio::Digit;

use crate::moment::Millis;

/// Something said or done on the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The assistant begins a line: for a live display; [`Turn::AssistantSpoke`] follows, unless
    /// nothing of it was heard.
    AssistantBegins {
        /// When its first frame is played.
        at: Millis,
        /// The line's words.
        text: String,
    },
    /// The assistant said a line.
    AssistantSpoke {
        /// When its first frame was played.
        from: Millis,
        /// When its last frame was.
        to: Millis,
        /// The words that were heard: those of the whole line, or its beginning and `…`.
        text: String,
        /// Whether the rest of the line was dropped.
        interrupted: bool,
    },
    /// The callee spoke; what he said was not recognised.
    CustomerSpoke {
        /// His first word's beginning.
        from: Millis,
        /// His last word's end.
        to: Millis,
    },
    /// The callee pressed a key.
    CustomerPressed {
        /// When.
        at: Millis,
        /// Which.
        digit: Digit,
    },
}

/// Who an entry is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The assistant.
    Assistant,
    /// The callee.
    Customer,
}

/// One turn of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptEntry {
    /// When the turn began.
    pub at: Millis,
    /// Whose it is.
    pub who: Speaker,
    /// What was said, or in brackets what was done, e.g. `[caller spoke, 2.3 s]`, `[pressed 1]`.
    pub text: String,
}

/// `[mm:ss] Assistant: …`, one line.
impl fmt::Display for TranscriptEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = match self.who {
            Speaker::Assistant => "Assistant",
            Speaker::Customer => "Customer",
        };
        write!(f, "[{}] {who}: {}", self.at, self.text)
    }
}

/// The turns of a call in the order in which they began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    entries: Vec<TranscriptEntry>,
}

impl Transcript {
    /// Adds a turn; one that only begins is added when it is over.
    pub fn note(&mut self, turn: &Turn) {
        let (at, who, text) = match turn {
            Turn::AssistantBegins { .. } => return,
            Turn::AssistantSpoke { from, text, .. } => (*from, Speaker::Assistant, text.clone()),
            Turn::CustomerSpoke { from, to } => {
                (*from, Speaker::Customer, format!("[caller spoke, {:.1} s]", to.since(*from).as_secs_f64()))
            }
            Turn::CustomerPressed { at, digit } => {
                (*at, Speaker::Customer, format!("[pressed {}]", digit.as_char()))
            }
        };
        let place = self.entries.partition_point(|entry| entry.at <= at);
        self.entries.insert(place, TranscriptEntry { at, who, text });
    }

    /// The turns.
    pub fn entries(&self) -> &[TranscriptEntry] {
        &self.entries
    }
}

/// The beginning of a line of which so many frames were heard, in whole words and with `…`.
pub(crate) fn heard_part(text: &str, frames: usize, of: usize) -> String {
    if frames >= of {
        return text.to_owned();
    }
    let length = text.chars().count() * frames / of;
    let end = text.char_indices().nth(length).map_or(text.len(), |(index, _)| index);
    let (heard, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let whole = if rest.starts_with(char::is_whitespace) {
        heard
    } else {
        heard.rfind(char::is_whitespace).and_then(|space| heard.get(..space)).unwrap_or("")
    };
    format!("{}…", whole.trim_end())
}
