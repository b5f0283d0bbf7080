//! Leaving a message with a machine.

use domain::call::{EndedReason, Fact};
use domain::ports::AgentOrder;

use super::asks::Purpose;
use super::{Broke, Dialogue, PARTING, tools};
use crate::floor::Floor;
use crate::moment::Millis;

/// What is left with a machine.
#[derive(Debug)]
pub(crate) struct Message {
    text: String,
    stage: Stage,
    /// Whether all that was said of it was heard; none while nothing was.
    whole: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    BeforeBeep,
    Ordered,
    Left(Millis),
}

impl Message {
    /// The words.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_before_beep(&self) -> bool {
        self.stage == Stage::BeforeBeep
    }

    /// Whether it was heard to its end.
    pub(crate) fn is_left(&self) -> bool {
        matches!(self.stage, Stage::Left(_))
    }

    /// An utterance of it is over.
    pub(super) fn was_said(&mut self, whole: bool) {
        self.whole = Some(whole && self.whole.unwrap_or(true));
    }
}

impl Dialogue {
    /// A machine answered: stops speaking, and waits for its beep to say this.
    pub(crate) fn leave(&mut self, floor: &mut Floor, text: String) {
        for one in self.uses.cancel_all() {
            tools::tell_pressed(floor, &one);
            tools::result(floor, one.id, tools::MACHINE);
        }
        self.interrupt(floor);
        self.release();
        self.owed = false;
        self.message = Some(Message { text, stage: Stage::BeforeBeep, whole: None });
        floor.await_beep();
    }

    /// The message that is being left, if a machine answered.
    pub(crate) fn message(&self) -> Option<&Message> {
        self.message.as_ref()
    }

    /// Whether the call is being handed over, so that nobody listens for machines any more.
    pub(crate) fn is_transferring(&self) -> bool {
        self.uses.is_transferring()
    }

    pub(super) fn leave_message(&mut self, floor: &mut Floor) -> Result<Option<EndedReason>, Broke> {
        let under_way = self.asks.has(Purpose::Message) || self.queue.has(Purpose::Message);
        let Some(message) = &mut self.message else { return Ok(None) };
        match message.stage {
            Stage::BeforeBeep if floor.machine_takes_message() => {
                message.stage = Stage::Ordered;
                let order = AgentOrder::Say { text: message.text.clone() };
                self.ask(floor, Purpose::Message, order);
            }
            Stage::Ordered if !under_way && message.whole == Some(true) => {
                message.stage = Stage::Left(floor.now);
                floor.fact(Fact::MessageLeft);
            }
            // It gave nothing, or too much to be kept: the built-in voice says it.
            Stage::Ordered if !under_way => return Err(Broke),
            Stage::Left(since) if floor.now.since(since) >= PARTING => {
                return Ok(Some(EndedReason::Voicemail));
            }
            Stage::BeforeBeep | Stage::Ordered | Stage::Left(_) => {}
        }
        Ok(None)
    }
}
