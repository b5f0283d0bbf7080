//! The callee's turns on a call with an agent, until their words are known.

use std::collections::VecDeque;

use domain::ports::TurnId;

use crate::hearing::Utterance;
use crate::moment::Millis;

/// So many turns wait for their words; beyond, the oldest is told without them.
const MOST_WAITING: usize = 256;

/// The callee's turns.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    open: Option<OpenTurn>,
    waiting: VecDeque<SpokenTurn>,
    next: u64,
}

/// The turn under way.
#[derive(Debug)]
pub(crate) struct OpenTurn {
    pub(crate) id: TurnId,
    pub(crate) from: Millis,
    /// It needs no answer: it greets.
    pub(crate) greets: bool,
    /// It was found to be more than a word in passing.
    pub(crate) insists: bool,
    /// Its words, when they came before its end.
    text: Option<String>,
}

/// A turn that is over.
#[derive(Debug)]
pub(crate) struct SpokenTurn {
    pub(crate) id: TurnId,
    pub(crate) span: Utterance,
    /// It was more than a word in passing.
    pub(crate) insists: bool,
    /// The agent was asked to answer it, or need not.
    pub(crate) heeded: bool,
    /// Its words, when they came before its end.
    pub(crate) text: Option<String>,
}

impl Turns {
    /// The number of the next turn that is detected here.
    pub(crate) const fn next_id(&self) -> TurnId {
        TurnId(self.next)
    }

    /// Whether a turn of this number has begun before.
    pub(crate) const fn knows(&self, id: TurnId) -> bool {
        id.0 < self.next
    }

    pub(crate) fn begin(&mut self, id: TurnId, from: Millis, greets: bool) {
        self.next = self.next.max(id.0.saturating_add(1));
        self.open = Some(OpenTurn { id, from, greets, insists: false, text: None });
    }

    pub(crate) fn open(&mut self) -> Option<&mut OpenTurn> {
        self.open.as_mut()
    }

    pub(crate) const fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Ends the turn under way.
    pub(crate) fn close(&mut self, to: Millis) -> Option<SpokenTurn> {
        let OpenTurn { id, from, greets, insists, text } = self.open.take()?;
        Some(SpokenTurn { id, span: Utterance { from, to: to.max(from) }, insists, heeded: greets, text })
    }

    /// Keeps a turn until its words come; gives the one that has waited for too long.
    pub(crate) fn wait(&mut self, turn: SpokenTurn) -> Option<SpokenTurn> {
        self.waiting.push_back(turn);
        if self.waiting.len() > MOST_WAITING { self.waiting.pop_front() } else { None }
    }

    /// The words of a turn came: the turn, if it is over and waited for them.
    pub(crate) fn recognised(&mut self, id: TurnId, text: &str) -> Option<SpokenTurn> {
        if let Some(open) = self.open.as_mut().filter(|open| open.id == id) {
            open.text.get_or_insert_with(|| text.to_owned());
            return None;
        }
        let place = self.waiting.iter().position(|turn| turn.id == id)?;
        self.waiting.remove(place)
    }

    /// Whether the words of turns are awaited that nobody heeded.
    pub(crate) fn has_unheeded(&self) -> bool {
        self.waiting.iter().any(|turn| !turn.heeded)
    }

    /// The agent answers everything so far.
    pub(crate) fn heed(&mut self) {
        self.waiting.iter_mut().for_each(|turn| turn.heeded = true);
    }

    /// Those whose words never came, in order.
    pub(crate) fn take_waiting(&mut self) -> VecDeque<SpokenTurn> {
        std::mem::take(&mut self.waiting)
    }
}
