//! Machines that answer: their greeting, their phrases, and their beep.

mod phrases;

use std::time::Duration;

use domain::audio::FRAME;

use crate::hearing::{Hearing, Noticed};
use crate::moment::Millis;

/// A machine is found so soon after the answer, or not at all.
const FOUND_WITHIN: Duration = Duration::from_secs(30);
/// Whoever answers begins to speak so soon; what is said later answers the assistant.
const GREETS_WITHIN: Duration = Duration::from_secs(5);
/// People pause sooner when they answer.
const LONG_GREETING: Duration = Duration::from_millis(2500);
/// A tone of this length is a beep.
const BEEP: Duration = Duration::from_millis(150);
/// So much of a tone passes before it is told from other sounds.
const UNTOLD: Duration = Duration::from_millis(60);
/// A beep so soon after speech is a machine's.
const BEEP_AFTER_SPEECH: Duration = Duration::from_secs(5);
/// After so much silence the beep was missed, or there is none.
const SILENCE_FOR_BEEP: Duration = Duration::from_secs(2);
/// So long is the beep awaited.
const LATEST_BEEP: Duration = Duration::from_secs(30);

/// Listens for a machine.
#[derive(Debug)]
pub(crate) struct Voicemail {
    /// Whether a machine is still looked for.
    looking: bool,
    /// Whether a machine was found and nobody took notice yet.
    found: bool,
    /// When the first turn of the callee began, until it is over.
    greeting: Greeting,
    /// How long a tone has lasted.
    tone: Duration,
    spoke_until: Option<Millis>,
    beep: Option<Millis>,
    /// From when on the beep is awaited.
    awaited: Option<Millis>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Greeting {
    ToCome,
    Since(Millis),
    Over,
}

impl Voicemail {
    pub(crate) const fn new(looking: bool) -> Self {
        Self {
            looking,
            found: false,
            greeting: Greeting::ToCome,
            tone: Duration::ZERO,
            spoke_until: None,
            beep: None,
            awaited: None,
        }
    }

    /// Takes the beat that ends now.
    pub(crate) fn hear(&mut self, now: Millis, hearing: &Hearing, noticed: Option<Noticed>, tone: bool) {
        match noticed {
            Some(Noticed::Speaking(from)) if self.greeting == Greeting::ToCome => {
                let greets = from.since(Millis::ANSWER) <= GREETS_WITHIN;
                self.greeting = if greets { Greeting::Since(from) } else { Greeting::Over };
            }
            Some(Noticed::Stopped(_)) => self.greeting = Greeting::Over,
            _ => {}
        }
        if let Some(span) = hearing.speaking() {
            self.spoke_until = Some(span.to);
        }
        if let (Greeting::Since(from), Some(until)) = (self.greeting, self.spoke_until)
            && until.since(from) >= LONG_GREETING
        {
            self.find(now);
        }
        self.hear_tone(now, tone);
    }

    fn hear_tone(&mut self, now: Millis, tone: bool) {
        if tone {
            self.tone += FRAME;
            return;
        }
        let told = std::mem::take(&mut self.tone);
        if told.is_zero() || told + UNTOLD < BEEP {
            return;
        }
        self.beep = Some(now);
        if self.spoke_until.is_some_and(|until| now.since(until) <= BEEP_AFTER_SPEECH) {
            self.find(now);
        }
    }

    /// Takes what was recognised of the callee's words.
    pub(crate) fn read(&mut self, now: Millis, text: &str) {
        if self.looking && phrases::are_of_a_machine(text) {
            self.find(now);
        }
    }

    fn find(&mut self, now: Millis) {
        if self.looking && now.since(Millis::ANSWER) <= FOUND_WITHIN {
            self.looking = false;
            self.found = true;
        }
    }

    /// Whether a machine was found since this was asked last.
    pub(crate) fn take_found(&mut self) -> bool {
        std::mem::take(&mut self.found)
    }

    /// It is a machine: its beep is awaited from now on, if it was not just heard.
    pub(crate) fn await_beep(&mut self, now: Millis) {
        self.looking = false;
        self.found = false;
        self.awaited = Some(now);
        self.beep = self.beep.filter(|beep| self.spoke_until.is_none_or(|until| until <= *beep));
    }

    /// Whether the machine takes messages now.
    pub(crate) fn takes_message(&self, now: Millis, hearing: &Hearing) -> bool {
        let Some(awaited) = self.awaited else { return false };
        let quiet_since = self.spoke_until.unwrap_or(awaited);
        let quiet = !hearing.is_sounding() && self.tone == Duration::ZERO;
        self.beep.is_some()
            || (quiet && now.since(quiet_since) >= SILENCE_FOR_BEEP)
            || now.since(awaited) >= LATEST_BEEP
    }
}
