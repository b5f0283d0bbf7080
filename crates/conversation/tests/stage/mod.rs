//! A stage for conversations: a clock of beats, a voice that needs a while, and a record of it all.

#![allow(dead_code, reason = "each test file uses its part of the stage")]

pub(crate) mod agent;

use std::collections::BTreeMap;
use std::sync::Arc;

use conversation::{Conversation, Input, LineId, Millis, Opening, Output, Turn};
use domain::assistant::filling::Filling;
use domain::assistant::{Assistant, Awaited, CallLimits, Conduct, Engine, Language, Script, Step};
use domain::audio::{AudioFormat, Digit, Encoded, FRAME_BYTES, Frame};
use domain::call::{EndedReason, TranscriptEntry};
use domain::ids::{AssistantId, OrganizationId, TenantId};
use domain::variables::Variables;
use time::OffsetDateTime;
use uuid::Uuid;

pub(crate) const FORMAT: AudioFormat = AudioFormat::Pcmu;

/// An assistant with this engine and nothing else.
pub(crate) fn assistant(engine: Engine, limits: CallLimits) -> Assistant {
    Assistant {
        id: AssistantId::from_uuid(Uuid::nil()),
        tenant: TenantId::from_uuid(Uuid::nil()),
        organization: OrganizationId::from_uuid(Uuid::nil()),
        name: "Receptionist".into(),
        team: None,
        engine,
        language: Language::EnglishUnitedStates,
        limits,
        conduct: Conduct::default(),
        variables: Variables::new(),
        created_at: OffsetDateTime::UNIX_EPOCH,
    }
}

/// The values of a call for this assistant's texts.
pub(crate) fn filling(assistant: &Assistant, variables: &Variables) -> Filling {
    Filling::for_call(assistant, None, variables).unwrap()
}

/// A script of a first message only.
pub(crate) fn script(first_message: &str) -> Script {
    Script { first_message: first_message.into(), steps: vec![], closing_line: None, reprompt: None }
}

pub(crate) fn step(wait_for: Awaited, say: Option<&str>, replies: &[(&str, &str)]) -> Step {
    let replies: BTreeMap<_, _> =
        replies.iter().map(|(keys, line)| ((*keys).into(), (*line).into())).collect();
    Step { wait_for, replies, say: say.map(Into::into) }
}

/// A line's audio: 60 ms a character, and each frame tells its line and its place.
pub(crate) fn audio(line: LineId, text: &str) -> Encoded {
    let frames: Arc<[Frame]> = (0..text.chars().count() * 3).map(|place| frame(line, place)).collect();
    Encoded { format: FORMAT, frames }
}

fn frame(line: LineId, place: usize) -> Frame {
    let mut frame = [FORMAT.silence(); FRAME_BYTES];
    frame[..8].copy_from_slice(&u64::try_from(line.0).unwrap().to_be_bytes());
    frame[8..16].copy_from_slice(&u64::try_from(place).unwrap().to_be_bytes());
    frame
}

/// The line and the place that a frame tells.
pub(crate) fn told_by(frame: &Frame) -> (usize, usize) {
    let number = |bytes: &[u8]| usize::try_from(u64::from_be_bytes(bytes.try_into().unwrap())).unwrap();
    (number(&frame[..8]), number(&frame[8..16]))
}

/// How the voice answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Voice {
    /// After so many beats; 0 is at once.
    After(u64),
    /// It fails at this line, and speaks the others at once.
    FailsAt(usize),
    /// It never answers.
    Dead,
}

pub(crate) struct Stage {
    pub(crate) call: Conversation,
    pub(crate) now: u64,
    pub(crate) voice: Voice,
    /// What was put out, and when.
    pub(crate) log: Vec<(u64, Output)>,
    pub(crate) ended: Option<(u64, EndedReason)>,
    asked: Vec<(u64, LineId, String)>,
}

impl Stage {
    pub(crate) fn new(script: &Script, limits: CallLimits, voice: Voice) -> Self {
        Self::of(&assistant(Engine::Builtin(script.clone()), limits), voice)
    }

    pub(crate) fn of(assistant: &Assistant, voice: Voice) -> Self {
        let filling = filling(assistant, &Variables::new());
        let call = Conversation::begin(Opening { assistant, filling: &filling, format: FORMAT });
        let mut stage = Self { call, now: 0, voice, log: vec![], ended: None, asked: vec![] };
        stage.drain();
        stage
    }

