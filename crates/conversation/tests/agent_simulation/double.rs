//! Chances, and an agent that answers by them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use domain::ports::{AgentEvent, AgentOrder, TurnId, UtteranceId};

use crate::stage::agent::bytes;

/// Chances, the same for the same seed (`SplitMix64`).
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Once in so many times.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn size(&mut self, end: u64) -> usize {
        usize::try_from(self.below(end)).unwrap()
    }
}

/// An utterance as the agent has it.
pub(crate) struct Sent {
    pub(crate) received: usize,
    pub(crate) played: usize,
    pub(crate) interrupted: bool,
}

/// The agent's side: it answers orders one after the other, in its own time.
pub(crate) struct Double {
    pub(crate) chance: Chance,
    pub(crate) detects: bool,
    /// What is asked of it.
    pub(crate) orders: VecDeque<()>,
    /// What it is going to tell, and when.
    pub(crate) plan: VecDeque<(u64, AgentEvent)>,
    pub(crate) utterances: BTreeMap<u64, Sent>,
    pub(crate) next_utterance: u64,
    pub(crate) next_turn: u64,
    pub(crate) speaking: Option<TurnId>,
    /// Words that will be told.
    pub(crate) words: VecDeque<(u64, AgentEvent)>,
    pub(crate) tools: u64,
    /// The tools that were used, and when; and those whose results came.
    pub(crate) used: BTreeMap<String, u64>,
    pub(crate) results: BTreeSet<String>,
    pub(crate) faults: bool,
    pub(crate) broken: bool,
}

impl Double {
    pub(crate) fn new(seed: u64) -> Self {
        let mut chance = Chance(seed);
        let detects = chance.once_in(2);
        let faults = chance.once_in(3);
        Self {
            chance,
            detects,
            orders: VecDeque::new(),
            plan: VecDeque::new(),
            utterances: BTreeMap::new(),
            next_utterance: 1,
            next_turn: 0,
            speaking: None,
            words: VecDeque::new(),
            tools: 0,
            used: BTreeMap::new(),
            results: BTreeSet::new(),
            faults,
            broken: false,
        }
    }

    pub(crate) fn follow(&mut self, now: u64, order: &AgentOrder) {
        match order {
            AgentOrder::Answer | AgentOrder::Say { .. } | AgentOrder::Prompt { .. } => {
                self.orders.push_back(());
            }
            AgentOrder::Interrupt { utterance, heard, .. } => {
                let sent = self.utterances.get_mut(&utterance.0).expect("an utterance of the agent's");
                assert!(!sent.interrupted, "an utterance is interrupted once");
                sent.interrupted = true;
                let played = Duration::from_millis(u64::try_from(sent.played / 8).unwrap());
                assert_eq!(*heard, played, "heard is what was played");
                assert!(sent.played <= sent.received);
                // What is under way is cut short; sometimes a piece was on its way already.
                let late = self.chance.once_in(3);
                let kept = |event: &AgentEvent| match event {
                    AgentEvent::Audio { .. } | AgentEvent::Words { .. } => late,
                    _ => true,
                };
                self.plan.retain(|(_, event)| kept(event));
            }
            AgentOrder::TurnBegan(turn) => {
                assert!(!self.detects && turn.0 == self.next_turn);
                self.next_turn += 1;
            }
            AgentOrder::TurnEnded(turn) => {
                assert!(!self.detects && turn.0 + 1 == self.next_turn);
                self.recognise_later(now, *turn);
            }
            AgentOrder::ToolResult { id, .. } => {
                assert!(self.used.contains_key(id), "a result of what was used");
                assert!(self.results.insert(id.clone()), "one result for each use");
            }
            AgentOrder::Note { .. } => {}
        }
    }

    pub(crate) fn recognise_later(&mut self, now: u64, turn: TurnId) {
        let text = match self.chance.below(12) {
            0..3 => return,
            3..6 => " ",
            6 => "Please leave a message after the tone.",
            _ => "Yes, please.",
        };
        let at = now + self.chance.below(4000);
        self.words.push_back((at, AgentEvent::Recognised { turn, text: text.into() }));
    }

    /// Plans the answer to the next order, when nothing is under way.
    pub(crate) fn think(&mut self, now: u64) {
        if !self.plan.is_empty() || self.orders.is_empty() {
            return;
        }
        self.orders.pop_front();
        let mut at = now + self.chance.below(2000);
        if self.faults && self.chance.once_in(12) {
            at += 9000;
        }
        if !self.chance.once_in(8) {
            at = self.plan_utterance(at);
        }
        while self.chance.once_in(4) {
            self.plan_tool(at);
        }
        self.plan.push_back((at, AgentEvent::Answered));
    }

