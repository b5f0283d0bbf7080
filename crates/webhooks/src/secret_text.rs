//! The textual form of signing secrets: `whsec_` and base64 (Standard Webhooks, "Secret").

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::secret::Secret;

/// What every textual secret begins with.
pub const PREFIX: &str = "whsec_";

/// Writes raw key bytes as receivers' libraries take them.
pub fn encode(key: &[u8]) -> String {
    format!("{PREFIX}{}", STANDARD.encode(key))
}

/// Reads the textual form back; none when it is not one.
pub fn decode(text: &str) -> Option<Secret<Vec<u8>>> {
    STANDARD.decode(text.strip_prefix(PREFIX)?).ok().map(Secret::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_nothing_else_is() {
        let text = encode(&[0xFF, 0xFB, 0x00, 7]);
        assert_eq!(text, "whsec_//sABw==");
        assert_eq!(decode(&text), Some(Secret::new(vec![0xFF, 0xFB, 0x00, 7])));
        for other in ["", "//sABw==", "whsec_%", "whsec_//sABw", "whpk_//sABw=="] {
            assert_eq!(decode(other), None, "{other}");
        }
    }
}
