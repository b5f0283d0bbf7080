//! Talking with an AI at the other end of a wire.

use std::task::{Context, Poll};
use std::time::Duration;

use crate::assistant::tool::ToolForm;
use crate::assistant::{Brain, Language};
use crate::audio::{AudioFormat, Frame};
use crate::ids::{CallId, TenantId};

/// Whom to open a session with, and what it is told; all texts are filled.
#[derive(Clone, Debug)]
pub struct AgentSpec {
    /// The call, for the log.
    pub call: CallId,
    /// Whose assistant it is: the operator's credentials are for some tenants alone.
    pub tenant: TenantId,
    /// The providers.
    pub brain: Brain,
    /// The task.
    pub instructions: String,
    /// The language of the call.
    pub language: Language,
    /// What the model may do besides speaking.
    pub tools: Vec<ToolForm>,
}

/// Somebody's turn of speech on the callee's side, in order from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnId(pub u64);

/// Something that the agent says, in order from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtteranceId(pub u64);

/// What an agent tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentEvent {
    /// The session stands; comes once, after [`AgentSession::begin`].
    Ready {
        /// Whether it tells [`AgentEvent::SpeechStarted`] and [`AgentEvent::SpeechStopped`] itself; else
        /// the turns are detected here and told by [`AgentOrder::TurnBegan`] and [`AgentOrder::TurnEnded`].
        detects_speech: bool,
    },
    /// The callee began to speak.
    SpeechStarted(TurnId),
    /// His turn is over.
    SpeechStopped(TurnId),
    /// What he said in a turn, empty when there were no words; it may come at any time after the turn.
    Recognised {
        /// The turn.
        turn: TurnId,
        /// His words.
        text: String,
    },
    /// More of what the agent says; utterances come one after the other.
    Audio {
        /// The utterance, which begins with its first audio.
        utterance: UtteranceId,
        /// Bytes of the call's format, of any number: faster than they are played, and in order.
        audio: Vec<u8>,
    },
    /// More words of what the agent says; they may come before or after their audio.
    Words {
        /// The utterance.
        utterance: UtteranceId,
        /// To be appended to what came before.
        text: String,
    },
    /// Nothing more comes of this utterance, neither audio nor words.
    UtteranceEnded(UtteranceId),
    /// The answer to an order is complete, whether it held an utterance, tools, or nothing. Each
    /// [`AgentOrder::Answer`], [`AgentOrder::Say`] and [`AgentOrder::Prompt`] comes to exactly one of
    /// these, in their order, also when its utterance was interrupted.
    Answered,
    /// The model uses a tool; [`AgentOrder::ToolResult`] is due.
    ToolCalled {
        /// The provider's name for this use.
        id: String,
        /// The tool's name.
        name: String,
        /// Its arguments in JSON, as the model wrote them.
        arguments: String,
    },
    /// The connection was lost and is back, with what was said so far; an answer under way is lost.
    /// No [`AgentEvent::Answered`] comes for earlier orders any more: what is still wanted is ordered
    /// again.
    Restored,
    /// The agent is lost for good; nothing follows.
    Broken {
        /// What happened.
        cause: AgentFailure,
    },
}

/// Why an agent is lost. The texts are for the log: without secrets, and without what was said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgentFailure {
    /// The key may not be sent to the provider, and was not.
    #[error("{0}")]
    Credential(String),
    /// Whatever else went wrong with the provider.
    #[error("{0}")]
    Provider(String),
}

impl AgentFailure {
    /// The same, of one of several services.
    #[must_use]
    pub fn of_service(self, service: &str) -> Self {
        match self {
            Self::Credential(cause) => Self::Credential(format!("{service}: {cause}")),
            Self::Provider(cause) => Self::Provider(format!("{service}: {cause}")),
        }
    }
}

impl From<String> for AgentFailure {
    fn from(cause: String) -> Self {
        Self::Provider(cause)
    }
}

impl From<&str> for AgentFailure {
    fn from(cause: &str) -> Self {
        Self::Provider(cause.to_owned())
    }
}

/// What an agent is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentOrder {
    /// A turn was detected here; its audio began about half a second ago.
    TurnBegan(TurnId),
    /// The turn is over: write down what was said, but do not answer yet.
    TurnEnded(TurnId),
    /// Answer what was said and done so far.
    Answer,
    /// Say exactly this.
    Say {
        /// The words.
        text: String,
    },
    /// Say something along this line, e.g. ask whether the callee is still there.
    Prompt {
        /// What to say, as an instruction.
        instruction: String,
    },
    /// Something to know of, that needs no answer by itself, e.g. `[pressed 1]`.
    Note {
        /// What happened.
        text: String,
    },
    /// Stop speaking: of this utterance only so much was heard.
    Interrupt {
        /// The utterance.
        utterance: UtteranceId,
        /// How much of its audio was played.
        heard: Duration,
        /// The words that were heard.
        text: String,
    },
    /// What became of a tool's use; an [`AgentOrder::Answer`] of its own lets the model go on.
    ToolResult {
        /// The provider's name for the use.
        id: String,
        /// What to tell the model.
        output: String,
    },
}

/// A session with an agent. It is polled by one task, and never makes it wait. Dropping it ends it.
pub trait AgentSession: Send {
    /// The next thing that it tells; after [`AgentEvent::Broken`] it must not be polled again.
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<AgentEvent>;

    /// The call was answered, and speaks this format both ways.
    fn begin(&mut self, format: AudioFormat);

    /// Lets it hear 20 ms of the callee; none is silence. Half a second waits at most, then the oldest
    /// is dropped.
    fn hear(&mut self, frame: Option<&Frame>);

    /// Tells it something. Orders are followed one after the other.
    fn order(&mut self, order: AgentOrder);
}

/// The AI engines.
pub trait VoiceAgent: Send + Sync {
    /// Begins to connect in the background, so that it is ready when the callee answers; how that went
    /// is the session's first event.
    fn open(&self, spec: AgentSpec) -> Box<dyn AgentSession>;
}
