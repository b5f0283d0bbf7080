//! Reading the fields of a request: every problem is found and told at once.

use std::fmt;

use serde_json::{Map, Value};

/// The interface bounds hardly any text; where it does not, this many characters are enough.
pub const TEXT_MAX: usize = 255;

/// What is wrong with a field, in the style of Zod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Missing, or of another JSON type.
    InvalidType,
    /// Too short, too few, or too little.
    TooSmall,
    /// Too long, too many, or too much.
    TooBig,
    /// A string that is not of the right form.
    InvalidString,
    /// None of the values that there are.
    InvalidEnumValue,
    /// Any other rule.
    Custom,
}

impl Code {
    /// Every code.
    pub const ALL: [Self; 6] = [
        Self::InvalidType,
        Self::TooSmall,
        Self::TooBig,
        Self::InvalidString,
        Self::InvalidEnumValue,
        Self::Custom,
    ];

    /// The code's written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidType => "invalid_type",
            Self::TooSmall => "too_small",
            Self::TooBig => "too_big",
            Self::InvalidString => "invalid_string",
            Self::InvalidEnumValue => "invalid_enum_value",
            Self::Custom => "custom",
        }
    }
}

/// One entry of `details` (interface, Errors).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where: the field's name, or the path to it.
    pub field: String,
    /// What, in words for people.
    pub message: String,
    /// What, for programs.
    pub code: Code,
}

/// What is wrong with a value, before it is known where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What, for programs.
    pub code: Code,
    message: String,
}

impl Fault {
    /// A fault with its words.
    pub fn new(code: Code, message: impl fmt::Display) -> Self {
        Self { code, message: message.to_string() }
    }

    /// This fault at `field`.
    pub fn at(self, field: impl Into<String>) -> Problem {
        Problem { field: field.into(), message: self.message, code: self.code }
    }
}

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
            self.problems.push(Fault::new(Code::InvalidType, "Required").at(name));
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
    value.as_object().ok_or_else(|| wrong_type("object", value))
}

/// A JSON string.
pub fn string(value: &Value) -> Result<&str, Fault> {
    value.as_str().ok_or_else(|| wrong_type("string", value))
}

/// A JSON string of at most `longest` characters.
pub fn string_up_to(longest: usize, value: &Value) -> Result<&str, Fault> {
    let text = string(value)?;
    if text.chars().count() > longest { Err(longer_than(longest)) } else { Ok(text) }
}

/// A JSON string of 1 to [`TEXT_MAX`] characters.
pub fn text(value: &Value) -> Result<String, Fault> {
    match string_up_to(TEXT_MAX, value)? {
        "" => Err(shorter_than(1)),
        text => Ok(text.to_owned()),
    }
}

/// A UUID in its hyphenated form.
pub fn uuid<Id>(value: &Value, parse: impl FnOnce(&str) -> Option<Id>) -> Result<Id, Fault> {
    parse(string(value)?).ok_or_else(|| Fault::new(Code::InvalidString, "Invalid uuid"))
}

/// A string with too few characters.
pub fn shorter_than(shortest: usize) -> Fault {
    Fault::new(Code::TooSmall, format_args!("String must contain at least {shortest} character(s)"))
}

/// A string with too many characters.
pub fn longer_than(longest: usize) -> Fault {
    Fault::new(Code::TooBig, format_args!("String must contain at most {longest} character(s)"))
}

/// A value that is not among those that there are.
pub fn none_of<'a>(allowed: impl IntoIterator<Item = &'a str>) -> Fault {
    let quoted: Vec<_> = allowed.into_iter().map(|value| format!("'{value}'")).collect();
    Fault::new(Code::InvalidEnumValue, format_args!("Invalid enum value. Expected {}", quoted.join(" | ")))
}

fn wrong_type(expected: &str, value: &Value) -> Fault {
    let received = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    Fault::new(Code::InvalidType, format_args!("Expected {expected}, received {received}"))
}
