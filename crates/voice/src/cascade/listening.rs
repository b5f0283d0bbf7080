//! What is kept of the callee's sound: a little before each turn, and the turn itself.

use std::collections::VecDeque;

use domain::ports::TurnId;

/// What is kept before a turn, in bytes of the call's sound: half a second, as turns are noticed late.
const BEFORE: usize = 4_000;
/// The most that is kept of a turn: a minute; then its beginning is dropped, as its end is answered.
const LONGEST: usize = 60 * 8_000;

/// The callee's sound, as far as it is still of use.
#[derive(Debug, Default)]
pub(crate) struct Listening {
    /// The turn under way, or what may become the beginning of one.
    sound: VecDeque<u8>,
    turn: Option<TurnId>,
}

impl Listening {
    /// More of the callee's sound.
    pub(crate) fn hear(&mut self, sound: &[u8]) {
        self.sound.extend(sound);
        self.keep(if self.turn.is_some() { LONGEST } else { BEFORE });
    }

    /// A turn began.
    pub(crate) const fn begin(&mut self, turn: TurnId) {
        self.turn = Some(turn);
    }

    /// A turn is over; its sound, empty if it never began.
    pub(crate) fn end(&mut self, turn: TurnId) -> Vec<u8> {
        if self.turn != Some(turn) {
            return Vec::new();
        }
        self.turn = None;
        let sound = Vec::from(self.sound.clone());
        self.keep(BEFORE);
        self.sound.shrink_to(BEFORE);
        sound
    }

    fn keep(&mut self, most: usize) {
        let over = self.sound.len().saturating_sub(most);
        self.sound.drain(..over);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_begins_half_a_second_before_it_was_noticed() {
        let mut listening = Listening::default();
        listening.hear(&[1; 5_000]);
        listening.begin(TurnId(0));
        listening.hear(&[2; 1_000]);
        let turn = listening.end(TurnId(0));
        assert_eq!(turn, [vec![1; 4_000], vec![2; 1_000]].concat());
        // What ended one turn may be the beginning of the next.
        listening.begin(TurnId(1));
        assert_eq!(listening.end(TurnId(1)), [vec![1; 3_000], vec![2; 1_000]].concat());
        assert!(listening.end(TurnId(1)).is_empty(), "it is over");
    }

    #[test]
    fn of_an_endless_turn_the_last_minute_is_kept() {
        let mut listening = Listening::default();
        listening.begin(TurnId(0));
        for second in 0..70 {
            listening.hear(&[second; 8_000]);
        }
        let turn = listening.end(TurnId(0));
        assert_eq!((turn.len(), turn.first(), turn.last()), (LONGEST, Some(&10), Some(&69)));
        assert!(listening.sound.capacity() < 10_000);
    }
}
