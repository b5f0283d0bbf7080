//! What was said and done on a call, as it happens and for the transcript.

use std::time::Duration;

use domain::audio::Digit;
use domain::call::{Speaker, TranscriptEntry};

use crate::moment::Millis;

/// Something said or done on the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The assistant begins to speak: for a live display; [`Turn::AssistantSpoke`] follows, unless
    /// nothing of it was heard.
    AssistantBegins {
        /// When its first frame is played.
        at: Millis,
        /// The words, as far as they are known.
        text: String,
    },
    /// The assistant spoke.
    AssistantSpoke {
        /// When its first frame was played.
        from: Millis,
        /// When its last frame was.
        to: Millis,
        /// The words that were heard: all of them, or their beginning and `…`.
        text: String,
        /// Whether the rest was dropped.
        interrupted: bool,
    },
    /// The callee spoke. With an agent this comes when his words are known, which may be late, or
    /// at the end of the call.
    CustomerSpoke {
        /// His first word's beginning.
        from: Millis,
        /// His last word's end.
        to: Millis,
        /// His words; none when they were not recognised.
        text: Option<String>,
    },
    /// The callee pressed a key.
    CustomerPressed {
        /// When.
        at: Millis,
        /// Which.
        digit: Digit,
    },
    /// The assistant pressed keys.
    AssistantPressed {
        /// When the first was pressed.
        at: Millis,
        /// Which.
        keys: String,
    },
}

impl Turn {
    /// The turn as a transcript shows it; a transcript orders its turns by their beginning. None for
    /// a turn that only begins.
    pub fn entry(&self) -> Option<TranscriptEntry> {
        let (at, who, text) = match self {
            Self::AssistantBegins { .. } => return None,
            Self::AssistantSpoke { from, text, .. } => (from, Speaker::Assistant, text.clone()),
            Self::CustomerSpoke { from, text: Some(text), .. } => (from, Speaker::Customer, text.clone()),
            Self::CustomerSpoke { from, to, text: None } => {
                let seconds = to.since(*from).as_secs_f64();
                (from, Speaker::Customer, format!("[caller spoke, {seconds:.1} s]"))
            }
            Self::CustomerPressed { at, digit } => {
                (at, Speaker::Customer, format!("[pressed {}]", digit.as_char()))
            }
            Self::AssistantPressed { at, keys } => (at, Speaker::Assistant, format!("[pressed {keys}]")),
        };
        Some(TranscriptEntry { at: Duration::from_millis(at.0), who, text })
    }
}

/// The beginning of words of which so many parts were heard, in whole words and with `…`.
pub(crate) fn heard_part(text: &str, heard: usize, of: usize) -> String {
    if heard >= of {
        return text.to_owned();
    }
    let length = text.chars().count() * heard / of;
    let end = text.char_indices().nth(length).map_or(text.len(), |(index, _)| index);
    let (heard, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let whole = if rest.starts_with(char::is_whitespace) {
        heard
    } else {
        heard.rfind(char::is_whitespace).and_then(|space| heard.get(..space)).unwrap_or("")
    };
    format!("{}…", whole.trim_end())
}
