//! A call between answer and end.

use std::time::Duration;

use domain::assistant::{Assistant, Engine};
use domain::audio::Digit;
use domain::call::EndedReason;
use domain::ids::CallId;
use domain::ports::AgentSpec;
use domain::variables::Variables;

use crate::beat::Beat;
use crate::floor::Floor;
use crate::moment::Millis;
use crate::opening::{self, Filling, Opening};
use crate::put::{Input, Output};
use crate::quiet::Quiet;
use crate::script::Recital;

/// A live call with an assistant.
#[derive(Debug)]
pub struct Conversation {
    max_duration: Duration,
    floor: Floor,
    engine: Option<Recital>,
    over: bool,
}

impl Conversation {
    /// Begins at the moment of the answer, which is [`Millis::ANSWER`].
    pub fn begin(opening: Opening<'_>) -> Self {
        let Opening { assistant, values, format } = opening;
        let filling = Filling::new(assistant, values);
        let notice = filling.notice(assistant);
        let mut floor = Floor::new(format, Quiet::new(assistant.limits));
        let engine = match &assistant.engine {
            Engine::Builtin(script) => Some(Recital::begin(&mut floor, script, &filling, notice)),
            Engine::Agent(_) => None,
        };
        let mut conversation =
            Self { max_duration: assistant.limits.max_duration, floor, engine, over: false };
        if conversation.engine.is_none() {
            conversation.end(EndedReason::AssistantError);
        }
        conversation
    }

    /// Every line of the built-in voice that may be said, the first one first, to be spoken ahead
    /// while it rings.
    pub fn lines(assistant: &Assistant, values: &Variables) -> Vec<String> {
        let filling = Filling::new(assistant, values);
        let notice = filling.notice(assistant);
        match opening::script(assistant) {
            Some(script) => Recital::lines(script, &filling, notice).into_texts(),
            None => Vec::new(),
        }
    }

    /// The session that the call needs, if its assistant is an agent.
    pub fn spec(assistant: &Assistant, values: &Variables, call: CallId) -> Option<AgentSpec> {
        opening::spec(assistant, values, call)
    }

    /// Whether speech and tones must be found in what is heard; else the agent alone finds them.
    pub fn needs_sound(assistant: &Assistant) -> bool {
        opening::needs_sound(assistant)
    }

    /// Takes an input; the outputs are drained afterwards.
    pub fn handle(&mut self, now: Millis, input: Input) {
        if self.over {
            return;
        }
        self.floor.now = self.floor.now.max(now);
        match input {
            Input::Over(reason) => self.end(reason),
            _ if self.floor.now.since(Millis::ANSWER) >= self.max_duration => {
                self.end(EndedReason::ExceededMaxDuration);
            }
            Input::Heard { speech, .. } => self.beat(speech),
            Input::Pressed(digit) => self.pressed(digit),
            Input::LineReady { line, audio } => self.floor.lines.ready(line, &audio, self.floor.format),
            Input::LineFailed { line } => self.floor.lines.failed(line),
            Input::Agent(_) | Input::Referred { .. } => {}
        }
    }

    /// The next thing to do, until there is nothing left.
    pub fn next_output(&mut self) -> Option<Output> {
        self.floor.next_output()
    }

    fn beat(&mut self, speech: bool) {
        let noticed = self.floor.hearing.hear(self.floor.now, speech);
        let beat = match &mut self.engine {
            Some(recital) => recital.beat(&mut self.floor, noticed),
            None => Beat::Silence,
        };
        match beat {
            Beat::Play(frame) => self.floor.put(Output::Play(frame)),
            Beat::Silence => self.floor.put(Output::Silence),
            Beat::End(reason) => self.end(reason),
        }
    }

    fn pressed(&mut self, digit: Digit) {
        if let Some(recital) = &mut self.engine {
            recital.pressed(&mut self.floor, digit);
        }
    }

    /// Closes the turns under way, and the conversation.
    fn end(&mut self, reason: EndedReason) {
        if let Some(recital) = &mut self.engine {
            recital.drop_line(&mut self.floor);
        }
        if let Some(utterance) = self.floor.hearing.stop() {
            self.floor.customer_spoke(utterance);
        }
        self.over = true;
        self.floor.put(Output::End(reason));
    }
}
