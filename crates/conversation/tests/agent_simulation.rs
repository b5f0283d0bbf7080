//! Calls at random with agents that stall, break, come late and use their tools: whatever happens, no
//! audio is lost, doubled or out of order, and every call ends.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it means"
)]

mod stage;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use conversation::{Input, Millis, Output, Turn};
use domain::assistant::{CallLimits, OnVoicemail};
use domain::audio::{Digit, FRAME_BYTES};
use domain::call::{EndedReason, Fact};
use domain::ports::{AgentEvent, AgentOrder, TurnId, UtteranceId};
use stage::agent::{FIRST, agent, assert_part, bytes, persona};
use stage::{Stage, Voice, told_by};

/// Chances, the same for the same seed (`SplitMix64`).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Once in so many times.
    fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    fn size(&mut self, end: u64) -> usize {
        usize::try_from(self.below(end)).unwrap()
    }
}

/// An utterance as the agent has it.
struct Sent {
    received: usize,
    played: usize,
    interrupted: bool,
}

/// The agent's side: it answers orders one after the other, in its own time.
struct Double {
    chance: Chance,
    detects: bool,
    /// What is asked of it.
    orders: VecDeque<()>,
    /// What it is going to tell, and when.
    plan: VecDeque<(u64, AgentEvent)>,
    utterances: BTreeMap<u64, Sent>,
    next_utterance: u64,
    next_turn: u64,
    speaking: Option<TurnId>,
    /// Words that will be told.
    words: VecDeque<(u64, AgentEvent)>,
    tools: u64,
    /// The tools that were used, and when; and those whose results came.
    used: BTreeMap<String, u64>,
    results: BTreeSet<String>,
    faults: bool,
    broken: bool,
}

