//! What goes into a conversation, and what comes out of it.

use std::time::Duration;

use domain::audio::{Digit, Encoded, Frame};
use domain::call::{EndedReason, Fact};
use domain::number::E164;
use domain::ports::{AgentEvent, AgentOrder};

use crate::lines::LineId;
use crate::turn::Turn;

/// What happens to a conversation.
#[derive(Clone, Debug)]
pub enum Input {
    /// The 20 ms beat of the call, and what was heard in it.
    Heard {
        /// Whether someone spoke, where that [must be found].
        ///
        /// [must be found]: crate::Conversation::detects
        speech: bool,
        /// Whether it was one steady tone, where that must be found.
        tone: bool,
    },
    /// The callee pressed a key.
    Pressed(Digit),
    /// A line's audio.
    LineReady {
        /// The line that was asked for.
        line: LineId,
        /// Its audio, in the call's format.
        audio: Encoded,
    },
    /// A line could not be spoken.
    LineFailed {
        /// The line that was asked for.
        line: LineId,
    },
    /// The agent told something.
    Agent(AgentEvent),
    /// The handing over that was asked for by [`Output::Refer`] is settled.
    Referred {
        /// Whether the callee is connected to the target.
        connected: bool,
    },
    /// The call ended from outside, e.g. the callee hung up: the last turns and
    /// [`Output::End`] with this reason follow.
    Over(EndedReason),
}

/// What a conversation wants done.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Speak this line in the built-in voice; [`Input::LineReady`] or [`Input::LineFailed`] is the
    /// answer.
    Synthesise {
        /// The line.
        line: LineId,
        /// Its words.
        text: String,
    },
    /// Play this frame in this beat.
    Play(Frame),
    /// Play silence in this beat.
    Silence,
    /// Press this key towards the callee; silence follows for as long, and for a pause after it.
    Press {
        /// The key.
        digit: Digit,
        /// For how long.
        length: Duration,
    },
    /// Tell the agent.
    Agent(AgentOrder),
    /// Have the callee connected with this number; [`Input::Referred`] is the answer.
    Refer(E164),
    /// A turn for transcript and live display.
    Turn(Turn),
    /// Something that the call came to.
    Fact(Fact),
    /// The call is over, and why; nothing follows.
    End(EndedReason),
}
