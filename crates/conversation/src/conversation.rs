//! A call between answer and end.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use domain::assistant::{CallLimits, Script};
use domain::audio::{AudioFormat, Digit, Encoded, Frame};
use domain::call::EndedReason;
use domain::variables::Variables;

use crate::guide::{Guide, Keyed};
use crate::hearing::{Hearing, Noticed, Utterance};
use crate::lines::{Audio, LineId, Lines};
use crate::moment::Millis;
use crate::playout::{LONGEST_HOLD, Played, Playout, Purpose};
use crate::quiet::Quiet;
use crate::turn::{Turn, heard_part};

/// What the callee begins to say within so much of the first message is his greeting.
const GREETING: Duration = Duration::from_secs(1);
/// An answer may come when no more than this is left of the question.
const OVERLAP: Duration = Duration::from_secs(1);
/// A line that is due must be ready within this.
const LATEST_LINE: Duration = Duration::from_secs(5);
/// Beats of silence between the last word and hanging up, so that the last word is heard.
const PARTING_BEATS: u8 = 10;

/// What happens to a conversation.
#[derive(Clone, Debug)]
pub enum Input {
    /// The 20 ms beat of the call, and whether someone spoke in what was heard.
    Heard {
        /// Whether someone spoke.
        speech: bool,
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
    /// The call ended from outside, e.g. the callee hung up: the last turns and
    /// [`Output::End`] with this reason follow.
    Over(EndedReason),
}

/// What a conversation wants done.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Speak this line; [`Input::LineReady`] or [`Input::LineFailed`] is the answer.
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
    /// A turn for transcript and live display.
    Turn(Turn),
    /// The call is over, and why; nothing follows.
    End(EndedReason),
}

/// A live call with the built-in assistant.
#[derive(Debug)]
pub struct Conversation {
    format: AudioFormat,
    max_duration: Duration,
    now: Millis,
    hearing: Hearing,
    playout: Playout,
    quiet: Quiet,
    lines: Lines,
    guide: Guide,
    /// Lines of the script that wait for their turn: at most a reply and the closing line.
    due: VecDeque<LineId>,
    due_since: Millis,
    /// The script's line that was said last, to be repeated.
    last_said: Option<LineId>,
    /// A turn of the callee's that began earlier is no answer.
    answers_from: Millis,
    parting: u8,
    over: bool,
    outputs: VecDeque<Output>,
}

impl Conversation {
    /// Begins at the moment of the answer, which is [`Millis::ANSWER`].
    pub fn begin(script: &Script, values: &Variables, limits: CallLimits, format: AudioFormat) -> Self {
        let mut lines = Lines::default();
        let guide = Guide::new(script, values, &mut lines);
        let mut conversation = Self {
            format,
            max_duration: limits.max_duration,
            now: Millis::ANSWER,
            hearing: Hearing::default(),
            playout: Playout::default(),
            quiet: Quiet::new(limits),
            lines,
            guide,
            due: VecDeque::with_capacity(4),
            due_since: Millis::ANSWER,
            last_said: None,
            answers_from: Millis::ANSWER,
            parting: 0,
            over: false,
            outputs: VecDeque::with_capacity(16),
        };
        let first = conversation.guide.first();
        conversation.say_next(first);
        conversation
    }

    /// Every line that may be said, the first one first, to be spoken ahead while it rings.
    pub fn lines(script: &Script, values: &Variables) -> Vec<String> {
        let mut lines = Lines::default();
        Guide::new(script, values, &mut lines);
        lines.into_texts()
    }

    /// Takes an input; the outputs are drained afterwards.
    pub fn handle(&mut self, now: Millis, input: Input) {
        if self.over {
            return;
        }
        self.now = self.now.max(now);
        match input {
            Input::Over(reason) => self.end(reason),
            _ if self.now.since(Millis::ANSWER) >= self.max_duration => {
                self.end(EndedReason::ExceededMaxDuration);
            }
            Input::Heard { speech } => self.beat(speech),
            Input::Pressed(digit) => self.pressed(digit),
            Input::LineReady { line, audio } => self.lines.ready(line, &audio, self.format),
            Input::LineFailed { line } => self.lines.failed(line),
        }
    }

    /// The next thing to do, until there is nothing left.
    pub fn next_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn beat(&mut self, speech: bool) {
        match self.hearing.hear(self.now, speech) {
            // An answer may overlap with the last words of its question.
            Some(Noticed::Speaking(from)) if self.playout.rest() <= OVERLAP && self.may_answer(from) => {
                self.drop_line();
            }
            Some(Noticed::Speaking(_)) => self.playout.hold(self.now),
            Some(Noticed::Insisting(from)) if self.may_answer(from) => self.drop_line(),
            Some(Noticed::Insisting(_)) | None => {}
            Some(Noticed::Stopped(utterance)) => self.turn_ended(utterance),
        }
        if let Some(played) = self.playout.take_finished() {
            self.line_said(played);
        }
        if let Some(reason) = self.advance() {
            self.end(reason);
            return;
        }
        let frame = self.playout.next_frame(self.now);
        self.outputs.push_back(frame.map_or(Output::Silence, Output::Play));
    }

