//! Reading texts out of stored JSON; nothing that is not as it was written is guessed at.

use serde_json::Value;

/// A text that must be there.
pub(super) fn text(value: Option<&Value>) -> Option<String> {
    value?.as_str().map(str::to_owned)
}

/// Reads a text or null; anything else is an error, as is a missing value.
pub(super) fn optional_text(value: Option<&Value>) -> Result<Option<String>, ()> {
    match value {
        Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        _ => Err(()),
    }
}

/// Texts by name.
pub(super) fn texts_by_name<T: FromIterator<(String, String)>>(value: &Value) -> Option<T> {
    let entries = value.as_object()?.iter();
    entries.map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

/// A list of texts.
pub(crate) fn texts(value: Option<&Value>) -> Option<Vec<String>> {
    value?.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}
