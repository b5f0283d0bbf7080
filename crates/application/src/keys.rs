//! API keys as text: `cw_org_` or `cw_ten_`, 30 random characters, 6 of a checksum, all base 62.

use domain::access::{KeyDigest, KeyLevel};
use domain::ports::Entropy;
use domain::secret::Secret;
use sha2::{Digest, Sha256};

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHARS: usize = 30;
const CHECKSUM_CHARS: usize = 6;

/// A fresh key: its text is shown once, its digest is stored.
pub struct MintedKey {
    /// The whole key.
    pub text: Secret<String>,
    /// What the store keeps of it.
    pub digest: KeyDigest,
}

/// Makes a key of `level`.
pub fn mint(level: KeyLevel, entropy: &dyn Entropy) -> MintedKey {
    let mut text = String::from(prefix(level)) + &random_text(RANDOM_CHARS, entropy);
    let checksum = checksum(&text);
    text.push_str(&checksum);
    let digest = digest(&text);
    MintedKey { text: Secret::new(text), digest }
}

/// So many characters of base 62, all equally likely.
pub(crate) fn random_text(chars: usize, entropy: &dyn Entropy) -> String {
    let mut text = String::new();
    let mut byte = [0_u8];
    while text.len() < chars {
        entropy.fill(&mut byte);
        // Bytes past the last whole multiple of 62 are thrown away, so that all characters are equally likely.
        let [value] = byte;
        if value < 248 {
            text.push(base62(u32::from(value)));
        }
    }
    text
}

/// The digest of a presented key; none when it cannot be one of ours, so that the store need not
/// be asked.
pub fn digest_of_well_formed(text: &str) -> Option<KeyDigest> {
    let body = [KeyLevel::Organization, KeyLevel::Tenant]
        .into_iter()
        .find_map(|level| text.strip_prefix(prefix(level)))?;
    let ours =
        body.len() == RANDOM_CHARS + CHECKSUM_CHARS && body.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let (unchecked, sum) = text.split_at_checked(text.len().checked_sub(CHECKSUM_CHARS)?)?;
    (ours && checksum(unchecked) == sum).then(|| digest(text))
}

/// Whether a text may hold a key, so that it is not for a log. It may be a mistyped one, too.
pub fn may_hold_a_key(text: &str) -> bool {
    [KeyLevel::Organization, KeyLevel::Tenant].into_iter().any(|level| text.contains(prefix(level)))
}

const fn prefix(level: KeyLevel) -> &'static str {
    match level {
        KeyLevel::Organization => "cw_org_",
        KeyLevel::Tenant => "cw_ten_",
    }
}

fn digest(text: &str) -> KeyDigest {
    KeyDigest(Sha256::digest(text.as_bytes()).into())
}

/// CRC-32 of the key so far, six base-62 digits, most significant first.
fn checksum(text: &str) -> String {
    let crc = crc32fast::hash(text.as_bytes());
    (0..CHECKSUM_CHARS)
        .rev()
        .map(|place| base62(crc / 62_u32.pow(u32::try_from(place).unwrap_or(0))))
        .collect()
}

fn base62(value: u32) -> char {
    usize::try_from(value % 62).ok().and_then(|index| ALPHABET.get(index)).copied().map_or('0', char::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting;

    impl Entropy for Counting {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(61);
        }
    }

    #[test]
    fn a_minted_key_is_recognised_and_a_mistyped_one_is_not() {
        for level in [KeyLevel::Tenant, KeyLevel::Organization] {
            let key = mint(level, &Counting);
            let text = key.text.reveal();
            assert_eq!(text.len(), 7 + 30 + 6);
            assert_eq!(digest_of_well_formed(text), Some(key.digest));
            assert_eq!(digest_of_well_formed(&text.replacen('z', "y", 1)), None);
            assert_eq!(digest_of_well_formed(&format!("{text}0")), None);
        }
        for garbage in ["", "cw_org_", "cw_ten_é", "Bearer x", "cw_org_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]
        {
            assert_eq!(digest_of_well_formed(garbage), None, "{garbage}");
        }
    }
}
