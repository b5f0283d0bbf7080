//! The script's progress: which step waits for what, and what is said next.

use std::collections::BTreeMap;

use domain::assistant::{Awaited, Script};
use domain::audio::Digit;

use crate::lines::{LineId, Lines};
use crate::opening::Wording;

/// A script with its places filled, and how far it has come.
#[derive(Debug)]
pub(crate) struct Guide {
    first: Option<LineId>,
    steps: Vec<Exchange>,
    closing: Option<LineId>,
    reprompt: Option<LineId>,
    ends_by_itself: bool,
    /// Steps that were answered.
    answered: usize,
    /// Keys of an answer that is not complete.
    keys: String,
}

#[derive(Debug)]
struct Exchange {
    wait_for: Awaited,
    replies: BTreeMap<String, LineId>,
    say: Option<LineId>,
}

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keyed {
    /// Nothing: no key is waited for.
    Unawaited,
    /// More keys are to come.
    More,
    /// The step is answered, and this is said next.
    Answered(Option<LineId>),
}

impl Guide {
    /// Fills the script's lines, in the order in which they may be said.
    pub(crate) fn new(script: &Script, wording: Wording<'_>, lines: &mut Lines) -> Self {
        let mut line = |text: &str| lines.add(wording.words(text));
        let first = line(&script.first_message);
        let steps = script.steps.iter().map(|step| Exchange {
            wait_for: step.wait_for,
            say: step.say.as_deref().and_then(&mut line),
            replies: step
                .replies
                .iter()
                .filter_map(|(keys, reply)| Some((keys.clone(), line(reply)?)))
                .collect(),
        });
        Self {
            first,
            steps: steps.collect(),
            closing: script.closing_line.as_deref().and_then(&mut line),
            reprompt: script.reprompt.as_deref().and_then(&mut line),
            ends_by_itself: script.ends_by_itself(),
            answered: 0,
            keys: String::new(),
        }
    }

    /// What is said when the callee answers the call.
    pub(crate) const fn first(&self) -> Option<LineId> {
        self.first
    }

    /// What is said before hanging up.
    pub(crate) const fn closing(&self) -> Option<LineId> {
        self.closing
    }

    /// What is said to ask again, if not the last line.
    pub(crate) const fn reprompt(&self) -> Option<LineId> {
        self.reprompt
    }

    /// Whether a step waits.
    pub(crate) fn is_waiting(&self) -> bool {
        self.step().is_some()
    }

    /// Whether a turn of speech answers the step.
    pub(crate) fn takes_speech(&self) -> bool {
        self.step().is_some_and(|step| matches!(step.wait_for, Awaited::Speech | Awaited::SpeechOrDigit))
    }

    /// Whether nothing but the closing line is left, and then the end.
    pub(crate) fn is_over(&self) -> bool {
        self.ends_by_itself && !self.is_waiting()
    }

    /// The callee spoke: the step is answered, and this is said next.
    pub(crate) fn spoke(&mut self) -> Option<LineId> {
        let say = self.step().and_then(|step| step.say);
        self.step_on();
        say
    }

    /// The callee pressed a key.
    pub(crate) fn pressed(&mut self, digit: Digit) -> Keyed {
        let key = digit.as_char();
        let complete = match self.step().map(|step| step.wait_for) {
            None | Some(Awaited::Speech) => return Keyed::Unawaited,
            Some(Awaited::SpeechOrDigit) => {
                self.keys.push(key);
                true
            }
            // A `#` ends what was keyed; alone it is a key like others.
            Some(Awaited::Digits(_)) if key == '#' && !self.keys.is_empty() => true,
            Some(Awaited::Digits(count)) => {
                self.keys.push(key);
                key == '#' || self.keys.len() >= usize::from(count)
            }
        };
        if !complete {
            return Keyed::More;
        }
        let reply = self.step().and_then(|step| step.replies.get(&self.keys).copied().or(step.say));
        self.step_on();
        Keyed::Answered(reply)
    }

    /// Forgets keys that did not make an answer.
    pub(crate) fn forget_keys(&mut self) {
        self.keys.clear();
    }

    /// What may be said soon: the lines of the step that waits and of the one after it.
    pub(crate) fn soon(&self) -> impl Iterator<Item = LineId> {
        let near = self.steps.get(self.answered..).unwrap_or_default();
        let closing = self.closing.filter(|_| near.len() < 2);
        near.iter()
            .take(2)
            .flat_map(|step| step.say.into_iter().chain(step.replies.values().copied()))
            .chain(closing)
    }

    fn step(&self) -> Option<&Exchange> {
        self.steps.get(self.answered)
    }

    fn step_on(&mut self) {
        self.answered += 1;
        self.keys.clear();
    }
}
