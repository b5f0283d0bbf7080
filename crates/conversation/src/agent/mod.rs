//! Talking as an AI at the other end of a wire: what it is told, and when what it says is heard.

mod asks;
mod keypad;
mod message;
mod queue;
mod saying;
mod tools;
mod turn_taking;
pub(crate) mod turns;
mod uses;

use std::time::Duration;

use domain::assistant::{Agent, Brain, Persona};
use domain::audio::Digit;
use domain::call::{EndedReason, Fact};
use domain::ports::{AgentEvent, AgentOrder, TurnId};

use crate::beat::Beat;
use crate::floor::Floor;
use crate::hearing::Noticed;
use crate::moment::Millis;
use crate::opening::Wording;
use crate::put::Output;
use asks::{Asks, Purpose};
use keypad::Keypad;
use message::Message;
use queue::SpeechQueue;
use turn_taking::{Hold, close_turn};
use uses::{Deed, KEY, Uses};

/// The agent must be ready so soon after the answer.
const READY_WITHIN: Duration = Duration::from_secs(5);
/// An agent that gives nothing for so long, while it should speak, has stalled.
const STALLED: Duration = Duration::from_secs(10);
/// So many times in a row the agent uses tools without a word from either side.
const MOST_ROUNDS: u8 = 8;
/// Silence between the last word and hanging up, so that the last word is heard.
const PARTING: Duration = Duration::from_millis(200);

const REPROMPT: &str = "The caller has said nothing for a while. Ask briefly whether they are still there, in the language \
     of the call.";
const FIRST_PROMPT: &str = "The call was answered, and nobody has spoken yet. Greet the person and say why you call, in the \
     language of the call.";

/// The agent cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broke;

/// Who speaks first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstWord {
    Agent,
    Callee,
}

/// A conversation of an agent.
#[derive(Debug)]
pub(crate) struct Dialogue {
    persona: Persona,
    /// Whether the callee's words are written down, and so may be awaited.
    hears_words: bool,
    /// What it says when it is ready: the notice and the first message.
    opening: Option<String>,
    first: FirstWord,
    /// Words of the notice that were not heard.
    notice_left: usize,
    /// When the first frame of the opening was played.
    opening_began: Option<Millis>,
    /// Whether it detects speech itself; none until it is ready.
    detects: Option<bool>,
    asks: Asks,
    queue: SpeechQueue,
    keypad: Keypad,
    uses: Uses,
    hold: Hold,
    /// The first turn that held what was being said, or was about to be.
    contested: Option<TurnId>,
    /// An answer is to be ordered as soon as the floor is free.
    owed: bool,
    /// It is owed to a tool.
    after_tools: bool,
    rounds: u8,
    /// When the agent last gave something, or needed not.
    progress: Millis,
    /// When all was said before hanging up.
    parting: Option<Millis>,
    /// What is left with a machine, once one has answered.
    message: Option<Message>,
}

impl Dialogue {
    pub(crate) fn begin(agent: &Agent, wording: Wording<'_>, notice: Option<String>) -> Self {
        let persona = agent.persona.clone();
        let first = persona.first_message.as_deref().map(|first| wording.words(first));
        let first = first.filter(|first| !first.is_empty());
        let first_word = if first.is_some() { FirstWord::Agent } else { FirstWord::Callee };
        let notice_left = notice.as_deref().map_or(0, word_count);
        let opening: Vec<String> = notice.into_iter().chain(first).collect();
        let hears_words = match &agent.brain {
            Brain::Realtime(realtime) => realtime.transcription_model.is_some(),
            Brain::Cascade(_) => true,
        };
        Self {
            persona,
            hears_words,
            opening: (!opening.is_empty()).then(|| opening.join(" ")),
            first: first_word,
            notice_left,
            opening_began: None,
            detects: None,
            asks: Asks::default(),
            queue: SpeechQueue::default(),
            keypad: Keypad::default(),
            uses: Uses::default(),
            hold: Hold::Free,
            contested: None,
            owed: false,
            after_tools: false,
            rounds: 0,
            progress: Millis::ANSWER,
            parting: None,
            message: None,
        }
    }

    /// The agent told something.
    pub(crate) fn told(&mut self, floor: &mut Floor, event: AgentEvent) -> Result<(), Broke> {
        match event {
            AgentEvent::Ready { detects_speech } => self.ready(floor, detects_speech),
            AgentEvent::SpeechStarted(turn) => self.speech_started(floor, turn),
            AgentEvent::SpeechStopped(turn) => self.speech_stopped(floor, turn),
            AgentEvent::Recognised { turn, text } => self.recognised(floor, turn, &text),
            AgentEvent::Audio { utterance, audio } => {
                if self.takes(floor, utterance) {
                    self.queue.audio(utterance, audio);
                }
            }
            AgentEvent::Words { utterance, text } => {
                if self.takes(floor, utterance) {
                    self.queue.words(utterance, &text);
                }
            }
            AgentEvent::UtteranceEnded(utterance) => {
                self.progress = floor.now;
                self.queue.end(utterance);
            }
            AgentEvent::Answered => return self.answered(floor),
            AgentEvent::ToolCalled { id, name, arguments } => {
                self.tool_called(floor, id, &name, &arguments);
            }
            AgentEvent::Restored => self.restored(floor),
            // A trunk that is connecting the caller with somebody needs no agent.
            AgentEvent::Broken { .. } if self.uses.is_transferring() => floor.lose_agent(),
            AgentEvent::Broken { .. } => return Err(Broke),
        }
        Ok(())
    }

