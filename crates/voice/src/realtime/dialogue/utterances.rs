//! What the agent says, by the items that the server makes of it.

use std::collections::VecDeque;
use std::time::Duration;

use domain::ports::UtteranceId;

/// How many utterances are remembered; of an older one nothing can be left to be interrupted.
const REMEMBERED: usize = 64;

#[derive(Debug)]
pub(super) struct Utterance {
    pub(super) id: UtteranceId,
    pub(super) item: String,
    /// The id of the answer that it is part of.
    pub(super) answer: String,
    /// Which part of the item has the sound.
    pub(super) part: u32,
    /// Whether more may come.
    pub(super) open: bool,
    /// How much sound came, in the provider's bytes.
    received: u64,
}

/// The utterances of a call, also over several connections.
#[derive(Debug, Default)]
pub(super) struct Utterances {
    utterances: VecDeque<Utterance>,
    next: u64,
}

impl Utterances {
    /// The utterance that is under way.
    pub(super) fn open(&mut self) -> Option<&mut Utterance> {
        self.utterances.back_mut().filter(|utterance| utterance.open)
    }

    /// The utterance of an item of an answer, if it has begun. Some servers name no items.
    pub(super) fn of_item(&mut self, item: &str, answer: &str) -> Option<&mut Utterance> {
        self.utterances.iter_mut().rfind(|utterance| utterance.item == item && utterance.answer == answer)
    }

    /// Begins the next, as part of an answer.
    pub(super) fn begin(&mut self, item: &str, answer: &str) -> UtteranceId {
        if self.utterances.len() == REMEMBERED {
            self.utterances.pop_front();
        }
        let id = UtteranceId(self.next);
        self.next += 1;
        let [item, answer] = [item, answer].map(str::to_owned);
        self.utterances.push_back(Utterance { id, item, answer, part: 0, open: true, received: 0 });
        id
    }

    pub(super) fn find(&mut self, id: UtteranceId) -> Option<&mut Utterance> {
        self.utterances.iter_mut().rfind(|utterance| utterance.id == id)
    }

    /// The connection is lost: none of them is known any more.
    pub(super) fn lost(&mut self) {
        self.utterances.clear();
    }
}

impl Utterance {
    pub(super) fn receive(&mut self, part: u32, bytes: usize) {
        self.part = part;
        self.received = self.received.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
    }

    /// How many milliseconds were heard, of those that came: a server refuses more.
    pub(super) fn heard_ms(&self, heard: Duration, bytes_a_second: u32) -> u64 {
        let received = self.received.saturating_mul(1_000) / u64::from(bytes_a_second.max(1));
        u64::try_from(heard.as_millis()).unwrap_or(u64::MAX).min(received)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_was_heard_than_came() {
        let mut utterances = Utterances::default();
        utterances.begin("i", "answer_1");
        let utterance = utterances.open().unwrap();
        utterance.receive(0, 4_000);
        utterance.receive(0, 4_007);
        let heard = |ms| utterance.heard_ms(Duration::from_millis(ms), 8_000);
        assert_eq!((heard(0), heard(700), heard(5_000)), (0, 700, 1_000));
        assert_eq!(utterance.heard_ms(Duration::from_millis(500), 48_000), 166);
    }

    #[test]
    fn ids_go_on_when_the_connection_was_lost() {
        let mut utterances = Utterances::default();
        utterances.begin("i", "answer_1");
        utterances.lost();
        assert!(utterances.open().is_none() && utterances.of_item("i", "answer_1").is_none());
        utterances.begin("i", "answer_1");
        assert_eq!(utterances.open().unwrap().id, UtteranceId(1));
    }
}