    /// Begins what is due, asks again, or ends the call when it is time.
    fn advance(&mut self) -> Option<EndedReason> {
        if self.playout.is_busy() {
            return None;
        }
        if let Some(&line) = self.due.front() {
            return self.begin_due(line);
        }
        if self.guide.is_over() {
            self.parting += 1;
            return (self.parting > PARTING_BEATS).then_some(EndedReason::AssistantEndedCall);
        }
        if self.hearing.is_speaking() {
            return None;
        }
        if self.quiet.is_over_limit(self.now) {
            return Some(EndedReason::SilenceTimedOut);
        }
        if self.guide.is_waiting() && !self.hearing.is_sounding() && self.quiet.wants_reprompt(self.now) {
            return self.ask_again();
        }
        None
    }

    fn begin_due(&mut self, line: LineId) -> Option<EndedReason> {
        let waited = self.now.since(self.due_since);
        match self.lines.audio(line) {
            Audio::Ready(_) if self.hearing.is_sounding() && waited < LONGEST_HOLD => None,
            Audio::Ready(frames) => {
                let frames = Arc::clone(frames);
                let greeting = if self.last_said.is_none() { GREETING } else { Duration::ZERO };
                self.answers_from = self.now + greeting;
                self.last_said = Some(line);
                self.due.pop_front();
                self.due_since = self.now;
                self.begin_line(line, Purpose::Script, frames);
                None
            }
            Audio::Failed => Some(EndedReason::AssistantError),
            Audio::Unasked | Audio::Asked => (waited >= LATEST_LINE).then_some(EndedReason::AssistantError),
        }
    }

    /// Asks again with words that are ready and end before the silence limit.
    fn ask_again(&mut self) -> Option<EndedReason> {
        let line = self.guide.reprompt().or(self.last_said)?;
        match self.lines.audio(line) {
            Audio::Ready(frames) => {
                let frames = Arc::clone(frames);
                let length = Encoded { format: self.format, frames: Arc::clone(&frames) }.length();
                if self.quiet.has_room_for(self.now, length) {
                    self.guide.forget_keys();
                    self.begin_line(line, Purpose::Reprompt, frames);
                }
                None
            }
            Audio::Failed => Some(EndedReason::AssistantError),
            Audio::Unasked | Audio::Asked => None,
        }
    }

    fn begin_line(&mut self, line: LineId, purpose: Purpose, frames: Arc<[Frame]>) {
        let text = self.lines.text(line).to_owned();
        self.outputs.push_back(Output::Turn(Turn::AssistantBegins { at: self.now, text }));
        self.playout.begin(self.now, line, purpose, frames);
    }

    /// A turn of speech is over: the line goes on, or the step is answered.
    fn turn_ended(&mut self, utterance: Utterance) {
        self.customer_spoke(utterance);
        self.playout.release();
        if !self.playout.is_busy() && self.may_answer(utterance.from) {
            let reply = self.guide.spoke();
            self.say_next(reply);
        }
    }

    /// Whether speech since then may be an answer to what was asked.
    fn may_answer(&self, from: Millis) -> bool {
        self.guide.takes_speech() && self.due.is_empty() && from >= self.answers_from
    }

    fn pressed(&mut self, digit: Digit) {
        self.quiet.broken(self.now);
        self.outputs.push_back(Output::Turn(Turn::CustomerPressed { at: self.now, digit }));
        match self.guide.pressed(digit) {
            Keyed::Unawaited => {}
            Keyed::More => {
                self.due.clear();
                self.drop_line();
            }
            Keyed::Answered(reply) => {
                self.due.clear();
                self.drop_line();
                self.say_next(reply);
            }
        }
    }

    /// Makes this line due, and the closing line after the last step's.
    fn say_next(&mut self, line: Option<LineId>) {
        self.due.extend(line);
        if self.guide.is_over() {
            self.due.extend(self.guide.closing());
        }
        self.due_since = self.now;
        self.answers_from = self.now;
        self.quiet.broken(self.now);
        let Self { lines, outputs, guide, due, .. } = self;
        let soon = due.iter().copied().chain(guide.soon()).chain(guide.reprompt());
        outputs.extend(soon.filter_map(|line| Some(Output::Synthesise { line, text: lines.ask(line)? })));
    }

    fn drop_line(&mut self) {
        if let Some(played) = self.playout.flush() {
            self.line_said(played);
        }
    }

    fn line_said(&mut self, played: Played) {
        match played.purpose {
            Purpose::Script => self.quiet.broken(self.now),
            Purpose::Reprompt => self.quiet.asked(self.now),
        }
        self.due_since = self.now;
        // A first message shorter than a greeting is answered from its end on.
        self.answers_from = self.answers_from.min(self.now);
        if played.frames == 0 {
            return;
        }
        let interrupted = played.frames < played.of;
        let text = heard_part(self.lines.text(played.line), played.frames, played.of);
        let turn = Turn::AssistantSpoke { from: played.began, to: self.now, text, interrupted };
        self.outputs.push_back(Output::Turn(turn));
    }

    fn customer_spoke(&mut self, Utterance { from, to }: Utterance) {
        self.quiet.broken(to);
        self.outputs.push_back(Output::Turn(Turn::CustomerSpoke { from, to }));
    }

    /// Closes the turns under way, and the conversation.
    fn end(&mut self, reason: EndedReason) {
        self.drop_line();
        if let Some(utterance) = self.hearing.stop() {
            self.customer_spoke(utterance);
        }
        self.over = true;
        self.outputs.push_back(Output::End(reason));
    }
}
