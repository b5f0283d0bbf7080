//! What a double is to be.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use domain::assistant::{Dialect, Language};
use parking_lot::Mutex;
use tokio_rustls::rustls::ServerConfig;

/// A part of what the double answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// It says this.
    Say(String),
    /// It says this with sound of its own, 8,000 samples a second.
    Sound(String, Arc<[i16]>),
    /// It uses a tool.
    Call {
        /// The tool.
        name: String,
        /// Its arguments, in JSON.
        arguments: String,
    },
}

impl Part {
    /// Words.
    pub fn say(text: &str) -> Self {
        Self::Say(text.to_owned())
    }

    /// A tool's use.
    pub fn call(name: &str, arguments: &str) -> Self {
        Self::Call { name: name.to_owned(), arguments: arguments.to_owned() }
    }
}

/// What the double answers, one after the other, over all connections; the last is said again and again.
#[derive(Clone, Debug)]
pub struct Replies(Arc<Mutex<VecDeque<Vec<Part>>>>);

impl Replies {
    /// These replies, each of some parts.
    pub fn new(replies: impl IntoIterator<Item = Vec<Part>>) -> Self {
        Self(Arc::new(Mutex::new(replies.into_iter().collect())))
    }

    /// These lines.
    pub fn lines(lines: &[&str]) -> Self {
        Self::new(lines.iter().map(|line| vec![Part::say(line)]))
    }

    pub(crate) fn next(&self) -> Vec<Part> {
        let mut replies = self.0.lock();
        if replies.len() > 1 {
            return replies.pop_front().unwrap_or_default();
        }
        replies.front().cloned().unwrap_or_default()
    }
}

/// What a turn says; none when that could not be understood.
pub type Listen = dyn Fn(&[i16]) -> Option<String> + Send + Sync;

/// Who writes down what was said.
#[derive(Clone)]
pub enum Recogniser {
    /// These words, turn by turn; none is a turn that could not be understood, as are all beyond the list.
    Script(Arc<Mutex<VecDeque<Option<String>>>>),
    /// Somebody who listens to the samples of a turn, 8,000 a second; may block.
    Ears(Arc<Listen>),
}

impl Recogniser {
    /// These words, turn by turn.
    pub fn script<'a>(turns: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        let turns = turns.into_iter().map(|turn| turn.map(str::to_owned)).collect();
        Self::Script(Arc::new(Mutex::new(turns)))
    }

    pub(crate) fn listen(&self, samples: &[i16]) -> Option<String> {
        match self {
            Self::Script(turns) => turns.lock().pop_front().flatten(),
            Self::Ears(listen) => listen(samples),
        }
    }
}

impl fmt::Debug for Recogniser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Script(_) => "Script",
            Self::Ears(_) => "Ears",
        })
    }
}

/// Sound on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing<'a> {
    /// It came from the client.
    Heard(&'a [u8]),
    /// It goes to the client next.
    Spoken(&'a [u8]),
}

/// Who watches sound pass: the number of the connection, and the sound.
#[derive(Clone)]
pub struct Watcher(pub Arc<dyn Fn(usize, Passing<'_>) + Send + Sync>);

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watcher")
    }
}

/// How one connection fails.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// It does not.
    #[default]
    None,
    /// It is refused at the handshake with this status.
    Refuse(u16),
    /// It is closed before the handshake.
    HangUp,
    /// The session is never confirmed.
    NeverReady,
    /// No response ever begins.
    Stall,
    /// The connection breaks in the middle of this response, the first being 1.
    DropInResponse(u32),
    /// Nothing is read, written or answered any more, from its first response on.
    Freeze,
    /// So many responses fail.
    Fail(u32),
    /// Each response ends early, as if its tokens were used up.
    Incomplete,
    /// It is closed with 1001 at this age, instead of after 60 minutes.
    Expire(Duration),
    /// It says that it is busy with a response that nobody asked for, once, and then ends that.
    Busy,
}

/// What a double is to be.
#[derive(Clone, Debug)]
pub struct Options {
    /// The key that it wants; any does when none is given.
    pub key: Option<String>,
    /// How it speaks the protocol, and what it insists on.
    pub dialect: Dialect,
    /// Whether it echoes and speaks `audio/pcm`, whatever it is asked for.
    pub pcm_only: bool,
    /// Whether its events have the names of the beta.
    pub beta_names: bool,
    /// Its voice.
    pub language: Language,
    /// What it answers.
    pub replies: Replies,
    /// Who writes down what is said to it.
    pub recogniser: Recogniser,
    /// How long after a turn its words come.
    pub transcript_after: Duration,
    /// How long it thinks before an answer begins.
    pub thinks: fn() -> Duration,
    /// How many times faster than real time it speaks; below 1 it is too slow.
    pub speed: f64,
    /// How its connections fail, in their order; further ones do not.
    pub faults: Vec<Fault>,
    /// Who watches sound as it passes, at that very moment.
    pub watcher: Option<Watcher>,
    /// TLS, if it is to be spoken.
    pub tls: Option<Arc<ServerConfig>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            key: None,
            dialect: Dialect::OpenAi,
            pcm_only: false,
            beta_names: false,
            language: Language::EnglishUnitedStates,
            replies: Replies::lines(&["How can I help you?"]),
            recogniser: Recogniser::script([]),
            transcript_after: Duration::ZERO,
            thinks: || Duration::ZERO,
            speed: 20.0,
            faults: Vec::new(),
            watcher: None,
            tls: None,
        }
    }
}

impl Options {
    pub(crate) fn watch(&self, connection: usize, passing: Passing<'_>) {
        if let Some(Watcher(watch)) = &self.watcher {
            watch(connection, passing);
        }
    }

    pub(crate) fn opens(&self, key: &str) -> bool {
        self.key.as_deref().is_none_or(|wanted| wanted == key)
    }
}