    fn ready(&mut self, floor: &mut Floor, detects_speech: bool) {
        if self.detects.is_some() {
            return;
        }
        self.detects = Some(detects_speech);
        self.progress = floor.now;
        if let Some(text) = self.opening.take() {
            self.ask(floor, Purpose::Opening, AgentOrder::Say { text });
        }
        if !detects_speech && let Some(span) = floor.hearing.speaking() {
            self.turn_detected(floor, span.from);
        }
    }

    /// An answer under way is lost, and ordered again; what came of it is still said.
    fn restored(&mut self, floor: &mut Floor) {
        self.queue.end_all();
        self.progress = floor.now;
        if self.detects == Some(true) {
            self.turn_ended(floor, floor.now);
        }
        for (purpose, order) in self.asks.lost() {
            self.ask(floor, purpose, order);
        }
    }

    /// The callee pressed a key.
    pub(crate) fn pressed(&mut self, floor: &mut Floor, digit: Digit) {
        floor.customer_pressed(digit);
        if self.message.is_some() {
            return;
        }
        self.keypad.press(floor.now, digit);
        self.claim_floor(floor);
    }

    /// The beat that ends now, and what was noticed in it.
    pub(crate) fn beat(&mut self, floor: &mut Floor, noticed: Option<Noticed>) -> Result<Beat, Broke> {
        self.listen(floor, noticed);
        self.finish_said(floor);
        if let Some(reason) = self.go_on(floor)? {
            return Ok(Beat::End(reason));
        }
        if let Some(reason) = self.mind_silence(floor) {
            return Ok(Beat::End(reason));
        }
        if let Some(digit) = self.next_key(floor.now) {
            floor.put(Output::Press { digit, length: KEY });
            return Ok(Beat::Silence);
        }
        Ok(self.next_frame(floor))
    }

    /// Does what is due: leaves the message, uses tools, tells of keys, orders an answer.
    pub(crate) fn go_on(&mut self, floor: &mut Floor) -> Result<Option<EndedReason>, Broke> {
        if self.detects.is_none() {
            let late = floor.now.since(Millis::ANSWER) >= READY_WITHIN;
            return if late { Err(Broke) } else { Ok(None) };
        }
        self.mind_stall(floor.now)?;
        if self.message.is_some() {
            return self.leave_message(floor);
        }
        if let Some(reason) = self.use_tools(floor) {
            return Ok(Some(reason));
        }
        if floor.is_agent_lost() {
            return if self.uses.is_transferring() { Ok(None) } else { Err(Broke) };
        }
        if let Some(keys) = self.keypad.take(floor.now) {
            floor.order(AgentOrder::Note { text: format!("[pressed {keys}]") });
            self.owed = true;
        }
        if self.owed && self.may_answer(floor) {
            if std::mem::take(&mut self.after_tools) {
                self.rounds += 1;
                if self.rounds > MOST_ROUNDS {
                    return Err(Broke);
                }
            }
            self.owed = false;
            floor.turns.heed();
            self.ask(floor, Purpose::Answer, AgentOrder::Answer);
        }
        Ok(None)
    }

    fn may_answer(&self, floor: &Floor) -> bool {
        self.floor_is_free(floor)
            && self.queue.is_empty()
            && !self.asks.is_wanting()
            && self.uses.is_empty()
            && self.keypad.is_empty()
    }

    /// Asks again, or ends the call, when nobody has spoken for long.
    fn mind_silence(&mut self, floor: &mut Floor) -> Option<EndedReason> {
        let idle = self.detects.is_some() && self.message.is_none() && self.asks.is_empty();
        if !idle || !self.may_answer(floor) {
            return None;
        }
        if floor.quiet.is_over_limit(floor.now) {
            return Some(EndedReason::SilenceTimedOut);
        }
        let noise = self.detects == Some(false) && floor.hearing.is_sounding();
        if !noise && floor.quiet.wants_reprompt(floor.now) {
            let begun = floor.is_customer_active() || self.opening_began.is_some();
            let instruction = if begun { REPROMPT } else { FIRST_PROMPT }.to_owned();
            floor.quiet.asked(floor.now);
            self.ask(floor, Purpose::Reprompt, AgentOrder::Prompt { instruction });
        }
        None
    }

    /// An agent that owes something and gives nothing is lost.
    fn mind_stall(&mut self, now: Millis) -> Result<(), Broke> {
        let owes = !self.asks.is_empty() || !self.queue.is_empty();
        if !owes || self.queue.is_playable() {
            self.progress = now;
        } else if now.since(self.progress) >= STALLED {
            if !self.asks.is_empty() && self.uses.is_empty() {
                return Err(Broke);
            }
            // It told what it wants done, or spoke unasked: that stands.
            self.asks.clear();
            self.queue.end_all();
        }
        Ok(())
    }

    /// The call is over, or the agent is lost: closes the turns under way, and orders nothing.
    pub(crate) fn finish(&mut self, floor: &mut Floor) {
        for utterance in self.queue.flush() {
            if let Some(turn) = utterance.turn(floor.now) {
                floor.turn(turn);
            }
        }
        for one in self.uses.cancel_all() {
            tools::tell_pressed(floor, &one);
            // Also of a callee who hung up on the goodbye.
            if let Deed::EndCall { outcome: Some(outcome) } = one.deed {
                floor.fact(Fact::OutcomeNamed { outcome });
            }
        }
        match self.detects {
            Some(true) => close_turn(floor, floor.now),
            Some(false) => {
                let until = floor.hearing.stop().map_or(floor.now, |span| span.to);
                close_turn(floor, until);
            }
            None => floor.stop_hearing(),
        }
    }
}

fn word_count(text: &str) -> usize {
    text.split_whitespace().count()
}