    pub(crate) fn plan_utterance(&mut self, mut at: u64) -> u64 {
        let utterance = UtteranceId(self.next_utterance);
        self.next_utterance += 1;
        self.utterances.insert(utterance.0, Sent { received: 0, played: 0, interrupted: false });
        let mut place = 0;
        // Slower than it is played, or much faster.
        let slow = self.chance.once_in(6);
        for _ in 0..self.chance.below(20) {
            let count = self.chance.size(2400);
            self.plan.push_back((at, AgentEvent::Words { utterance, text: "word and ".into() }));
            self.plan
                .push_back((at, AgentEvent::Audio { utterance, audio: bytes(utterance.0, place, count) }));
            place += count;
            at += if slow { self.chance.below(800) } else { self.chance.below(60) };
        }
        // Some forget to say that an utterance is over before the answer is.
        if !self.chance.once_in(10) {
            self.plan.push_back((at, AgentEvent::UtteranceEnded(utterance)));
        }
        at
    }

    pub(crate) fn plan_tool(&mut self, at: u64) {
        let (name, arguments) = match self.chance.below(9) {
            0 => ("end_call", r#"{"outcome":"done"}"#),
            1 | 2 => ("transfer_call", r#"{"target":"reception"}"#),
            3 => ("leave_voicemail", r#"{"message":"Call us back."}"#),
            4 | 5 => ("send_dtmf", r#"{"digits":"12#"}"#),
            6 => ("transfer_call", r#"{"target":"nobody"}"#),
            7 => ("send_dtmf", "{"),
            _ => ("order_pizza", "{}"),
        };
        let id = format!("use-{}", self.tools);
        self.tools += 1;
        self.plan
            .push_back((at, AgentEvent::ToolCalled { id, name: name.into(), arguments: arguments.into() }));
    }

    /// What it tells now.
    pub(crate) fn tell(&mut self, now: u64) -> Vec<AgentEvent> {
        if self.broken {
            return Vec::new();
        }
        let mut events = Vec::new();
        if self.faults && self.chance.once_in(3000) {
            self.broken = true;
            return vec![AgentEvent::Broken { cause: "by chance".into() }];
        }
        if self.faults && self.chance.once_in(1500) {
            self.plan.clear();
            self.orders.clear();
            events.push(AgentEvent::Restored);
        }
        self.think(now);
        while self.plan.front().is_some_and(|(at, _)| *at <= now) {
            events.extend(self.plan.pop_front().map(|(_, event)| event));
            self.think(now);
        }
        let (due, later): (VecDeque<_>, _) = self.words.drain(..).partition(|(at, _)| *at <= now);
        self.words = later;
        events.extend(due.into_iter().map(|(_, event)| event));
        if self.faults && self.chance.once_in(400) {
            // Nonsense: of what never was, is over, or was told before.
            let nonsense = match self.chance.below(4) {
                0 => AgentEvent::Recognised { turn: TurnId(self.chance.below(9)), text: "Again.".into() },
                1 => AgentEvent::SpeechStopped(TurnId(self.chance.below(9))),
                2 => AgentEvent::Ready { detects_speech: !self.detects },
                _ => AgentEvent::UtteranceEnded(UtteranceId(0)),
            };
            events.push(nonsense);
        }
        for event in &events {
            if let AgentEvent::ToolCalled { id, .. } = event {
                self.used.insert(id.clone(), now);
            }
            if let AgentEvent::Audio { utterance, audio } = event {
                let sent = self.utterances.get_mut(&utterance.0).unwrap();
                if !sent.interrupted {
                    sent.received += audio.len();
                }
            }
        }
        events
    }

    /// The callee speaks or not.
    pub(crate) fn hear(&mut self, now: u64, speech: bool) -> Option<AgentEvent> {
        if !self.detects || self.broken {
            return None;
        }
        match (self.speaking, speech) {
            (None, true) => {
                let turn = TurnId(self.next_turn);
                self.next_turn += 1;
                self.speaking = Some(turn);
                Some(AgentEvent::SpeechStarted(turn))
            }
            (Some(turn), false) => {
                self.speaking = None;
                self.recognise_later(now, turn);
                Some(AgentEvent::SpeechStopped(turn))
            }
            _ => None,
        }
    }
}
