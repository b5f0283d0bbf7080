//! Calls at random with agents that stall, break, come late and use their tools: whatever happens, no
//! audio is lost, doubled or out of order, and every call ends.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it means"
)]

mod double;
#[path = "../stage/mod.rs"]
mod stage;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use conversation::{Input, Millis, Output, Turn};
use domain::assistant::{CallLimits, OnVoicemail};
use domain::audio::{Digit, FRAME_BYTES};
use domain::call::{EndedReason, Fact};
use domain::ports::{AgentEvent, AgentOrder};
use double::{Chance, Double, Sent};
use stage::agent::{FIRST, agent, assert_part, persona};
use stage::{Stage, Voice, told_by};

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
