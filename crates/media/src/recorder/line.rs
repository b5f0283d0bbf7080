//! The lines of a record's text: one JSON value each, appended and never changed.

use std::time::Duration;

use domain::call::{CallFacts, Fact, Speaker, TranscriptEntry};
use serde::{Deserialize, Serialize};

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Line {
    /// The first of every record: the form of those that follow.
    Record(u32),
    /// A turn.
    Turn {
        /// Milliseconds since the answer.
        at_ms: u64,
        /// A speaker's written form.
        who: String,
        /// What was said or done.
        text: String,
    },
    /// See [`Fact`].
    MachineAnswered,
    MessageLeft,
    Forwarded(String),
    ForwardingFailed(String),
    OutcomeNamed(String),
    CustomerActive,
    CredentialRefused,
    AssistantBroke,
    ForeignAudio(u64),
}

/// The form that is written.
pub(super) const FIRST: Line = Line::Record(1);

/// A record's text could not be read: it does not begin as one.
#[derive(Debug, thiserror::Error)]
#[error("it does not begin like a record")]
pub(super) struct NotARecord;

impl Line {
    /// About how many bytes it takes.
    pub(super) fn size(&self) -> usize {
        let text = match self {
            Self::Turn { text, .. }
            | Self::Forwarded(text)
            | Self::ForwardingFailed(text)
            | Self::OutcomeNamed(text) => text.len(),
            _ => 0,
        };
        text + 64
    }

    /// Adds it to `bytes`, with its end.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        let begun = bytes.len();
        if serde_json::to_writer(&mut *bytes, self).is_err() {
            // A vector takes everything, and every line is JSON.
            bytes.truncate(begun);
            return;
        }
        bytes.push(b'\n');
    }
}

impl From<TranscriptEntry> for Line {
    fn from(entry: TranscriptEntry) -> Self {
        Self::Turn {
            at_ms: u64::try_from(entry.at.as_millis()).unwrap_or(u64::MAX),
            who: entry.who.as_str().to_owned(),
            text: entry.text,
        }
    }
}

impl From<Fact> for Line {
    fn from(fact: Fact) -> Self {
        match fact {
            Fact::MachineAnswered => Self::MachineAnswered,
            Fact::MessageLeft => Self::MessageLeft,
            Fact::Forwarded { target } => Self::Forwarded(target),
            Fact::ForwardingFailed { target } => Self::ForwardingFailed(target),
            Fact::OutcomeNamed { outcome } => Self::OutcomeNamed(outcome),
            Fact::CustomerActive => Self::CustomerActive,
            Fact::CredentialRefused => Self::CredentialRefused,
            Fact::AssistantBroke => Self::AssistantBroke,
            Fact::ForeignAudio { packets } => Self::ForeignAudio(packets),
        }
    }
}

/// What the lines say.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Told {
    pub(super) transcript: Vec<TranscriptEntry>,
    pub(super) facts: CallFacts,
    /// Lines that could not be understood.
    pub(super) unread: usize,
}

impl Told {
    /// Reads a record's text. Its last line may have been cut off; no text at all says nothing.
    pub(super) fn read(text: &[u8]) -> Result<Self, NotARecord> {
        let mut told = Self::default();
        let mut lines = text.split_inclusive(|byte| *byte == b'\n');
        let Some(first) = lines.next() else { return Ok(told) };
        match serde_json::from_slice(first) {
            Ok(FIRST) => {}
            Err(_) if !first.ends_with(b"\n") && is_cut(first) => return Ok(told),
            _ => return Err(NotARecord),
        }
        for line in lines {
            match serde_json::from_slice(line) {
                Ok(line) => told.add(line),
                Err(_) if !line.ends_with(b"\n") => {}
                Err(_) => told.unread += 1,
            }
        }
        told.order();
        Ok(told)
    }

    /// Adds lines that are not in the text.
    pub(super) fn extend(&mut self, lines: impl IntoIterator<Item = Line>) {
        lines.into_iter().for_each(|line| self.add(line));
        self.order();
    }

    /// Turns come late and out of order; those of one moment stay as they came.
    fn order(&mut self) {
        self.transcript.sort_by_key(|entry| entry.at);
    }

