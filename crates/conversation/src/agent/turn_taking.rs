//! Whose turn it is: the callee's speech holds the agent's, and interrupts it when it is meant.

use std::time::Duration;

use domain::ports::{AgentOrder, TurnId};

use super::{Dialogue, FirstWord};
use crate::floor::Floor;
use crate::hearing::{INSISTING, Noticed, TURN_OVER};
use crate::moment::Millis;
use crate::playout::LONGEST_HOLD;

/// What the callee begins to say within so much of the opening is his greeting.
const GREETING: Duration = Duration::from_secs(1);
/// So long are the words of a short turn awaited.
const WORDS_WITHIN: Duration = Duration::from_secs(2);

/// Whether the agent may be heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// It may.
    Free,
    /// The callee speaks.
    Speaking { since: Millis },
    /// The callee speaks on and on into what must be heard.
    Exhausted,
    /// The callee spoke briefly: were there words?
    Words { since: Millis },
}

impl Dialogue {
    /// Takes what was noticed here in this beat.
    pub(super) fn listen(&mut self, floor: &mut Floor, noticed: Option<Noticed>) {
        match (self.detects, noticed) {
            (None, Some(Noticed::Stopped(span))) => {
                floor.customer_spoke(span);
                self.owed |= self.first == FirstWord::Callee;
            }
            (Some(false), Some(Noticed::Speaking(from))) => self.turn_detected(floor, from),
            (Some(false), Some(Noticed::Insisting(_))) => self.insisted(floor),
            (Some(false), Some(Noticed::Stopped(span))) => self.turn_ended(floor, span.to),
            _ => {}
        }
        // The agent tells of the end only after a pause, so that speech goes on for less than it seems.
        let insists = floor
            .turns
            .open()
            .is_some_and(|turn| !turn.insists && floor.now.since(turn.from) >= INSISTING + TURN_OVER);
        if insists && self.detects == Some(true) {
            self.insisted(floor);
        }
        match self.hold {
            Hold::Words { since } if floor.now.since(since) >= WORDS_WITHIN => self.release(),
            Hold::Speaking { since }
                if floor.now.since(since) >= LONGEST_HOLD && self.is_protected(floor) =>
            {
                self.hold = Hold::Exhausted;
            }
            _ => {}
        }
    }

    /// A turn was detected here.
    pub(super) fn turn_detected(&mut self, floor: &mut Floor, from: Millis) {
        let id = floor.turns.next_id();
        floor.order(AgentOrder::TurnBegan(id));
        self.turn_began(floor, id, from);
    }

    pub(super) fn speech_started(&mut self, floor: &mut Floor, turn: TurnId) {
        if self.detects != Some(true) || floor.turns.knows(turn) {
            return;
        }
        self.turn_ended(floor, floor.now);
        self.turn_began(floor, turn, floor.now);
    }

    pub(super) fn speech_stopped(&mut self, floor: &mut Floor, turn: TurnId) {
        if self.detects == Some(true) && floor.turns.open().is_some_and(|open| open.id == turn) {
            self.turn_ended(floor, floor.now.before(TURN_OVER));
        }
    }

    fn turn_began(&mut self, floor: &mut Floor, id: TurnId, from: Millis) {
        let early = self.opening_began.is_none_or(|began| from <= began + GREETING);
        let greets = early && self.opening_is_under_way();
        floor.turns.begin(id, from, greets);
        floor.customer_active(from);
        self.rounds = 0;
        if self.message.is_some() {
            return;
        }
        if self.has_something_to_say() {
            self.contested.get_or_insert(id);
        }
        self.hold = Hold::Speaking { since: floor.now };
    }

    /// The callee's turn is more than a word in passing.
    fn insisted(&mut self, floor: &mut Floor) {
        let Some(turn) = floor.turns.open() else { return };
        turn.insists = true;
        if self.message.is_none() {
            self.claim_floor(floor);
        }
    }

    /// The callee wants the floor: what would end the call is not done, and what is being said is
    /// dropped, unless it must be heard.
    pub(super) fn claim_floor(&mut self, floor: &mut Floor) {
        if self.uses.is_transferring() {
            return;
        }
        self.cancel_leaving(floor);
        if self.has_something_to_say() && !self.is_protected(floor) {
            self.interrupt(floor);
            self.owed = true;
            if !floor.turns.is_open() {
                self.release();
            }
        }
    }

    /// The turn under way is over: the agent goes on, or answers, or the words decide.
    pub(super) fn turn_ended(&mut self, floor: &mut Floor, to: Millis) {
        let must_be_heard = self.must_be_heard();
        let Some(turn) = floor.turns.close(to) else { return };
        floor.customer_active(turn.span.to);
        if self.detects == Some(false) {
            floor.order(AgentOrder::TurnEnded(turn.id));
        }
        let (greets, insists) = (turn.heeded, turn.insists);
        let words = turn.text.as_deref().map(|text| !text.trim().is_empty());
        // Where words are never known, they count for an answer of which nothing was heard yet.
        let unheard = self.queue.front().is_none_or(|front| !front.is_heard());
        let words = words.or((!self.hears_words).then_some(unheard));
        floor.turn_over(turn);
        if self.message.is_some() {
            return;
        }
        if !self.has_something_to_say() {
            self.release();
            self.owed = true;
        } else if greets || must_be_heard {
            self.release();
            self.owed |= !greets && (insists || words == Some(true));
        } else {
            match words {
                Some(true) => {
                    self.interrupt(floor);
                    self.release();
                    self.owed = true;
                }
                Some(false) => self.release(),
                None => self.hold = Hold::Words { since: floor.now },
            }
        }
    }

    pub(super) fn recognised(&mut self, floor: &mut Floor, id: TurnId, text: &str) {
        let Some(heeded) = floor.recognised(id, text) else { return };
        if self.message.is_some() {
            return;
        }
        let held = self.contested.is_some_and(|first| id >= first);
        if text.trim().is_empty() {
            if matches!(self.hold, Hold::Words { .. }) && !floor.turns.has_unheeded() {
                self.release();
            }
        } else if !heeded {
            self.owed = true;
            if held && !self.is_protected(floor) {
                self.interrupt(floor);
                if !floor.turns.is_open() {
                    self.release();
                }
            }
        }
    }

    /// Whether what is being said is not to be interrupted: the callee greets, or it is the notice.
    fn is_protected(&self, floor: &mut Floor) -> bool {
        floor.turns.open().is_some_and(|turn| turn.greets) || self.must_be_heard()
    }

    pub(super) fn release(&mut self) {
        self.hold = Hold::Free;
        self.contested = None;
    }

    /// Whether neither the callee speaks nor his words are awaited.
    pub(super) fn floor_is_free(&self, floor: &Floor) -> bool {
        self.hold == Hold::Free && !floor.turns.is_open()
    }
}

/// Closes the turn under way without any effect.
pub(super) fn close_turn(floor: &mut Floor, to: Millis) {
    if let Some(turn) = floor.turns.close(to) {
        floor.customer_active(turn.span.to);
        floor.turn_over(turn);
    }
}
