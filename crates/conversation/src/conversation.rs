//! A call between answer and end.

use std::time::Duration;

use domain::assistant::filling::Filling;
use domain::assistant::{Assistant, Engine, OnVoicemail};
use domain::audio::Digit;
use domain::call::{EndedReason, Fact};
use domain::ids::CallId;
use domain::ports::{AgentEvent, AgentFailure, AgentSpec, Detects};

use crate::agent::{Broke, Dialogue};
use crate::beat::Beat;
use crate::floor::Floor;
use crate::last_words::LastWords;
use crate::moment::Millis;
use crate::opening::{self, Opening, Wording};
use crate::put::{Input, Output};
use crate::quiet::Quiet;
use crate::script::Recital;
use crate::voicemail::Voicemail;

/// A live call with an assistant.
#[derive(Debug)]
pub struct Conversation {
    max_duration: Duration,
    voicemail: Option<OnVoicemail>,
    /// What the built-in voice says when the agent is lost.
    fallback: String,
    floor: Floor,
    talk: Talk,
    over: bool,
}

/// Who talks.
#[derive(Debug)]
enum Talk {
    Script(Box<Recital>),
    Agent(Box<Dialogue>),
    LastWords(LastWords),
}

impl Conversation {
    /// Begins at the moment of the answer, which is [`Millis::ANSWER`].
    pub fn begin(opening: Opening<'_>) -> Self {
        let Opening { assistant, filling, format } = opening;
        let wording = Wording(filling);
        let notice = wording.notice(assistant);
        let voicemail = wording.voicemail(assistant);
        let looking = Voicemail::new(voicemail.is_some());
        let mut floor = Floor::new(format, Quiet::new(assistant.limits), looking);
        let talk = match &assistant.engine {
            Engine::Builtin(script) => {
                Talk::Script(Box::new(Recital::begin(&mut floor, script, wording, notice)))
            }
            Engine::Agent(agent) => Talk::Agent(Box::new(Dialogue::begin(agent, wording, notice))),
        };
        let fallback = wording.fallback(assistant);
        let max_duration = assistant.limits.max_duration;
        Self { max_duration, voicemail, fallback, floor, talk, over: false }
    }

    /// Every line of the built-in voice that may be said, those that are needed first at the
    /// beginning, to be spoken ahead while it rings.
    pub fn lines(assistant: &Assistant, filling: &Filling) -> Vec<String> {
        opening::lines(assistant, filling)
    }

    /// The session that the call needs, if its assistant is an agent.
    pub fn spec(assistant: &Assistant, filling: &Filling, call: CallId) -> Option<AgentSpec> {
        opening::spec(assistant, filling, call)
    }

    /// What must be found in the sound that is heard; an agent may hear speech itself.
    pub fn detects(assistant: &Assistant) -> Detects {
        opening::detects(assistant)
    }

    /// Takes an input; the outputs are drained afterwards.
    pub fn handle(&mut self, now: Millis, input: Input) {
        if self.over {
            return;
        }
        self.floor.now = self.floor.now.max(now);
        match input {
            Input::Over(reason) => return self.end(reason),
            _ if self.floor.now.since(Millis::ANSWER) >= self.max_duration => {
                return self.end(EndedReason::ExceededMaxDuration);
            }
            Input::Heard { speech, tone } => return self.beat(speech, tone),
            Input::Pressed(digit) => self.pressed(digit),
            Input::LineReady { line, audio } => self.floor.lines.ready(line, &audio, self.floor.format),
            Input::LineFailed { line } => self.floor.lines.failed(line),
            Input::Agent(event) => self.told(event),
            Input::Referred { connected } => self.referred(connected),
        }
        self.mind_machine();
    }

    /// The next thing to do, until there is nothing left.
    pub fn next_output(&mut self) -> Option<Output> {
        self.floor.next_output()
    }

