//! What the agent was asked to say, and what was heard of it.

use domain::ports::{AgentOrder, UtteranceId};

use super::asks::Purpose;
use super::queue::{Place, Utterance};
use super::turn_taking::Hold;
use super::{Broke, Dialogue, word_count};
use crate::beat::Beat;
use crate::floor::Floor;
use crate::turn::Turn;

impl Dialogue {
    /// Orders something that is answered.
    pub(super) fn ask(&mut self, floor: &mut Floor, purpose: Purpose, order: AgentOrder) {
        if self.asks.is_empty() {
            self.progress = floor.now;
        }
        self.asks.push(purpose, order.clone());
        floor.order(order);
    }

    /// Whether something comes of an utterance that is wanted; a new one is begun.
    pub(super) fn takes(&mut self, floor: &mut Floor, utterance: UtteranceId) -> bool {
        self.progress = floor.now;
        match self.queue.place(utterance) {
            Place::Known => true,
            Place::Late => false,
            Place::New => {
                // What is said unasked is an answer to the callee too.
                let unasked = self.asks.is_empty() && self.message.is_none();
                let purpose = if unasked { Some(Purpose::Answer) } else { self.asks.current() };
                let taken = self.queue.begin(utterance, purpose);
                if !taken {
                    let heard = std::time::Duration::ZERO;
                    floor.order(AgentOrder::Interrupt { utterance, heard, text: String::new() });
                }
                taken
            }
        }
    }

    /// The first order under way is answered.
    pub(super) fn answered(&mut self, floor: &mut Floor) -> Result<(), Broke> {
        self.progress = floor.now;
        self.queue.end_all();
        let purpose = self.asks.current();
        self.asks.answered();
        let said = self.opening_began.is_some() || self.queue.has(Purpose::Opening);
        // A call must not go on without the notice.
        let unsaid = purpose == Some(Purpose::Opening) && self.notice_left > 0 && !said;
        if unsaid { Err(Broke) } else { Ok(()) }
    }

    /// Whether something is being said, or is about to be.
    pub(super) fn has_something_to_say(&self) -> bool {
        !self.queue.is_empty() || self.asks.is_wanting()
    }

    /// Whether the opening is still to be heard, or being said.
    pub(super) fn opening_is_under_way(&self) -> bool {
        let to_come = self.detects.is_none() && self.opening.is_some();
        to_come || self.asks.has(Purpose::Opening) || self.queue.has(Purpose::Opening)
    }

    fn is_before_opening(&self) -> bool {
        self.opening_is_under_way() && self.opening_began.is_none()
    }

    /// Whether what is being said must be heard: the notice.
    pub(super) fn must_be_heard(&self) -> bool {
        if self.is_before_opening() {
            return true;
        }
        if self.notice_left == 0 || !self.opening_is_under_way() {
            return false;
        }
        let opening = self.queue.front().filter(|front| front.purpose == Purpose::Opening);
        opening.map_or(0, |opening| word_count(opening.heard_text().trim_end_matches('…'))) < self.notice_left
    }

    /// Puts down what was wholly said.
    pub(super) fn finish_said(&mut self, floor: &mut Floor) {
        while let Some(utterance) = self.queue.take_finished() {
            if !utterance.is_whole() {
                order_interrupt(floor, &utterance);
            }
            self.was_said(floor, &utterance);
        }
    }

    /// Stops speaking, and wants nothing of what is under way.
    pub(super) fn interrupt(&mut self, floor: &mut Floor) {
        for utterance in self.queue.flush() {
            order_interrupt(floor, &utterance);
            self.was_said(floor, &utterance);
        }
        self.asks.drop_all();
        self.contested = None;
    }

    fn was_said(&mut self, floor: &mut Floor, utterance: &Utterance) {
        if let Some(message) = self.message.as_mut().filter(|_| utterance.purpose == Purpose::Message) {
            message.was_said(utterance.is_heard() && utterance.is_whole());
        }
        let Some(turn) = utterance.turn(floor.now) else { return };
        floor.turn(turn);
        match utterance.purpose {
            Purpose::Reprompt => floor.quiet.asked(floor.now),
            Purpose::Opening => {
                let heard = word_count(utterance.heard_text().trim_end_matches('…'));
                self.notice_left = self.notice_left.saturating_sub(heard);
                floor.quiet.broken(floor.now);
            }
            Purpose::Answer | Purpose::Message => floor.quiet.broken(floor.now),
        }
    }

    pub(super) fn next_frame(&mut self, floor: &mut Floor) -> Beat {
        if matches!(self.hold, Hold::Speaking { .. } | Hold::Words { .. }) || self.uses.is_pressing() {
            return Beat::Silence;
        }
        let Some((frame, first)) = self.queue.next_frame(floor.now, floor.format) else {
            return Beat::Silence;
        };
        if first && let Some(utterance) = self.queue.front() {
            let text = utterance.text();
            if utterance.purpose == Purpose::Opening {
                self.opening_began.get_or_insert(floor.now);
            }
            self.rounds = 0;
            floor.turn(Turn::AssistantBegins { at: floor.now, text });
        }
        Beat::Play(frame)
    }
}

fn order_interrupt(floor: &mut Floor, utterance: &Utterance) {
    floor.order(AgentOrder::Interrupt {
        utterance: utterance.id,
        heard: utterance.heard(),
        text: utterance.heard_text(),
    });
}
