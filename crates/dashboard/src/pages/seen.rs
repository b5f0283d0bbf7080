//! What the form of a stored thing was made from. The form carries a digest of it, so that what somebody else
//! wrote meanwhile is not overwritten unseen.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// What a form shows of a stored thing, field by field, without secrets.
pub(crate) type Values = Vec<(&'static str, String)>;

/// The SHA-256 of what a form shows, in hexadecimal digits.
pub(crate) fn digest(values: &[(&'static str, String)]) -> String {
    let mut hasher = Sha256::new();
    for (name, value) in values {
        for text in [*name, value] {
            // With its length before it, no text can pass for two.
            hasher.update(text.len().to_be_bytes());
            hasher.update(text);
        }
    }
    hasher.finalize().iter().fold(String::new(), |mut digits, byte| {
        // A String takes whatever it is given.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_differs_has_another_digest() {
        let of = |values: &[(&'static str, &str)]| {
            digest(&values.iter().map(|(name, value)| (*name, (*value).to_owned())).collect::<Vec<_>>())
        };
        let all = [
            of(&[]),
            of(&[("a", "bc")]),
            of(&[("ab", "c")]),
            of(&[("a", "bc"), ("", "")]),
            of(&[("a", "b"), ("c", "")]),
        ];
        for (place, one) in all.iter().enumerate() {
            assert_eq!(one.len(), 64);
            assert!(!all[place + 1..].contains(one), "{place}");
        }
        assert_eq!(of(&[("a", "bc")]), all[1]);
    }
}
