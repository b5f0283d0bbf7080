//! What an organization's fields may hold. The interface bounds none of its texts: here they have 1
//! to 255 characters, an email address at most 254.

use domain::organization::{EMAIL_MAX, TIMEZONES, Timezone, is_email};
use serde_json::Value;

use crate::validation::{Code, Fault, longer_than, none_of, shorter_than, string};

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
