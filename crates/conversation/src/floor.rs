//! What every way of talking shares: the moment, the callee's side, the silence, and what is put out.

use std::collections::VecDeque;

use domain::audio::{AudioFormat, Digit};
use domain::call::Fact;
use domain::ports::{AgentOrder, TurnId};

use crate::agent::turns::{SpokenTurn, Turns};
use crate::hearing::{Hearing, Noticed, Utterance};
use crate::lines::{LineId, Lines};
use crate::moment::Millis;
use crate::playout::Played;
use crate::put::Output;
use crate::quiet::Quiet;
use crate::turn::{Turn, heard_part};
use crate::voicemail::Voicemail;

/// The floor that callee and assistant share.
#[derive(Debug)]
pub(crate) struct Floor {
    pub(crate) now: Millis,
    pub(crate) format: AudioFormat,
    pub(crate) hearing: Hearing,
    pub(crate) quiet: Quiet,
    /// The callee's turns, where an agent is told of them.
    pub(crate) turns: Turns,
    pub(crate) voicemail: Voicemail,
    /// Lines of the built-in voice.
    pub(crate) lines: Lines,
    /// Whether the callee has spoken or pressed a key.
    active: bool,
    agent_lost: bool,
    outputs: VecDeque<Output>,
}

impl Floor {
    pub(crate) fn new(format: AudioFormat, quiet: Quiet, voicemail: Voicemail) -> Self {
        Self {
            now: Millis::ANSWER,
            format,
            hearing: Hearing::default(),
            quiet,
            turns: Turns::default(),
            voicemail,
            lines: Lines::default(),
            active: false,
            agent_lost: false,
            outputs: VecDeque::with_capacity(16),
        }
    }

    pub(crate) fn put(&mut self, output: Output) {
        self.outputs.push_back(output);
    }

    pub(crate) fn next_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    pub(crate) fn turn(&mut self, turn: Turn) {
        self.put(Output::Turn(turn));
    }

    /// Orders something of the agent, as long as it is there.
    pub(crate) fn order(&mut self, order: AgentOrder) {
        if !self.agent_lost {
            self.put(Output::Agent(order));
        }
    }

    pub(crate) const fn is_agent_lost(&self) -> bool {
        self.agent_lost
    }

    /// Nobody is there any more to follow orders.
    pub(crate) fn lose_agent(&mut self) {
        self.agent_lost = true;
    }

    pub(crate) fn fact(&mut self, fact: Fact) {
        self.put(Output::Fact(fact));
    }

    /// Takes the beat that ends now.
    pub(crate) fn hear(&mut self, speech: bool, tone: bool) -> Option<Noticed> {
        let noticed = self.hearing.hear(self.now, speech && !tone);
        self.voicemail.hear(self.now, &self.hearing, noticed, tone);
        noticed
    }

    /// Has this line spoken, the first time only.
    pub(crate) fn ask(&mut self, line: LineId) {
        if let Some(text) = self.lines.ask(line) {
            self.put(Output::Synthesise { line, text });
        }
    }

    /// A line of the built-in voice is over, as far as it was heard.
    pub(crate) fn line_said(&mut self, played: &Played) {
        if played.frames == 0 {
            return;
        }
        let interrupted = played.frames < played.of;
        let text = heard_part(self.lines.text(played.line), played.frames, played.of);
        self.turn(Turn::AssistantSpoke { from: played.began, to: self.now, text, interrupted });
    }

    pub(crate) const fn is_customer_active(&self) -> bool {
        self.active
    }

    /// The callee spoke until this moment, or pressed a key.
    pub(crate) fn customer_active(&mut self, until: Millis) {
        self.quiet.broken(until);
        if !self.active {
            self.active = true;
            self.fact(Fact::CustomerActive);
        }
    }

    /// A turn of the callee's whose words nobody recognises.
    pub(crate) fn customer_spoke(&mut self, Utterance { from, to }: Utterance) {
        self.customer_active(to);
        self.turn(Turn::CustomerSpoke { from, to, text: None });
    }

    pub(crate) fn customer_pressed(&mut self, digit: Digit) {
        self.customer_active(self.now);
        self.turn(Turn::CustomerPressed { at: self.now, digit });
    }

    /// A turn that the agent was told of is over; it is told when its words are known.
    pub(crate) fn turn_over(&mut self, mut turn: SpokenTurn) {
        let told = match turn.text.take() {
            Some(text) => Some((turn, text)),
            None => self.turns.wait(turn).map(|late| (late, String::new())),
        };
        if let Some((turn, text)) = told {
            self.tell_turn(turn.span, &text);
        }
    }

    /// The words of a turn came; whether they need no answer, if the turn waited for them.
    pub(crate) fn recognised(&mut self, id: TurnId, text: &str) -> Option<bool> {
        self.voicemail.read(self.now, text);
        let turn = self.turns.recognised(id, text)?;
        self.tell_turn(turn.span, text);
        Some(turn.heeded)
    }

    /// The call is over: tells the turns whose words never came.
    pub(crate) fn tell_waiting(&mut self) {
        for turn in self.turns.take_waiting() {
            self.tell_turn(turn.span, "");
        }
    }

    fn tell_turn(&mut self, Utterance { from, to }: Utterance, text: &str) {
        let text = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        self.turn(Turn::CustomerSpoke { from, to, text });
    }

    /// Ends a turn under way that was detected here.
    pub(crate) fn stop_hearing(&mut self) {
        if let Some(utterance) = self.hearing.stop() {
            self.customer_spoke(utterance);
        }
    }

    /// It is a machine that answered: its beep is awaited.
    pub(crate) fn await_beep(&mut self) {
        self.voicemail.await_beep(self.now);
    }

    /// Whether a machine takes messages now.
    pub(crate) fn machine_takes_message(&self) -> bool {
        self.voicemail.takes_message(self.now, &self.hearing)
    }
}