    fn beat(&mut self, speech: bool, tone: bool) {
        let noticed = self.floor.hear(speech, tone);
        self.mind_machine();
        if self.over {
            return;
        }
        let floor = &mut self.floor;
        let beat = match &mut self.talk {
            Talk::Script(recital) => Ok(recital.beat(floor, noticed)),
            Talk::Agent(dialogue) => dialogue.beat(floor, noticed),
            Talk::LastWords(words) => Ok(words.beat(floor, noticed)),
        };
        match beat {
            Ok(Beat::Play(frame)) => self.floor.put(Output::Play(frame)),
            Ok(Beat::Silence) => self.floor.put(Output::Silence),
            Ok(Beat::End(reason)) => self.end(reason),
            Err(Broke) => {
                self.agent_broke();
                self.floor.put(Output::Silence);
            }
        }
    }

    fn pressed(&mut self, digit: Digit) {
        match &mut self.talk {
            Talk::Script(recital) => recital.pressed(&mut self.floor, digit),
            Talk::Agent(dialogue) => dialogue.pressed(&mut self.floor, digit),
            Talk::LastWords(_) => self.floor.customer_pressed(digit),
        }
        self.go_on();
    }

    fn told(&mut self, event: AgentEvent) {
        if let AgentEvent::Broken { cause: AgentFailure::Credential(_) } = &event {
            self.floor.fact(Fact::CredentialRefused);
        }
        match (&mut self.talk, event) {
            (Talk::Agent(dialogue), event) => match dialogue.told(&mut self.floor, event) {
                Ok(()) => self.go_on(),
                Err(Broke) => self.agent_broke(),
            },
            // What was said before the agent was lost still belongs into the transcript.
            (_, AgentEvent::Recognised { turn, text }) => {
                self.floor.recognised(turn, &text);
            }
            _ => {}
        }
    }

    fn referred(&mut self, connected: bool) {
        let Talk::Agent(dialogue) = &mut self.talk else { return };
        match dialogue.referred(&mut self.floor, connected) {
            Some(reason) => self.end(reason),
            None => self.go_on(),
        }
    }

    fn go_on(&mut self) {
        let Talk::Agent(dialogue) = &mut self.talk else { return };
        match dialogue.go_on(&mut self.floor) {
            Ok(None) => {}
            Ok(Some(reason)) => self.end(reason),
            Err(Broke) => self.agent_broke(),
        }
    }

    /// The built-in voice takes over, for a last line.
    fn agent_broke(&mut self) {
        let Talk::Agent(dialogue) = &mut self.talk else { return };
        let floor = &mut self.floor;
        floor.lose_agent();
        floor.fact(Fact::AssistantBroke);
        dialogue.finish(floor);
        let words = match dialogue.message() {
            Some(message) if message.is_left() => return self.end(EndedReason::Voicemail),
            Some(message) => LastWords::message(floor, message.text().to_owned(), !message.is_before_beep()),
            None => {
                LastWords::farewell(floor, std::mem::take(&mut self.fallback), EndedReason::AssistantError)
            }
        };
        self.talk = Talk::LastWords(words);
    }

    /// Does what is to be done when a machine was found.
    fn mind_machine(&mut self) {
        if self.over || !self.floor.voicemail.take_found() {
            return;
        }
        let deaf = match &self.talk {
            Talk::Script(_) => false,
            Talk::Agent(dialogue) => dialogue.is_transferring(),
            Talk::LastWords(_) => true,
        };
        if deaf {
            return;
        }
        let Some(deed) = self.voicemail.take() else { return };
        self.floor.fact(Fact::MachineAnswered);
        let text = match deed {
            OnVoicemail::HangUp => return self.end(EndedReason::Voicemail),
            OnVoicemail::LeaveMessage(text) => text,
        };
        self.floor.await_beep();
        match &mut self.talk {
            Talk::Script(recital) => {
                recital.drop_line(&mut self.floor);
                self.talk = Talk::LastWords(LastWords::message(&mut self.floor, text, false));
            }
            Talk::Agent(dialogue) => {
                dialogue.leave(&mut self.floor, text);
                self.go_on();
            }
            Talk::LastWords(_) => {}
        }
    }

    /// Closes the turns under way, and the conversation.
    fn end(&mut self, reason: EndedReason) {
        let floor = &mut self.floor;
        match &mut self.talk {
            Talk::Script(recital) => recital.finish(floor),
            Talk::Agent(dialogue) => dialogue.finish(floor),
            Talk::LastWords(words) => words.finish(floor),
        }
        floor.tell_waiting();
        self.over = true;
        floor.put(Output::End(reason));
    }
}
