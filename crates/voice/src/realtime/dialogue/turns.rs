//! The callee's turns, by the items that the server makes of them.

use std::collections::VecDeque;

use domain::ports::{AgentEvent, TurnId};

/// How many turns are remembered; words that come later than this many turns are nobody's.
const REMEMBERED: usize = 128;

#[derive(Debug)]
struct Turn {
    id: TurnId,
    item: String,
    stopped: bool,
    recognised: bool,
}

/// The turns of a call, also over several connections.
#[derive(Debug, Default)]
pub(super) struct Turns {
    turns: VecDeque<Turn>,
    next: u64,
}

impl Turns {
    /// He began to speak; none when that was told before.
    pub(super) fn started(&mut self, item: &str) -> Option<TurnId> {
        if !item.is_empty() && self.turns.iter().any(|turn| turn.item == item) {
            return None;
        }
        if self.turns.len() == REMEMBERED {
            self.turns.pop_front();
        }
        let id = TurnId(self.next);
        self.next += 1;
        self.turns.push_back(Turn { id, item: item.to_owned(), stopped: false, recognised: false });
        Some(id)
    }

    /// He paused.
    pub(super) fn stopped(&mut self, item: &str) -> Option<TurnId> {
        let turn = self.turns.iter_mut().rfind(|turn| !turn.stopped && turn.item == item)?;
        turn.stopped = true;
        Some(turn.id)
    }

    /// His words are known, which may be at any time and in any order.
    pub(super) fn recognised(&mut self, item: &str) -> Option<TurnId> {
        let turn = self.turns.iter_mut().find(|turn| !turn.recognised && turn.item == item)?;
        turn.recognised = true;
        Some(turn.id)
    }

    /// Ends what a lost connection left open: its items are never heard of again.
    pub(super) fn lost(&mut self, transcribes: bool) -> Vec<AgentEvent> {
        let mut events = Vec::new();
        for turn in self.turns.drain(..) {
            if !turn.stopped {
                events.push(AgentEvent::SpeechStopped(turn.id));
            }
            if transcribes && !turn.recognised {
                events.push(AgentEvent::Recognised { turn: turn.id, text: String::new() });
            }
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recognised(turn: u64, text: &str) -> AgentEvent {
        AgentEvent::Recognised { turn: TurnId(turn), text: text.to_owned() }
    }

    #[test]
    fn words_find_their_turn_whenever_they_come() {
        let mut turns = Turns::default();
        assert_eq!(turns.started("a"), Some(TurnId(0)));
        assert_eq!(turns.started("a"), None);
        assert_eq!(turns.stopped("a"), Some(TurnId(0)));
        assert_eq!(turns.stopped("a"), None);
        turns.started("b");
        assert_eq!(turns.recognised("b"), Some(TurnId(1)));
        assert_eq!(turns.recognised("a"), Some(TurnId(0)));
        assert_eq!(turns.recognised("a"), None);
        assert_eq!(turns.recognised("typed"), None);
    }

    #[test]
    fn a_lost_connection_leaves_no_turn_open() {
        let mut turns = Turns::default();
        turns.started("a");
        turns.stopped("a");
        turns.started("b");
        let told = turns.lost(true);
        assert_eq!(told, [recognised(0, ""), AgentEvent::SpeechStopped(TurnId(1)), recognised(1, "")]);
        assert_eq!(turns.started("a"), Some(TurnId(2)), "items begin anew");
        assert_eq!(turns.lost(false), [AgentEvent::SpeechStopped(TurnId(2))]);
    }
}
