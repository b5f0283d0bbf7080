//! The document itself: how large and deep it is, and whether it can be stored.

use domain::schema::{Flaw, UnsafeSchema};
use serde_json::Value;

use crate::limits::{SCHEMA_BYTES, SCHEMA_DEPTH};
use crate::place::{below, refused};

/// Checks what can be told without knowing any keyword.
pub(crate) fn check(document: &Value) -> Result<(), UnsafeSchema> {
    // Depth first: writing the text goes as deep as the document.
    check_value(document, "", 0)?;
    let bytes = document.to_string().len();
    if bytes > SCHEMA_BYTES {
        return Err(UnsafeSchema { place: None, flaw: Flaw::TooLarge(bytes, SCHEMA_BYTES) });
    }
    Ok(())
}

fn check_value(value: &Value, place: &str, depth: usize) -> Result<(), UnsafeSchema> {
    let fails = |flaw| refused(place, flaw);
    match value {
        Value::Array(_) | Value::Object(_) if depth >= SCHEMA_DEPTH => fails(Flaw::TooDeep(SCHEMA_DEPTH)),
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items
                .try_for_each(|(index, item)| check_value(item, &below(place, &index.to_string()), depth + 1))
        }
        Value::Object(members) => members.iter().try_for_each(|(name, member)| {
            if name.contains('\0') {
                return fails(Flaw::NulInName);
            }
            check_value(member, &below(place, name), depth + 1)
        }),
        Value::String(text) if text.contains('\0') => fails(Flaw::Nul),
        Value::Number(number) if !number.as_f64().is_some_and(f64::is_finite) => fails(Flaw::NumberTooLarge),
        _ => Ok(()),
    }
}

/// How deep objects and arrays are nested, counted no further than `most`.
pub(crate) fn is_deeper(value: &Value, most: usize) -> bool {
    match value {
        Value::Array(_) | Value::Object(_) if most == 0 => true,
        Value::Array(items) => items.iter().any(|item| is_deeper(item, most - 1)),
        Value::Object(members) => members.values().any(|member| is_deeper(member, most - 1)),
        _ => false,
    }
}

/// How many values there are in this one, itself included.
pub(crate) fn values(value: &Value) -> u64 {
    match value {
        Value::Array(items) => 1 + items.iter().map(values).sum::<u64>(),
        Value::Object(members) => 1 + members.values().map(values).sum::<u64>(),
        _ => 1,
    }
}
