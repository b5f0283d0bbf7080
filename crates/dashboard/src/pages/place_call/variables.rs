//! Dynamic variables as people type them: a JSON object, or a line `name=value` for each.

use application::requests::json;
use serde_json::{Map, Value};

use super::words;
use crate::language::Language;
use crate::tell::{Tell, Unreadable};

/// Why variables cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadVariables {
    #[error(transparent)]
    Json(Unreadable),
    /// The number of a line that is none, from 1.
    #[error("{}", words::of(Language::English).unreadable_line(*.0))]
    Line(usize),
}

impl Tell for BadVariables {
    fn french(&self) -> String {
        match self {
            Self::Json(bad) => bad.french(),
            Self::Line(line) => words::of(Language::French).unreadable_line(*line),
        }
    }
}

/// Reads them as JSON or line by line; the rules of the interface judge what they say.
pub(super) fn read(text: &str) -> Result<Value, BadVariables> {
    if text.trim_start().starts_with('{') {
        return json(text.as_bytes()).map_err(|bad| BadVariables::Json(Unreadable(bad)));
    }
    lines(text).map_err(BadVariables::Line)
}

/// The number of a line that is none, from 1.
fn lines(text: &str) -> Result<Value, usize> {
    let mut members = Map::new();
    for (place, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let (name, value) = line.split_once('=').ok_or(place + 1)?;
        if name.trim().is_empty() {
            return Err(place + 1);
        }
        members.insert(name.trim().to_owned(), Value::String(value.trim().to_owned()));
    }
    Ok(Value::Object(members))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn english(text: &str) -> Result<Value, String> {
        read(text).map_err(|unreadable| unreadable.tell(Language::English))
    }

    #[test]
    fn variables_are_json_or_lines() {
        let both = json!({"day": "Monday", "formula": "a=b"});
        assert_eq!(english("day = Monday\n\n formula=a=b "), Ok(both.clone()));
        assert_eq!(english(&both.to_string()), Ok(both));
        assert_eq!(english(""), Ok(json!({})));
        // What is wrong with the values is told by the rules of the interface.
        assert_eq!(english("{\"n\": 1}"), Ok(json!({"n": 1})));
        for (text, line) in [("day=Monday\nhour", 2), ("=x", 1)] {
            assert_eq!(english(text), Err(format!("Line {line}: expected name=value")));
        }
    }

    #[test]
    fn an_object_is_read_by_the_bounds_of_the_interface() {
        let deep = format!("{}{}", "{\"a\":".repeat(65), "}".repeat(65));
        for (text, told, french) in [
            (
                "{\n  day",
                "The text is not valid JSON (line 2, column 3)",
                "Le texte n’est pas du JSON valide",
            ),
            (
                "{\"a\":\"\\u0000\"}",
                "The text contains a NUL character",
                "Le texte contient un caractère NUL",
            ),
            (&deep, "The text is nested too deeply", "Le texte est imbriqué trop profondément"),
        ] {
            assert_eq!(english(text), Err(told.to_owned()));
            let told = read(text).unwrap_err().tell(Language::French);
            assert!(told.starts_with(french), "{told}");
        }
    }
}