    pub(crate) fn with(script: &Script) -> Self {
        Self::new(script, CallLimits::default(), Voice::After(0))
    }

    /// Takes all outputs and has the voice answer what was asked; answers how many there were.
    pub(crate) fn drain(&mut self) -> usize {
        let before = self.log.len();
        loop {
            while let Some(output) = self.call.next_output() {
                match &output {
                    Output::Synthesise { line, text } => self.asked.push((self.now, *line, text.clone())),
                    Output::End(reason) => {
                        assert_eq!(self.ended, None, "a call ends once");
                        self.ended = Some((self.now, *reason));
                    }
                    _ => assert_eq!(self.ended, None, "nothing follows the end: {output:?}"),
                }
                self.log.push((self.now, output));
            }
            if !self.answer_as_voice() {
                return self.log.len() - before;
            }
        }
    }

    fn answer_as_voice(&mut self) -> bool {
        let (now, voice) = (self.now, self.voice);
        let ready = |asked: &(u64, LineId, String)| match voice {
            Voice::After(beats) => now >= asked.0 + beats * 20,
            Voice::FailsAt(_) => true,
            Voice::Dead => false,
        };
        let Some(place) = self.asked.iter().position(ready) else { return false };
        let (_, line, text) = self.asked.remove(place);
        let input = if voice == Voice::FailsAt(line.0) {
            Input::LineFailed { line }
        } else {
            Input::LineReady { line, audio: audio(line, &text) }
        };
        self.call.handle(Millis(now), input);
        true
    }

    /// One beat.
    pub(crate) fn beat(&mut self, speech: bool) -> usize {
        self.now += 20;
        self.call.handle(Millis(self.now), Input::Heard { speech, tone: false });
        self.drain()
    }

    pub(crate) fn hear(&mut self, speech: bool, ms: u64) {
        (0..ms / 20).for_each(|_| {
            self.beat(speech);
        });
    }

    pub(crate) fn silence(&mut self, ms: u64) {
        self.hear(false, ms);
    }

    pub(crate) fn speech(&mut self, ms: u64) {
        self.hear(true, ms);
    }

    pub(crate) fn press(&mut self, keys: &str) {
        for key in keys.chars() {
            self.call.handle(Millis(self.now), Input::Pressed(Digit::from_char(key).unwrap()));
            self.drain();
        }
    }

    /// Beats of silence until the call ends, at most this long.
    pub(crate) fn silence_until_the_end(&mut self, at_most_ms: u64) -> (u64, EndedReason) {
        for _ in 0..at_most_ms / 20 {
            if let Some(ended) = self.ended {
                return ended;
            }
            self.beat(false);
        }
        self.ended.expect("the call ends")
    }

    /// Beats of silence until nothing is being said, at most a minute.
    pub(crate) fn silence_until_quiet(&mut self) {
        for _ in 0..3000 {
            self.beat(false);
            if self.ended.is_some() || matches!(self.log.last(), Some((_, Output::Silence))) {
                return;
            }
        }
        panic!("the assistant never stops speaking");
    }

    /// How many frames a line has.
    pub(crate) fn length_of(&self, wanted: usize) -> usize {
        let text = self.log.iter().find_map(|(_, output)| match output {
            Output::Synthesise { line, text } if line.0 == wanted => Some(text),
            _ => None,
        });
        text.expect("the line was asked for").chars().count() * 3
    }

    /// When the assistant began which line.
    pub(crate) fn begun(&self) -> Vec<(u64, &str)> {
        let begun = self.log.iter().filter_map(|(at, output)| match output {
            Output::Turn(Turn::AssistantBegins { text, .. }) => Some((*at, text.as_str())),
            _ => None,
        });
        begun.collect()
    }

    /// The lines that the assistant began.
    pub(crate) fn said(&self) -> Vec<&str> {
        self.begun().into_iter().map(|(_, text)| text).collect()
    }

    pub(crate) fn transcript(&self) -> Vec<String> {
        self.entries().iter().map(ToString::to_string).collect()
    }

    /// The transcript: its turns in the order in which they began.
    pub(crate) fn entries(&self) -> Vec<TranscriptEntry> {
        let turns = self.log.iter().filter_map(|(_, output)| match output {
            Output::Turn(turn) => turn.entry(),
            _ => None,
        });
        let mut entries: Vec<_> = turns.collect();
        entries.sort_by_key(|entry| entry.at);
        entries
    }
}
