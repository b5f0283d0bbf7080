//! JSON as this service takes it: bounded in depth, without NUL characters.

use serde_json::Value;

/// Objects and arrays may be nested this deep.
const DEPTH_MAX: usize = 64;

/// Why a text is not taken as JSON; in words that follow what the text is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotJson {
    /// More than 64 objects and arrays in one another.
    #[error("is nested too deeply")]
    TooDeep,
    /// No JSON (RFC 8259).
    #[error("is not valid JSON (line {line}, column {column})")]
    Invalid {
        /// From 1.
        line: usize,
        /// From 1; 0 at the end of a line.
        column: usize,
    },
    /// PostgreSQL text cannot hold it, and no telephone line says it.
    #[error("contains a NUL character")]
    Nul,
}

/// Reads one JSON document (RFC 8259). Of members with the same name the last one counts. Lone
/// surrogates, numbers beyond an IEEE 754 double and anything after the document are errors.
pub fn json(text: &[u8]) -> Result<Value, NotJson> {
    if depth(text) > DEPTH_MAX {
        return Err(NotJson::TooDeep);
    }
    let document: Value = serde_json::from_slice(text)
        .map_err(|error| NotJson::Invalid { line: error.line(), column: error.column() })?;
    if has_nul(&document) { Err(NotJson::Nul) } else { Ok(document) }
}

/// The deepest nesting of brackets outside strings. Text that is no JSON gets some number, too.
fn depth(text: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Recursion is bounded by [`DEPTH_MAX`].
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(members) => members.iter().any(|(name, item)| name.contains('\0') || has_nul(item)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &[u8]) -> Option<String> {
        json(text).err().map(|error| error.to_string())
    }

    #[test]
    fn hostile_documents_are_refused() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth)).into_bytes();
        for (text, words) in [
            (&b""[..], "not valid JSON"),
            (b"{", "not valid JSON"),
            (b"{} {}", "not valid JSON"),
            (b"{'a':1}", "not valid JSON"),
            (b"NaN", "not valid JSON"),
            (b"\xEF\xBB\xBF{}", "not valid JSON"),
            (b"{\"a\":\"\xFF\"}", "not valid JSON"),
            (br#""\ud800""#, "not valid JSON"),
            (br#""\udc00\ud800""#, "not valid JSON"),
            (b"1e400", "not valid JSON"),
            (b"-1e400", "not valid JSON"),
            (b"\"\0\"", "not valid JSON"),
            (br#"{"a":["\u0000"]}"#, "NUL"),
            (br#"{"\u0000":1}"#, "NUL"),
            (&nested(65), "too deeply"),
            (&nested(200_000), "too deeply"),
        ] {
            let refusal = refusal(text).unwrap_or_default();
            assert!(refusal.contains(words), "{:?}: {refusal}", String::from_utf8_lossy(text));
        }
        let digits = "9".repeat(401);
        assert!(refusal(digits.as_bytes()).unwrap().contains("not valid JSON"));
    }

    #[test]
    fn ordinary_documents_pass_and_the_last_of_two_equal_names_counts() {
        let nested = format!("{}{}", "[".repeat(64), "]".repeat(64));
        for text in [nested.as_str(), r#""[[[\"{{{""#, "1e308", r#""\ud83d\ude00""#] {
            assert_eq!(refusal(text.as_bytes()), None, "{text}");
        }
        let deep_looking = format!("\"{}\"", "[".repeat(100));
        assert_eq!(refusal(deep_looking.as_bytes()), None);
        assert_eq!(json(br#"{"a":1,"a":2}"#).unwrap()["a"], 2);
    }
}
