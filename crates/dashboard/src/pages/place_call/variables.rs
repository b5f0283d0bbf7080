//! Dynamic variables as people type them: a JSON object, or a line `name=value` for each.

use serde_json::{Map, Value};

/// Reads them; the number of a line that is neither, or 0 for broken JSON.
pub(super) fn read(text: &str) -> Result<Value, usize> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|_| 0);
    }
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

    #[test]
    fn variables_are_json_or_lines() {
        let both = json!({"day": "Monday", "formula": "a=b"});
        assert_eq!(read("day = Monday\n\n formula=a=b "), Ok(both.clone()));
        assert_eq!(read(&both.to_string()), Ok(both));
        assert_eq!(read(""), Ok(json!({})));
        // What is wrong with the values is told by the rules of the interface.
        assert_eq!(read("{\"n\": 1}"), Ok(json!({"n": 1})));
        assert_eq!((read("day=Monday\nhour"), read("=x"), read("{day")), (Err(2), Err(1), Err(0)));
    }
}
