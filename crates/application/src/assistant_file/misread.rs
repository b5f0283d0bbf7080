//! Texts that have not the form of a file, and what is known of why: the TOML library only has words for it.

use serde::Deserialize;

use super::BadFile;
use super::form::File;

/// Why a text has not the form of a file. Told by `Display` it is in the library's own words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct Misread {
    /// What is known of it.
    pub wrong: Wrong,
    words: String,
}

/// What is wrong with the form of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It is not TOML.
    Syntax,
    /// A key stands there twice.
    Repeated,
    /// There is no such key.
    UnknownKey {
        /// The key.
        key: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A key that has to be there.
    MissingKey(String),
    /// None of these values.
    UnknownValue(Vec<String>),
    /// A value of another kind.
    Kind(Wanted),
    /// Something else.
    Other,
}

/// The kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// `true` or `false`.
    Boolean,
    /// Text in quotes.
    Text,
    /// A whole number that is not negative.
    Number,
    /// `[…]`.
    List,
    /// `{…}`, or under a heading of its own.
    Table,
}

/// Reads a text that has the form of a file.
pub(super) fn read(text: &str) -> Result<File, BadFile> {
    let document = toml::Deserializer::parse(text).map_err(|error| {
        let repeated = error.message().starts_with("duplicate key");
        misread(text, &error, if repeated { Wrong::Repeated } else { Wrong::Syntax })
    })?;
    File::deserialize(document).map_err(|error| misread(text, &error, wrong(error.message())))
}

fn misread(text: &str, error: &toml::de::Error, wrong: Wrong) -> BadFile {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let misread = Misread { wrong, words: error.message().to_owned() };
    BadFile::Form { line: before.matches('\n').count() + 1, misread }
}

/// Reads the words of serde, which have the same form for everything that is deserialized.
fn wrong(words: &str) -> Wrong {
    let mut quoted = words.split('`').skip(1).step_by(2).map(str::to_owned);
    if words.starts_with("unknown field ") {
        Wrong::UnknownKey { key: quoted.next().unwrap_or_default(), known: quoted.collect() }
    } else if words.starts_with("missing field ") {
        Wrong::MissingKey(quoted.next().unwrap_or_default())
    } else if words.starts_with("unknown variant ") {
        Wrong::UnknownValue(quoted.skip(1).collect())
    } else if words == "wanted string or table" {
        Wrong::Kind(Wanted::Text)
    } else if words.starts_with("invalid type: ") || words.starts_with("invalid value: ") {
        let wanted = words.rsplit_once(", expected ").and_then(|(_, wanted)| wanted_by(wanted));
        wanted.map_or(Wrong::Other, Wrong::Kind)
    } else {
        Wrong::Other
    }
}

fn wanted_by(words: &str) -> Option<Wanted> {
    Some(match words {
        "a boolean" => Wanted::Boolean,
        "a string" => Wanted::Text,
        "u8" | "u64" => Wanted::Number,
        "a sequence" => Wanted::List,
        "a map" => Wanted::Table,
        _ if words.starts_with("struct ") => Wanted::Table,
        _ => return None,
    })
}
