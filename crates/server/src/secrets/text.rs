//! How keys are written: one alone in base64, as it always was; of several, each on a line with its
//! number, the one that seals first.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::at_rest::{AtRestKey, AtRestKeys};
use domain::secret::Secret;

/// Reads the keys; none when the text is anything else.
pub(super) fn keys_of(text: &str) -> Option<AtRestKeys> {
    if let Some(alone) = bytes_of(text.trim()) {
        return Some(AtRestKeys::first(alone));
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let keys = lines.map(|line| {
        let (number, key) = line.split_once(char::is_whitespace)?;
        Some(AtRestKey { number: number.parse().ok()?, bytes: bytes_of(key.trim())? })
    });
    AtRestKeys::new(keys.collect::<Option<_>>()?)
}

/// Writes them; an only first key looks as it did before keys had numbers.
pub(super) fn text_of(keys: &AtRestKeys) -> String {
    let line = |key: &AtRestKey| STANDARD.encode(key.bytes.reveal());
    if keys.is_single() && keys.sealing().number == 1 {
        return format!("{}\n", line(keys.sealing()));
    }
    keys.all().fold(String::new(), |mut text, key| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{} {}", key.number, line(key));
        text
    })
}

fn bytes_of(text: &str) -> Option<Secret<[u8; 32]>> {
    let bytes = STANDARD.decode(text).ok()?;
    <[u8; 32]>::try_from(bytes).ok().map(Secret::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        let first = AtRestKeys::first(Secret::new([7; 32]));
        let two = first.with_next(Secret::new([8; 32])).unwrap();
        for keys in [first.clone(), two.clone(), two.newest_seals(), two.newest_alone()] {
            assert_eq!(keys_of(&text_of(&keys)), Some(keys));
        }
        let bare = format!("{}\n", STANDARD.encode([7; 32]));
        assert_eq!(text_of(&first), bare);
        assert_eq!(text_of(&two), format!("1 {bare}2 {}\n", STANDARD.encode([8; 32])));
        let spaced = format!("\r\n 1\t{}\r\n\n", bare.trim());
        assert_eq!(keys_of(&spaced), Some(first));
    }

    #[test]
    fn anything_else_is_no_key() {
        let key = STANDARD.encode([7; 32]);
        for bad in [
            String::new(),
            "too short".to_owned(),
            STANDARD.encode([7; 31]),
            format!("{key}\n{key}"),
            format!("0 {key}"),
            format!("256 {key}"),
            format!("1 {key}\n1 {key}"),
            format!("1 {key}\n2"),
        ] {
            assert_eq!(keys_of(&bad), None, "{bad}");
        }
    }
}
