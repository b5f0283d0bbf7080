//! What the double does with a request.

use crate::gate::Gate;

/// A service of the double.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    /// `chat/completions`
    Chat,
    /// `audio/transcriptions`
    Transcription,
    /// `audio/speech`
    Speech,
}

impl Service {
    pub(crate) fn of(path: &str) -> Option<Self> {
        match path {
            "/v1/chat/completions" => Some(Self::Chat),
            "/v1/audio/transcriptions" => Some(Self::Transcription),
            "/v1/audio/speech" => Some(Self::Speech),
            _ => None,
        }
    }
}

/// What the double does with one request instead of answering it.
#[derive(Clone, Debug)]
pub enum Behaviour {
    /// Answers with a status and an error as the interface words it.
    Status(u16),
    /// The same, and says in how many seconds to come again.
    RetryAfter(u16, u64),
    /// Refuses the request with 400 and this message.
    Object(&'static str),
    /// Closes the connection instead of an answer.
    HangUp,
    /// Answers once the gate is open.
    Held(Gate),
    /// Says nothing at all.
    Mute,
    /// Answers, but closes the connection after so many bytes of the body.
    DropAfter(usize),
    /// Answers, but falls silent after so many bytes of the body.
    StallAfter(usize),
    /// Answers with this type and body.
    Raw(&'static str, Vec<u8>),
}
