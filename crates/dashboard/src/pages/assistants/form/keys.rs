//! The keys that the form has fields for, and how the value of each stands in its field.

use toml::Value;

use super::pairs::{self, BadPair};

/// How a key's value stands in its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Something to say or to be told, as it is; a blank field is a key that is not there.
    Text,
    /// Text on one line, without blanks around it; a blank field is a key that is not there.
    Name,
    /// One that every file has: also a blank one is written, and refused by the file's reader.
    Needed,
    /// A whole number, and the largest that the reader can take in.
    Number(u16),
    /// A box, which is ticked unless the file says `false`.
    Tick,
    /// Names: one in each line, or each ticked in a box of its own.
    Names,
    /// Names and values, see [`pairs`].
    Pairs,
}

pub(super) type Keys = &'static [(&'static str, Kind)];

/// What every assistant has.
const COMMON: Keys = &[
    ("name", Kind::Needed),
    ("team", Kind::Name),
    ("language", Kind::Name),
    ("first_message", Kind::Text),
    ("record", Kind::Tick),
    ("recording_notice", Kind::Text),
    ("voicemail.action", Kind::Name),
    ("voicemail.message", Kind::Text),
    ("outcomes", Kind::Names),
    ("variables", Kind::Pairs),
    ("limits.max_duration_seconds", Kind::Number(u16::MAX)),
    ("limits.silence_seconds", Kind::Number(u16::MAX)),
    ("limits.reprompt_seconds", Kind::Number(u16::MAX)),
];
const SCRIPT: Keys = &[("closing_line", Kind::Text), ("reprompt", Kind::Text)];
const AGENT: Keys = &[("instructions", Kind::Text), ("fallback_line", Kind::Text), ("tools", Kind::Names)];
const REALTIME: Keys = &[
    ("realtime.dialect", Kind::Name),
    ("realtime.model", Kind::Needed),
    ("realtime.voice", Kind::Name),
    ("realtime.transcription_model", Kind::Name),
    ("realtime.endpoint", Kind::Name),
    ("realtime.credential", Kind::Name),
    ("realtime.key_variable", Kind::Name),
];
const CASCADE: Keys = &[
    ("cascade.voice", Kind::Needed),
    ("cascade.chat.model", Kind::Needed),
    ("cascade.chat.endpoint", Kind::Name),
    ("cascade.chat.credential", Kind::Name),
    ("cascade.chat.key_variable", Kind::Name),
    ("cascade.transcription.model", Kind::Needed),
    ("cascade.transcription.endpoint", Kind::Name),
    ("cascade.transcription.credential", Kind::Name),
    ("cascade.transcription.key_variable", Kind::Name),
    ("cascade.speech.model", Kind::Needed),
    ("cascade.speech.endpoint", Kind::Name),
    ("cascade.speech.credential", Kind::Name),
    ("cascade.speech.key_variable", Kind::Name),
];
pub(super) const STEP: Keys = &[
    ("wait_for", Kind::Needed),
    ("digits", Kind::Number(255)),
    ("say", Kind::Text),
    ("replies", Kind::Pairs),
];
pub(super) const TARGET: Keys = &[("name", Kind::Needed), ("number", Kind::Needed)];

/// The keys of an engine's assistants, but for lists of tables.
pub(super) fn of(engine: &str) -> impl Iterator<Item = &'static (&'static str, Kind)> {
    let (first, second): (Keys, Keys) = match engine {
        "realtime" => (AGENT, REALTIME),
        "cascade" => (AGENT, CASCADE),
        _ => (SCRIPT, &[]),
    };
    COMMON.iter().chain(first).chain(second)
}

impl Kind {
    /// A value as its field shows it.
    pub(super) fn shown(self, value: Option<Value>) -> String {
        match (self, value) {
            (Self::Tick, Some(Value::Boolean(false))) => String::new(),
            (Self::Tick, _) => "yes".to_owned(),
            (Self::Names, Some(Value::Array(names))) => {
                names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
            }
            (Self::Pairs, Some(Value::Table(pairs))) => pairs::write(&pairs),
            (_, Some(Value::String(text))) => text,
            (_, Some(Value::Integer(number))) => number.to_string(),
            _ => String::new(),
        }
    }

    /// A field's value as the file has it; none when the key is left out.
    pub(super) fn written(self, text: &str) -> Result<Option<Value>, BadPair> {
        let trimmed = text.trim();
        Ok(match self {
            Self::Tick => Some(Value::Boolean(!trimmed.is_empty())),
            Self::Needed => Some(Value::from(trimmed)),
            Self::Names => {
                let names = text.split(['\n', ',']).map(str::trim).filter(|name| !name.is_empty());
                Some(Value::Array(names.map(Value::from).collect()))
            }
            _ if trimmed.is_empty() => None,
            Self::Text => Some(Value::from(text)),
            Self::Name => Some(Value::from(trimmed)),
            Self::Number(most) => {
                let number = trimmed.parse().ok().filter(|number| *number <= most);
                // What is none is refused as 0 is: with what is allowed.
                Some(Value::Integer(number.unwrap_or(0).into()))
            }
            Self::Pairs => Some(Value::Table(pairs::read(text)?)),
        })
    }
}
