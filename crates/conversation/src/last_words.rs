//! The last words of the built-in voice: said to their end, whatever the callee does.

use std::sync::Arc;

use domain::call::{EndedReason, Fact};

use crate::beat::Beat;
use crate::floor::Floor;
use crate::hearing::Noticed;
use crate::lines::{Audio, LATEST_LINE, LineId};
use crate::moment::Millis;
use crate::playout::{Playout, Purpose};
use crate::script::PARTING_BEATS;
use crate::turn::Turn;

/// A line, and the end of the call.
#[derive(Debug)]
pub(crate) struct LastWords {
    line: Option<LineId>,
    stage: Stage,
    /// Since when the line is due.
    since: Millis,
    playout: Playout,
    parting: u8,
    reason: EndedReason,
    /// What it means that the line was heard to its end.
    then: Option<Fact>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The machine does not take messages yet.
    BeforeBeep,
    Due,
    Begun,
    Said,
}

impl LastWords {
    /// Takes leave, for this reason.
    pub(crate) fn farewell(floor: &mut Floor, words: String, reason: EndedReason) -> Self {
        Self::new(floor, words, Stage::Due, reason, None)
    }

    /// Leaves a message with a machine, after its beep unless that is over.
    pub(crate) fn message(floor: &mut Floor, words: String, beep_is_over: bool) -> Self {
        let stage = if beep_is_over { Stage::Due } else { Stage::BeforeBeep };
        Self::new(floor, words, stage, EndedReason::Voicemail, Some(Fact::MessageLeft))
    }

    fn new(floor: &mut Floor, words: String, stage: Stage, reason: EndedReason, then: Option<Fact>) -> Self {
        let line = floor.lines.add(words);
        if let Some(line) = line {
            floor.ask(line);
        }
        Self { line, stage, since: floor.now, playout: Playout::default(), parting: 0, reason, then }
    }

    pub(crate) fn beat(&mut self, floor: &mut Floor, noticed: Option<Noticed>) -> Beat {
        if let Some(Noticed::Stopped(utterance)) = noticed {
            floor.customer_spoke(utterance);
        }
        if let Some(played) = self.playout.take_finished() {
            floor.line_said(&played);
            self.stage = Stage::Said;
            if let Some(fact) = self.then.take() {
                floor.fact(fact);
            }
        }
        match self.stage {
            Stage::BeforeBeep if floor.machine_takes_message() => {
                self.stage = Stage::Due;
                self.since = floor.now;
                self.begin(floor)
            }
            Stage::BeforeBeep => Beat::Silence,
            Stage::Due => self.begin(floor),
            Stage::Begun => self.next_frame(floor),
            Stage::Said => {
                self.parting += 1;
                if self.parting > PARTING_BEATS { Beat::End(self.reason) } else { Beat::Silence }
            }
        }
    }

    fn begin(&mut self, floor: &mut Floor) -> Beat {
        let Some(line) = self.line else { return Beat::End(self.reason) };
        match floor.lines.audio(line) {
            Audio::Ready(frames) => {
                let frames = Arc::clone(frames);
                let text = floor.lines.text(line).to_owned();
                floor.turn(Turn::AssistantBegins { at: floor.now, text });
                self.playout.begin(floor.now, line, Purpose::Script, frames);
                self.stage = Stage::Begun;
                self.next_frame(floor)
            }
            Audio::Unasked | Audio::Asked if floor.now.since(self.since) < LATEST_LINE => Beat::Silence,
            Audio::Failed | Audio::Unasked | Audio::Asked => Beat::End(EndedReason::AssistantError),
        }
    }

    fn next_frame(&mut self, floor: &Floor) -> Beat {
        self.playout.next_frame(floor.now).map_or(Beat::Silence, Beat::Play)
    }

    /// The call is over: closes the turns under way.
    pub(crate) fn finish(&mut self, floor: &mut Floor) {
        if let Some(played) = self.playout.flush() {
            floor.line_said(&played);
        }
        floor.stop_hearing();
    }
}
