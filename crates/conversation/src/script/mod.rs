//! Talking by a script: what is due, what is being said, and what answers it.

mod guide;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use domain::assistant::Script;
use domain::audio::{Digit, Encoded, Frame};
use domain::call::EndedReason;

use crate::beat::Beat;
use crate::floor::Floor;
use crate::hearing::{Noticed, Utterance};
use crate::lines::{Audio, LATEST_LINE, LineId, Lines};
use crate::moment::Millis;
use crate::opening::Wording;
use crate::playout::{LONGEST_HOLD, Played, Playout, Purpose};
use crate::turn::Turn;
use guide::{Guide, Keyed};

/// What the callee begins to say within so much of the first message is his greeting.
const GREETING: Duration = Duration::from_secs(1);
/// An answer may come when no more than this is left of the question.
const OVERLAP: Duration = Duration::from_secs(1);
/// Beats of silence between the last word and hanging up, so that the last word is heard.
pub(crate) const PARTING_BEATS: u8 = 10;

/// A script on its way.
#[derive(Debug)]
pub(crate) struct Recital {
    playout: Playout,
    guide: Guide,
    /// It is said to its end, whatever the callee does.
    notice: Option<LineId>,
    /// Lines of the script that wait for their turn: at most a notice, a reply and the closing line.
    due: VecDeque<LineId>,
    due_since: Millis,
    /// The script's line that was said last, to be repeated.
    last_said: Option<LineId>,
    /// A turn of the callee's that began earlier is no answer.
    answers_from: Millis,
    parting: u8,
}

impl Recital {
    /// Begins with the notice, if there is one, and the first message.
    pub(crate) fn begin(
        floor: &mut Floor,
        script: &Script,
        wording: Wording<'_>,
        notice: Option<String>,
    ) -> Self {
        let notice = notice.and_then(|words| floor.lines.add(words));
        let guide = Guide::new(script, wording, &mut floor.lines);
        let mut recital = Self {
            playout: Playout::default(),
            guide,
            notice,
            due: VecDeque::with_capacity(4),
            due_since: Millis::ANSWER,
            last_said: None,
            answers_from: Millis::ANSWER,
            parting: 0,
        };
        recital.due.extend(notice);
        let first = recital.guide.first();
        recital.say_next(floor, first);
        recital
    }

    /// Every line that may be said, the first one first.
    pub(crate) fn lines(script: &Script, wording: Wording<'_>, notice: Option<String>) -> Lines {
        let mut lines = Lines::default();
        if let Some(words) = notice {
            lines.add(words);
        }
        Guide::new(script, wording, &mut lines);
        lines
    }

    /// The beat that ends now, and what was noticed in it.
    pub(crate) fn beat(&mut self, floor: &mut Floor, noticed: Option<Noticed>) -> Beat {
        match noticed {
            // An answer may overlap with the last words of its question.
            Some(Noticed::Speaking(from)) if self.playout.rest() <= OVERLAP && self.may_answer(from) => {
                self.drop_line(floor);
            }
            Some(Noticed::Speaking(_)) => self.playout.hold(floor.now),
            Some(Noticed::Insisting(from)) if self.may_answer(from) => self.drop_line(floor),
            Some(Noticed::Insisting(_)) | None => {}
            Some(Noticed::Stopped(utterance)) => self.turn_ended(floor, utterance),
        }
        if let Some(played) = self.playout.take_finished() {
            self.line_said(floor, played);
        }
        match self.advance(floor) {
            Some(reason) => Beat::End(reason),
            None => self.playout.next_frame(floor.now).map_or(Beat::Silence, Beat::Play),
        }
    }

    /// Begins what is due, asks again, or ends the call when it is time.
    fn advance(&mut self, floor: &mut Floor) -> Option<EndedReason> {
        if self.playout.is_busy() {
            return None;
        }
        if let Some(&line) = self.due.front() {
            return self.begin_due(floor, line);
        }
        if self.guide.is_over() {
            self.parting += 1;
            return (self.parting > PARTING_BEATS).then_some(EndedReason::AssistantEndedCall);
        }
        if floor.hearing.is_speaking() {
            return None;
        }
        if floor.quiet.is_over_limit(floor.now) {
            return Some(EndedReason::SilenceTimedOut);
        }
        let asks = self.guide.is_waiting() && !floor.hearing.is_sounding();
        if asks && floor.quiet.wants_reprompt(floor.now) {
            return self.ask_again(floor);
        }
        None
    }