    fn add(&mut self, line: Line) {
        let fact = match line {
            Line::Turn { at_ms, who, text } => {
                match Speaker::parse(&who) {
                    Some(who) => {
                        self.transcript.push(TranscriptEntry { at: Duration::from_millis(at_ms), who, text });
                    }
                    None => self.unread += 1,
                }
                return;
            }
            Line::Record(_) => return,
            Line::MachineAnswered => Fact::MachineAnswered,
            Line::MessageLeft => Fact::MessageLeft,
            Line::Forwarded(target) => Fact::Forwarded { target },
            Line::ForwardingFailed(target) => Fact::ForwardingFailed { target },
            Line::OutcomeNamed(outcome) => Fact::OutcomeNamed { outcome },
            Line::CustomerActive => Fact::CustomerActive,
            Line::CredentialRefused => Fact::CredentialRefused,
            Line::AssistantBroke => Fact::AssistantBroke,
            Line::ForeignAudio(packets) => Fact::ForeignAudio { packets },
        };
        self.facts.note(fact);
    }
}

/// Whether it is the beginning of a first line.
fn is_cut(begun: &[u8]) -> bool {
    let mut first = Vec::new();
    FIRST.write(&mut first);
    first.starts_with(begun)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(at_ms: u64, text: &str) -> TranscriptEntry {
        TranscriptEntry { at: Duration::from_millis(at_ms), who: Speaker::Customer, text: text.to_owned() }
    }

    fn text(lines: impl IntoIterator<Item = Line>) -> Vec<u8> {
        let mut bytes = Vec::new();
        FIRST.write(&mut bytes);
        lines.into_iter().for_each(|line| line.write(&mut bytes));
        bytes
    }

    #[test]
    fn turns_come_back_in_order_and_facts_all_together() {
        let facts = [
            Fact::MachineAnswered,
            Fact::MessageLeft,
            Fact::Forwarded { target: "a".to_owned() },
            Fact::ForwardingFailed { target: "b".to_owned() },
            Fact::OutcomeNamed { outcome: "c".to_owned() },
            Fact::CustomerActive,
            Fact::CredentialRefused,
            Fact::AssistantBroke,
            Fact::ForeignAudio { packets: 9 },
        ];
        let turns = [turn(9, "late\n\0\"x\""), turn(3, "one"), turn(3, "two")];
        let lines = turns.clone().map(Line::from).into_iter().chain(facts.clone().map(Line::from));
        let told = Told::read(&text(lines)).unwrap();
        assert_eq!(told.transcript, [turns[1].clone(), turns[2].clone(), turns[0].clone()]);
        let mut expected = CallFacts::default();
        for fact in facts {
            expected.note(fact);
        }
        assert_eq!((told.facts, told.unread), (expected, 0));
    }

    #[test]
    fn a_text_cut_off_anywhere_keeps_every_whole_line() {
        let whole = text([Line::from(turn(1, "ü one")), Line::CustomerActive, Line::from(turn(2, "two"))]);
        for length in 0..=whole.len() {
            let told = Told::read(&whole[..length]).unwrap();
            let ends = whole[..length].split(|byte| *byte == b'\n').count() - 1;
            // A line that lacks nothing but its end is whole too.
            let complete = whole.get(length) == Some(&b'\n');
            let lines = ends + usize::from(complete);
            let turns = usize::from(lines >= 2) + usize::from(lines >= 4);
            assert_eq!((told.transcript.len(), told.unread), (turns, 0), "{length}");
            assert_eq!(told.facts.customer_active, lines >= 3);
        }
    }

    #[test]
    fn a_damaged_line_costs_no_other() {
        let mut damaged = text([Line::from(turn(1, "one"))]);
        damaged.extend(b"\xFF\0\0\n{\"turn\":{\"at_ms\":1,\"who\":\"Nobody\",\"text\":\"\"}}\n\"sneezed\"\n");
        Line::from(turn(2, "two")).write(&mut damaged);
        let told = Told::read(&damaged).unwrap();
        assert_eq!((told.transcript, told.unread), (vec![turn(1, "one"), turn(2, "two")], 3));
    }

    #[test]
    fn what_does_not_begin_like_a_record_is_none() {
        for bad in [&b"\0\0\0"[..], b"hello", b"{\"record\":2}\n", b"\n", b"\"customer-active\"\n"] {
            assert!(Told::read(bad).is_err(), "{bad:?}");
        }
    }
}
