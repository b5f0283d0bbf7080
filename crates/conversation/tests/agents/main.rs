//! Calls with an agent: who speaks when, and what the agent is told.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it means"
)]

mod ends;
mod opening;
#[path = "../stage/mod.rs"]
mod stage;
mod turns;

use domain::ports::{AgentEvent, TurnId};
use stage::Stage;
use stage::agent::{FIRST, agent};

/// A call whose first message of 3 s has been heard.
pub(crate) fn greeted(detects: bool) -> Stage {
    let mut stage = Stage::agent(&agent(Some(FIRST)), detects);
    stage.say(0, FIRST, 3000);
    stage.silence(3100);
    stage
}

/// The agent answers its order with this, for so long.
pub(crate) fn answering(detects: bool, text: &str, ms: usize) -> Stage {
    let mut stage = greeted(detects);
    stage.speech(800);
    if detects {
        stage.tell(AgentEvent::SpeechStarted(TurnId(0)));
        stage.silence(600);
        stage.tell(AgentEvent::SpeechStopped(TurnId(0)));
    } else {
        stage.silence(500);
    }
    stage.recognise(0, "I need a bed.");
    stage.say(1, text, ms);
    stage
}