    fn begin_due(&mut self, floor: &mut Floor, line: LineId) -> Option<EndedReason> {
        let waited = floor.now.since(self.due_since);
        match floor.lines.audio(line) {
            Audio::Ready(_) if floor.hearing.is_sounding() && waited < LONGEST_HOLD => None,
            Audio::Ready(frames) => {
                let frames = Arc::clone(frames);
                let greeting = if self.last_said.is_none() { GREETING } else { Duration::ZERO };
                self.answers_from = floor.now + greeting;
                self.last_said = Some(line);
                self.due.pop_front();
                self.due_since = floor.now;
                self.begin_line(floor, line, Purpose::Script, frames);
                None
            }
            Audio::Failed => Some(EndedReason::AssistantError),
            Audio::Unasked | Audio::Asked => (waited >= LATEST_LINE).then_some(EndedReason::AssistantError),
        }
    }

    /// Asks again with words that are ready and end before the silence limit.
    fn ask_again(&mut self, floor: &mut Floor) -> Option<EndedReason> {
        let line = self.guide.reprompt().or(self.last_said)?;
        match floor.lines.audio(line) {
            Audio::Ready(frames) => {
                let frames = Arc::clone(frames);
                let length = Encoded { format: floor.format, frames: Arc::clone(&frames) }.length();
                if floor.quiet.has_room_for(floor.now, length) {
                    self.guide.forget_keys();
                    self.begin_line(floor, line, Purpose::Reprompt, frames);
                }
                None
            }
            Audio::Failed => Some(EndedReason::AssistantError),
            Audio::Unasked | Audio::Asked => None,
        }
    }

    fn begin_line(&mut self, floor: &mut Floor, line: LineId, purpose: Purpose, frames: Arc<[Frame]>) {
        let text = floor.lines.text(line).to_owned();
        floor.turn(Turn::AssistantBegins { at: floor.now, text });
        self.playout.begin(floor.now, line, purpose, frames);
    }

    /// A turn of speech is over: the line goes on, or the step is answered.
    fn turn_ended(&mut self, floor: &mut Floor, utterance: Utterance) {
        floor.customer_spoke(utterance);
        self.playout.release();
        if !self.playout.is_busy() && self.may_answer(utterance.from) {
            let reply = self.guide.spoke();
            self.say_next(floor, reply);
        }
    }

    /// Whether speech since then may be an answer to what was asked.
    fn may_answer(&self, from: Millis) -> bool {
        self.guide.takes_speech() && self.due.is_empty() && from >= self.answers_from
    }

    pub(crate) fn pressed(&mut self, floor: &mut Floor, digit: Digit) {
        floor.customer_pressed(digit);
        match self.guide.pressed(digit) {
            Keyed::Unawaited => {}
            Keyed::More => self.drop_question(floor),
            Keyed::Answered(reply) => {
                self.drop_question(floor);
                self.say_next(floor, reply);
            }
        }
    }

    /// A key answers what was asked, or is about to be.
    fn drop_question(&mut self, floor: &mut Floor) {
        let notice = self.notice;
        self.due.retain(|line| Some(*line) == notice);
        if self.playout.line().is_none_or(|line| Some(line) != notice) {
            self.drop_line(floor);
        }
    }

    /// Makes this line due, and the closing line after the last step's.
    fn say_next(&mut self, floor: &mut Floor, line: Option<LineId>) {
        self.due.extend(line);
        if self.guide.is_over() {
            self.due.extend(self.guide.closing());
        }
        self.due_since = floor.now;
        self.answers_from = floor.now;
        floor.quiet.broken(floor.now);
        let soon = self.due.iter().copied().chain(self.guide.soon()).chain(self.guide.reprompt());
        soon.for_each(|line| floor.ask(line));
    }

    /// The call is over: closes the turns under way.
    pub(crate) fn finish(&mut self, floor: &mut Floor) {
        self.drop_line(floor);
        floor.stop_hearing();
    }

    /// Stops speaking.
    pub(crate) fn drop_line(&mut self, floor: &mut Floor) {
        if let Some(played) = self.playout.flush() {
            self.line_said(floor, played);
        }
    }

    fn line_said(&mut self, floor: &mut Floor, played: Played) {
        match played.purpose {
            Purpose::Script => floor.quiet.broken(floor.now),
            Purpose::Reprompt => floor.quiet.asked(floor.now),
        }
        self.due_since = floor.now;
        // A first message shorter than a greeting is answered from its end on.
        self.answers_from = self.answers_from.min(floor.now);
        floor.line_said(&played);
    }
}
