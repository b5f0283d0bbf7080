//! Reading the fields of a request: every problem is found and told at once.

use serde_json::{Map, Value};

use super::fault::{Fault, JsonType, Problem};

/// The interface bounds hardly any text; where it does not, this many characters are enough.
pub const TEXT_MAX: usize = 255;

/// The fields of a request body. Unknown ones are ignored; `null` is a value of its own, so an
/// optional field has to be left out rather than set to `null` (as in Zod).
pub struct Fields<'a> {
    members: &'a Map<String, Value>,
    problems: Vec<Problem>,
}

impl<'a> Fields<'a> {
    /// The fields of a body that has to be an object.
    pub fn of(body: &'a Value) -> Result<Self, Vec<Problem>> {
        let members = object(body).map_err(|fault| vec![fault.at("")])?;
        Ok(Self { members, problems: Vec::new() })
    }

    /// Whether a field is there, with whatever value.
    pub fn has(&self, name: &str) -> bool {
        self.members.contains_key(name)
    }

    /// Reads a field that has to be there.
    pub fn required<T>(&mut self, name: &str, read: impl FnOnce(&'a Value) -> Result<T, Fault>) -> Option<T> {
        if !self.has(name) {
            self.problems.push(Fault::Missing.at(name));
        }
        self.optional(name, read)
    }

    /// Reads a field that may be missing.
    pub fn optional<T>(&mut self, name: &str, read: impl FnOnce(&'a Value) -> Result<T, Fault>) -> Option<T> {
        match read(self.members.get(name)?) {
            Ok(value) => Some(value),
            Err(fault) => {
                self.problems.push(fault.at(name));
                None
            }
        }
    }

    /// Reads an optional field whose parts have problems of their own.
    pub fn optional_parts<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&'a Value) -> Result<T, Vec<Problem>>,
    ) -> Option<T> {
        match read(self.members.get(name)?) {
            Ok(value) => Some(value),
            Err(problems) => {
                self.problems.extend(problems);
                None
            }
        }
    }

    /// What was read, when there was no problem at all.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, Vec<Problem>> {
        match read {
            Some(value) if self.problems.is_empty() => Ok(value),
            _ => Err(self.problems),
        }
    }
}

/// A JSON object.
pub fn object(value: &Value) -> Result<&Map<String, Value>, Fault> {
    value.as_object().ok_or_else(|| wrong_type(JsonType::Object, value))
}

/// A JSON string.
pub fn string(value: &Value) -> Result<&str, Fault> {
    value.as_str().ok_or_else(|| wrong_type(JsonType::String, value))
}

/// A JSON string of at most `longest` characters.
pub fn string_up_to(longest: usize, value: &Value) -> Result<&str, Fault> {
    let text = string(value)?;
    if text.chars().count() > longest { Err(Fault::TooLong(longest)) } else { Ok(text) }
}

/// A JSON string of 1 to [`TEXT_MAX`] characters.
pub fn text(value: &Value) -> Result<String, Fault> {
    match string_up_to(TEXT_MAX, value)? {
        "" => Err(Fault::TooShort(1)),
        text => Ok(text.to_owned()),
    }
}

/// A UUID in its hyphenated form.
pub fn uuid<Id>(value: &Value, parse: impl FnOnce(&str) -> Option<Id>) -> Result<Id, Fault> {
    parse(string(value)?).ok_or(Fault::NotAUuid)
}

fn wrong_type(expected: JsonType, value: &Value) -> Fault {
    let received = match value {
        Value::Null => JsonType::Null,
        Value::Bool(_) => JsonType::Boolean,
        Value::Number(_) => JsonType::Number,
        Value::String(_) => JsonType::String,
        Value::Array(_) => JsonType::Array,
        Value::Object(_) => JsonType::Object,
    };
    Fault::WrongType { expected, received }
}
