//! What an organization's fields may hold. The interface bounds none of its texts: here they have 1
//! to 255 characters, an email address at most 254. An update may leave a text empty that is not
//! required: so may the operator, and what was read can be written back.

use domain::organization::{EMAIL_MAX, TIMEZONES, Timezone, is_email};
use serde_json::Value;

use crate::validation::{Code, Fault, TEXT_MAX, longer_than, none_of, shorter_than, string, string_up_to};

/// A text that may be empty.
pub(super) fn any_text(value: &Value) -> Result<String, Fault> {
    string_up_to(TEXT_MAX, value).map(str::to_owned)
}

/// An email address.
pub(super) fn email(value: &Value) -> Result<String, Fault> {
    match string(value)? {
        "" => Err(shorter_than(1)),
        text if is_email(text) => Ok(text.to_owned()),
        text if text.chars().count() > EMAIL_MAX => Err(longer_than(EMAIL_MAX)),
        _ => Err(Fault::new(Code::InvalidString, "Invalid email")),
    }
}

/// One of the allowed time zones, exactly as the interface writes it.
pub(super) fn timezone(value: &Value) -> Result<Timezone, Fault> {
    Timezone::parse(string(value)?).ok_or_else(|| none_of(TIMEZONES))
}
