//! The document itself: how large and deep it is, and whether it can be stored.

use domain::ports::UnsafeSchema;
use serde_json::Value;

use crate::limits::{SCHEMA_BYTES, SCHEMA_DEPTH};
use crate::place::{below, shown};

/// Checks what can be told without knowing any keyword.
pub(crate) fn check(document: &Value) -> Result<(), UnsafeSchema> {
    // Depth first: writing the text goes as deep as the document.
    check_value(document, "", 0)?;
    let bytes = document.to_string().len();
    if bytes > SCHEMA_BYTES {
        return Err(UnsafeSchema(format!(
            "the schema has {bytes} bytes, and at most {SCHEMA_BYTES} are allowed"
        )));
    }
    Ok(())
}

fn check_value(value: &Value, place: &str, depth: usize) -> Result<(), UnsafeSchema> {
    let fails = |what: &str| Err(UnsafeSchema(format!("at {}: {what}", shown(place))));
    match value {
        Value::Array(_) | Value::Object(_) if depth >= SCHEMA_DEPTH => {
            fails(&format!("the schema is nested more than {SCHEMA_DEPTH} levels deep"))
        }
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items
                .try_for_each(|(index, item)| check_value(item, &below(place, &index.to_string()), depth + 1))
        }
        Value::Object(members) => members.iter().try_for_each(|(name, member)| {
            if name.contains('\0') {
                return fails("a name with a NUL character cannot be stored");
            }
            check_value(member, &below(place, name), depth + 1)
        }),
        Value::String(text) if text.contains('\0') => fails("a NUL character cannot be stored"),
        Value::Number(number) if !number.as_f64().is_some_and(f64::is_finite) => {
            fails("the number is too large")
        }
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
