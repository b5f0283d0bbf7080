//! Names and values as people type them, a line `name = value` for each.

use toml::{Table, Value};

use crate::tell::Tell;

/// A line that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadPair {
    /// The line of this number is none.
    #[error("Line {0}: expected name = value")]
    Unreadable(usize),
    /// The name in the line of this number stands in another one too.
    #[error("Line {0}: this name stands there twice")]
    Twice(usize),
}

impl Tell for BadPair {
    fn french(&self) -> String {
        match self {
            Self::Unreadable(line) => format!("Ligne {line} : on attend nom = valeur"),
            Self::Twice(line) => format!("Ligne {line} : ce nom y figure deux fois"),
        }
    }
}

/// Reads the lines. What a line could not hold stands in double quotes, as in JSON.
pub(super) fn read(text: &str) -> Result<Table, BadPair> {
    let mut pairs = Table::new();
    for (line, number) in text.lines().zip(1..) {
        if line.trim().is_empty() {
            continue;
        }
        let (name, value) = pair(line.trim()).ok_or(BadPair::Unreadable(number))?;
        if pairs.insert(name, Value::String(value)).is_some() {
            return Err(BadPair::Twice(number));
        }
    }
    Ok(pairs)
}

fn pair(line: &str) -> Option<(String, String)> {
    let quoted_name = || {
        let mut texts = serde_json::Deserializer::from_str(line).into_iter::<String>();
        let name = texts.next()?.ok()?;
        let rest = line.get(texts.byte_offset()..)?.trim_start().strip_prefix('=')?;
        Some((name, rest))
    };
    let plain_name = || line.split_once('=').map(|(name, rest)| (name.trim().to_owned(), rest));
    let quoted = if line.starts_with('"') { quoted_name() } else { None };
    let (name, rest) = quoted.or_else(plain_name)?;
    let rest = rest.trim();
    let quoted = if rest.starts_with('"') { serde_json::from_str(rest).ok() } else { None };
    Some((name, quoted.unwrap_or_else(|| rest.to_owned())))
}

/// Writes lines that [`read`] reads as the same.
pub(super) fn write(pairs: &Table) -> String {
    let line = |(name, value): (&String, &Value)| {
        let name = if name.contains('=') { quoted(name) } else { plain(name) };
        format!("{name} = {}\n", plain(value.as_str().unwrap_or_default()))
    };
    pairs.iter().map(line).collect::<String>().trim_end_matches('\n').to_owned()
}

fn plain(text: &str) -> String {
    let fits = text.trim() == text && !text.starts_with('"') && !text.contains(['\n', '\r']);
    if fits { text.to_owned() } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(pairs: &[(&str, &str)]) -> Table {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect()
    }

    #[test]
    fn lines_are_read_as_people_type_them() {
        let read = read("  clinic=North Clinic \n\nformula = a = b\nquoted = \"Hello\" she said\nempty =\n");
        let all = [
            ("clinic", "North Clinic"),
            ("formula", "a = b"),
            ("quoted", "\"Hello\" she said"),
            ("empty", ""),
        ];
        assert_eq!(read, Ok(table(&all)));
    }

    #[test]
    fn what_is_written_is_read_as_the_same() {
        let odd = [
            ("1", "You are confirmed."),
            ("a=b", "c"),
            ("\"a", "\"b\""),
            ("two", "lines\nof \"text\" \\"),
            ("blanks", " around "),
            ("ends", "with\r\n"),
            ("none", ""),
            ("", "nameless"),
        ];
        let text = write(&table(&odd));
        assert_eq!(read(&text), Ok(table(&odd)), "{text}");
        assert!(text.contains("1 = You are confirmed.\n"), "{text}");
        assert_eq!(text.lines().count(), odd.len());
    }

    #[test]
    fn a_line_that_is_none_and_a_name_that_stands_twice_are_told() {
        assert_eq!(read("a = 1\n\nb"), Err(BadPair::Unreadable(3)));
        assert_eq!(read("a = 1\n\"a\" = 2"), Err(BadPair::Twice(2)));
    }
}