impl Double {
    fn new(seed: u64) -> Self {
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

    fn follow(&mut self, now: u64, order: &AgentOrder) {
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

    fn recognise_later(&mut self, now: u64, turn: TurnId) {
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
    fn think(&mut self, now: u64) {
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

    fn plan_utterance(&mut self, mut at: u64) -> u64 {
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

    fn plan_tool(&mut self, at: u64) {
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
    fn tell(&mut self, now: u64) -> Vec<AgentEvent> {
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
    fn hear(&mut self, now: u64, speech: bool) -> Option<AgentEvent> {
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

/// One call, and what is checked of it.
struct Call {
    stage: Stage,
    double: Double,
    chance: Chance,
    seen: usize,
    /// Whether the agent is lost; and how many frames of the last words were played.
    broke: bool,
    last_words: usize,
    /// Until when a key is pressed.
    pressing: u64,
    referred: Option<u64>,
    began_turns: BTreeSet<u64>,
    told_turns: usize,
}

impl Call {
    fn new(seed: u64) -> Self {
        let mut chance = Chance(seed ^ 0xCA11);
        let mut assistant = agent((!chance.once_in(3)).then_some(FIRST));
        let seconds = |chance: &mut Chance, end| Duration::from_secs(1 + chance.below(end));
        assistant.limits = CallLimits {
            max_duration: seconds(&mut chance, 90),
            silence: seconds(&mut chance, 30),
            reprompt: seconds(&mut chance, 10),
        };
        assistant.conduct.voicemail = match chance.below(3) {
            0 => None,
            1 => Some(OnVoicemail::HangUp),
            _ => Some(OnVoicemail::LeaveMessage("Please call us back.".into())),
        };
        if chance.once_in(3) {
            assistant.conduct.recording_notice = Some("This call is recorded.".into());
        }
        if chance.once_in(4) {
            persona(&mut assistant).fallback_line = None;
        }
        let voice = match chance.below(6) {
            0 => Voice::Dead,
            1 => Voice::FailsAt(0),
            _ => Voice::After(chance.below(100)),
        };
        let stage = Stage::of(&assistant, voice);
        Self {
            stage,
            double: Double::new(seed),
            chance,
            seen: 0,
            broke: false,
            last_words: 0,
            pressing: 0,
            referred: None,
            began_turns: BTreeSet::new(),
            told_turns: 0,
        }
    }

    fn tell(&mut self, event: AgentEvent) {
        if self.stage.ended.is_some() {
            return;
        }
        self.stage.tell(event);
        self.look();
    }

    /// Checks what came out, and lets the agent follow its orders.
    fn look(&mut self) {
        while let Some((at, output)) = self.stage.log.get(self.seen).cloned() {
            self.seen += 1;
            match output {
                Output::Agent(order) => {
                    assert!(!self.double.broken, "nobody is there to follow: {order:?}");
                    self.double.follow(at, &order);
                    if let AgentOrder::TurnBegan(turn) = order {
                        assert!(self.began_turns.insert(turn.0));
                    }
                }
                Output::Play(frame) => {
                    assert!(at >= self.pressing, "speech and keys do not overlap");
                    if self.broke {
                        let (line, place) = told_by(&frame);
                        assert_eq!((line, place), (0, self.last_words), "the last words are in order");
                        self.last_words += 1;
                        continue;
                    }
                    // Of the first of which something is left, and nothing else.
                    let wanted = |sent: &Sent| !sent.interrupted && sent.played < sent.received;
                    let mut sent = self.double.utterances.iter_mut();
                    let (utterance, sent) = sent.find(|(_, sent)| wanted(sent)).expect("something is left");
                    let place = sent.played;
                    assert_part(&frame, *utterance, place, sent.received);
                    sent.played = (place + FRAME_BYTES).min(sent.received);
                }
                Output::Fact(Fact::AssistantBroke) => self.broke = true,
                Output::Press { length, .. } => {
                    assert!(at >= self.pressing, "one key at a time");
                    self.pressing = at + u64::try_from(length.as_millis()).unwrap();
                }
                Output::Refer(_) => {
                    assert_eq!(self.referred, None, "one transfer at a time");
                    self.referred = Some(at);
                }
                Output::Turn(Turn::AssistantSpoke { from, to, text, .. }) => {
                    assert!(from <= to && to.0 <= at && !text.is_empty());
                }
                Output::Turn(Turn::CustomerSpoke { from, to, .. }) => {
                    assert!(from <= to && to.0 <= at);
                    self.told_turns += 1;
                }
                _ => {}
            }
        }
    }

    /// Beats until the end; why it ended.
    fn run(mut self) -> EndedReason {
        self.look();
        let ready_at = if self.chance.once_in(20) { 6000 } else { self.chance.below(1500) };
        let (mut ready, mut tone) = (false, 0);
        let (mut speech, mut left) = (false, 0);
        loop {
            if let Some((_, reason)) = self.stage.ended {
                self.check_end();
                return reason;
            }
            if left == 0 {
                speech = !speech && !self.chance.once_in(3);
                left = if speech { 1 + self.chance.below(60) } else { 1 + self.chance.below(300) };
                tone = if self.chance.once_in(20) { 10 } else { 0 };
                if self.chance.once_in(6) {
                    let key = Digit::from_event(u8::try_from(self.chance.below(12)).unwrap()).unwrap();
                    self.stage.call.handle(Millis(self.stage.now), Input::Pressed(key));
                    self.stage.drain();
                    self.look();
                }
            }
            left -= 1;
            self.events(&mut ready, ready_at, speech);
            if self.stage.ended.is_some() {
                continue;
            }
            self.beat(speech, tone > 0);
            tone -= tone.min(1);
            if self.chance.once_in(5000) && self.stage.ended.is_none() {
                let over = Input::Over(EndedReason::CustomerEndedCall);
                self.stage.call.handle(Millis(self.stage.now), over);
                self.stage.drain();
                self.look();
            }
        }
    }

    fn events(&mut self, ready: &mut bool, ready_at: u64, speech: bool) {
        let now = self.stage.now;
        if !*ready && now >= ready_at {
            *ready = true;
            let detects_speech = self.double.detects;
            self.tell(AgentEvent::Ready { detects_speech });
        }
        if !*ready {
            return;
        }
        for event in self.double.tell(now) {
            self.tell(event);
        }
        if let Some(event) = self.double.hear(now, speech) {
            if let AgentEvent::SpeechStarted(turn) = event
                && self.stage.ended.is_none()
                && !self.broke
            {
                self.began_turns.insert(turn.0);
            }
            self.tell(event);
        }
        if self.referred.is_some_and(|at| now > at + 40 && (self.chance.once_in(500) || now > at + 40_000)) {
            self.referred = None;
            let connected = self.chance.once_in(2);
            self.stage.call.handle(Millis(now), Input::Referred { connected });
            self.stage.drain();
            self.look();
        }
    }

    fn beat(&mut self, speech: bool, tone: bool) {
        let before = self.stage.log.len();
        self.stage.now += 20;
        self.stage.call.handle(Millis(self.stage.now), Input::Heard { speech, tone });
        self.stage.drain();
        let frames = self.stage.log[before..]
            .iter()
            .filter(|(_, output)| matches!(output, Output::Play(_) | Output::Silence | Output::End(_)));
        assert_eq!(frames.count(), 1, "a beat is one frame, or the end");
        self.look();
    }

    fn check_end(&self) {
        for (id, used_at) in &self.double.used {
            let long_ago = self.stage.now - used_at > 75_000;
            assert!(self.broke || !long_ago || self.double.results.contains(id), "{id} was forgotten");
        }
        let entries = self.stage.entries();
        assert!(entries.is_sorted_by_key(|entry| entry.at));
        assert!(self.told_turns >= self.began_turns.len(), "every turn of the callee's is in the transcript");
        let ends = self.stage.log.iter().filter(|(_, output)| matches!(output, Output::End(_))).count();
        assert_eq!(ends, 1);
        assert!(matches!(self.stage.log.last(), Some((_, Output::End(_)))));
    }
}

fn run(seeds: std::ops::Range<u64>) -> BTreeMap<String, usize> {
    let mut reasons = BTreeMap::new();
    for seed in seeds {
        let call = std::panic::AssertUnwindSafe(|| Call::new(seed).run());
        let ended = std::panic::catch_unwind(call);
        let reason = ended.unwrap_or_else(|_| panic!("with the seed {seed}"));
        *reasons.entry(format!("{reason:?}")).or_default() += 1;
    }
    reasons
}

#[test]
fn whatever_happens_no_audio_is_lost_doubled_or_out_of_order_and_every_call_ends() {
    let reasons = run(0..3000);
    // All ways to end are taken: else the chances would show nothing.
    for reason in [
        "AssistantEndedCall",
        "AssistantError",
        "AssistantForwardedCall",
        "CustomerEndedCall",
        "ExceededMaxDuration",
        "SilenceTimedOut",
        "Voicemail",
    ] {
        assert!(reasons.get(reason).is_some_and(|count| *count >= 20), "{reason}: {reasons:?}");
    }
}
