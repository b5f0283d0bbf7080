//! What every way of talking shares: the moment, the callee's side, the silence, and what is put out.

use std::collections::VecDeque;

use domain::audio::{AudioFormat, Digit};
use domain::call::Fact;

use crate::hearing::{Hearing, Utterance};
use crate::lines::{LineId, Lines};
use crate::moment::Millis;
use crate::playout::Played;
use crate::put::Output;
use crate::quiet::Quiet;
use crate::turn::{Turn, heard_part};

/// The floor that callee and assistant share.
#[derive(Debug)]
pub(crate) struct Floor {
    pub(crate) now: Millis,
    pub(crate) format: AudioFormat,
    pub(crate) hearing: Hearing,
    pub(crate) quiet: Quiet,
    /// Lines of the built-in voice.
    pub(crate) lines: Lines,
    /// Whether the callee has spoken or pressed a key.
    active: bool,
    outputs: VecDeque<Output>,
}

impl Floor {
    pub(crate) fn new(format: AudioFormat, quiet: Quiet) -> Self {
        Self {
            now: Millis::ANSWER,
            format,
            hearing: Hearing::default(),
            quiet,
            lines: Lines::default(),
            active: false,
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

    /// Has this line spoken, the first time only.
    pub(crate) fn ask(&mut self, line: LineId) {
        if let Some(text) = self.lines.ask(line) {
            self.put(Output::Synthesise { line, text });
        }
    }

    /// The callee spoke until this moment, or pressed a key.
    pub(crate) fn customer_active(&mut self, until: Millis) {
        self.quiet.broken(until);
        if !self.active {
            self.active = true;
            self.put(Output::Fact(Fact::CustomerActive));
        }
    }

    /// A turn of the callee's whose words nobody recognises.
    pub(crate) fn customer_spoke(&mut self, Utterance { from, to }: Utterance) {
        self.customer_active(to);
        self.turn(Turn::CustomerSpoke { from, to, text: None });
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

    pub(crate) fn customer_pressed(&mut self, digit: Digit) {
        self.customer_active(self.now);
        self.turn(Turn::CustomerPressed { at: self.now, digit });
    }
}
