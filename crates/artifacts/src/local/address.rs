//! Signatures of addresses: HMAC-SHA256 over a path and the moment from which it is refused.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::secret::Secret;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use time::OffsetDateTime;

/// What the key is for, so that no key of another purpose is ever the same.
const PURPOSE: &[u8] = b"callwright: addresses of artifacts, version 1";

/// Signs, and knows its own signatures.
pub(super) struct Signer(Hmac<Sha256>);

impl Signer {
    /// With a key of its own: one block of HKDF-Expand (RFC 5869 §2.3) of the master key, which is
    /// random and needs no extraction.
    pub(super) fn derived_from(master: &Secret<[u8; 32]>) -> Self {
        let mut expand = keyed(*master.reveal());
        expand.update(PURPOSE);
        expand.update(&[1]);
        Self(keyed(expand.finalize().into_bytes().into()))
    }

    /// The last whole second (Unix time) up to which the address works, and its signature.
    pub(super) fn sign(&self, path: &str, expires: OffsetDateTime) -> (String, String) {
        let expires = expires.unix_timestamp().to_string();
        let signature = URL_SAFE_NO_PAD.encode(self.over(path, &expires).finalize().into_bytes());
        (expires, signature)
    }

    /// Whether this is the signature of just this path and moment, and the moment has not come. How long
    /// it takes tells nothing of the right signature.
    pub(super) fn holds(&self, path: &str, expires: &str, signature: &str, now: OffsetDateTime) -> bool {
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap_or_default();
        let genuine = self.over(path, expires).verify_slice(&signature).is_ok();
        genuine && expires.parse().is_ok_and(|expires: i64| now.unix_timestamp() < expires)
    }

    fn over(&self, path: &str, expires: &str) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        mac.update(path.as_bytes());
        // In neither part.
        mac.update(b"?");
        mac.update(expires.as_bytes());
        mac
    }
}

/// HMAC fills a key up with zeros to its block of 64 bytes (RFC 2104 §2).
fn keyed(key: [u8; 32]) -> Hmac<Sha256> {
    let mut block = [0; 64];
    for (place, byte) in block.iter_mut().zip(key) {
        *place = byte;
    }
    Mac::new(&block.into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::Duration;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-01 09:30 UTC);

    fn signer(key: u8) -> Signer {
        Signer::derived_from(&Secret::new([key; 32]))
    }

    #[test]
    fn the_derived_key_is_that_of_hkdf_and_not_the_master_key() {
        let hkdf = {
            let mut mac = Hmac::<Sha256>::new_from_slice(&[7; 32]).unwrap();
            mac.update(PURPOSE);
            mac.update(&[1]);
            mac.finalize().into_bytes()
        };
        let by = |key: &[u8]| {
            let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
            mac.update(b"a/b?1");
            URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
        };
        let (_, signature) = signer(7).sign("a/b", OffsetDateTime::from_unix_timestamp(1).unwrap());
        assert_eq!(signature, by(&hkdf));
        assert_ne!(signature, by(&[7; 32]));
    }

    #[test]
    fn a_signature_holds_until_its_moment_comes() {
        let signer = signer(1);
        let (expires, signature) = signer.sign("a", NOW + Duration::HOUR);
        for (after, holds) in [(0, true), (3_599, true), (3_600, false), (1_000_000, false)] {
            let now = NOW + Duration::seconds(after);
            assert_eq!(signer.holds("a", &expires, &signature, now), holds, "{after}");
        }
    }

    proptest! {
        #[test]
        fn the_signature_of_one_path_moment_or_key_never_opens_another(
            path in "[a-z0-9/.?-]{0,40}", other in "[a-z0-9/.?-]{0,40}",
            later in 0_i64..100_000, others_later in 0_i64..100_000, key: u8, others_key: u8,
        ) {
            let text = |later: i64| (NOW.unix_timestamp() + 1 + later).to_string();
            let (expires, signature) = signer(key).sign(&path, NOW + Duration::seconds(1 + later));
            let same = (&path, later, key) == (&other, others_later, others_key);
            prop_assert!(signer(key).holds(&path, &expires, &signature, NOW));
            prop_assert_eq!(signer(others_key).holds(&other, &text(others_later), &signature, NOW), same);
        }

        #[test]
        fn no_change_of_a_signature_passes(at in 0_usize..43, by in 1_u8..64) {
            let signer = signer(1);
            let (expires, mut signature) = signer.sign("a", NOW + Duration::HOUR);
            let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
            let own = letters.iter().position(|letter| *letter == signature.as_bytes()[at]).unwrap();
            let other = char::from(letters[(own + usize::from(by)) % 64]);
            signature.replace_range(at..=at, &other.to_string());
            prop_assert!(!signer.holds("a", &expires, &signature, NOW));
        }

        #[test]
        fn nothing_that_is_made_up_passes(path: String, expires: String, signature: String) {
            prop_assert!(!signer(1).holds(&path, &expires, &signature, OffsetDateTime::UNIX_EPOCH));
        }
    }
}
