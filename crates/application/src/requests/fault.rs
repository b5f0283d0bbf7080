//! What can be wrong with a field, in the interface's words.

use domain::assistant::filling::FilledText;

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
    /// What.
    pub fault: Fault,
}

/// The types of JSON values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonType {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl JsonType {
    /// The type's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

/// What is wrong with a value, before it is known where it stands; told by `Display` it is in the interface's
/// words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is not there.
    #[error("Required")]
    Missing,
    /// It is of another type.
    #[error("Expected {}, received {}", .expected.as_str(), .received.as_str())]
    WrongType {
        /// The right one.
        expected: JsonType,
        /// The one that it has.
        received: JsonType,
    },
    /// A string with too few characters.
    #[error("String must contain at least {0} character(s)")]
    TooShort(usize),
    /// A string with too many characters.
    #[error("String must contain at most {0} character(s)")]
    TooLong(usize),
    /// An object with too many members.
    #[error("Object must contain at most {0} key(s)")]
    TooManyKeys(usize),
    /// An object whose names and values have too many bytes in UTF-8.
    #[error("Names and values must contain at most {0} byte(s) in total")]
    TooManyBytes(usize),
    /// Texts of the assistant that have too many characters with the values of this request.
    #[error("{text} must contain at most {most} character(s) when filled", text = filled_text(*.0), most = .1)]
    FilledTooLong(FilledText, usize),
    /// Not a telephone number.
    #[error("Invalid phone number")]
    NotAPhoneNumber,
    /// Not an e-mail address.
    #[error("Invalid email")]
    NotAnEmail,
    /// Not a URL.
    #[error("Invalid url")]
    NotAUrl,
    /// Not an id.
    #[error("Invalid uuid")]
    NotAUuid,
    /// A URL that is not encrypted.
    #[error("URL must use https")]
    NotHttps,
    /// A URL that leads where no callback goes.
    #[error("URL must point to a public address")]
    NotPublic,
    /// None of the values that there are.
    #[error("Invalid enum value. Expected {}", .0.iter().map(|value| format!("'{value}'")).collect::<Vec<_>>().join(" | "))]
    NoneOf(Vec<&'static str>),
    /// What only parameters and headers can have, and no form.
    #[error("{1}")]
    OfRequest(Code, String),
}

impl Fault {
    /// What only a parameter or a header can have, in words.
    pub fn of_request(code: Code, words: impl std::fmt::Display) -> Self {
        Self::OfRequest(code, words.to_string())
    }

    /// What is wrong, for programs.
    pub const fn code(&self) -> Code {
        match self {
            Self::Missing | Self::WrongType { .. } => Code::InvalidType,
            Self::TooShort(_) => Code::TooSmall,
            Self::TooLong(_) | Self::TooManyKeys(_) | Self::TooManyBytes(_) | Self::FilledTooLong(..) => {
                Code::TooBig
            }
            Self::NotAPhoneNumber | Self::NotAnEmail | Self::NotAUrl | Self::NotAUuid => Code::InvalidString,
            Self::NotHttps | Self::NotPublic => Code::Custom,
            Self::NoneOf(_) => Code::InvalidEnumValue,
            Self::OfRequest(code, _) => *code,
        }
    }

    /// This fault at `field`.
    pub fn at(self, field: impl Into<String>) -> Problem {
        Problem { field: field.into(), fault: self }
    }
}

const fn filled_text(text: FilledText) -> &'static str {
    match text {
        FilledText::Line => "Each line of the assistant",
        FilledText::Instructions => "The assistant's instructions",
        FilledText::Total => "All texts of the assistant together",
    }
}
