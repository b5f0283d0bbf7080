//! Signatures of addresses: HMAC-SHA256 over a path and the moment from which it is refused.

use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::at_rest::{AtRestKey, KEYS_MAX};
use domain::ports::{KeyRing, URL_LIFE};
use domain::secret::Secret;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use time::OffsetDateTime;

/// What the key is for, so that no key of another purpose is ever the same.
const PURPOSE: &[u8] = b"callwright: addresses of artifacts, version 1";

/// Signs with the key in force, and knows the signatures of every key that is held, or that signed here
/// within the life of an address: a key that is taken away takes no address with it.
pub(super) struct Signers {
    ring: Arc<dyn KeyRing>,
    used: Mutex<Vec<(AtRestKey, OffsetDateTime)>>,
}

impl Signers {
    pub(super) fn new(ring: Arc<dyn KeyRing>) -> Self {
        Self { ring, used: Mutex::default() }
    }

    /// The last whole second up to which the address works, and its signature.
    pub(super) fn sign(&self, path: &str, now: OffsetDateTime) -> (String, String) {
        let keys = self.ring.keys();
        let key = keys.sealing();
        {
            let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
            used.retain(|(other, at)| other != key && now - *at <= URL_LIFE);
            used.truncate(KEYS_MAX);
            used.push((key.clone(), now));
        }
        Signer::derived_from(&key.bytes).sign(path, now + URL_LIFE)
    }

    /// Whether one of the keys signed just this path and moment, and the moment has not come.
    pub(super) fn holds(&self, path: &str, expires: &str, signature: &str, now: OffsetDateTime) -> bool {
        let by = |key: &AtRestKey| Signer::derived_from(&key.bytes).holds(path, expires, signature, now);
        if self.ring.keys().all().any(by) {
            return true;
        }
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner).clone();
        used.iter().any(|(key, _)| by(key))
    }
}

/// Signs, and knows its own signatures.
struct Signer(Hmac<Sha256>);

impl Signer {
    /// With a key of its own: one block of HKDF-Expand (RFC 5869 §2.3) of the master key, which is
    /// random and needs no extraction.
    fn derived_from(master: &Secret<[u8; 32]>) -> Self {
        let mut expand = keyed(*master.reveal());
        expand.update(PURPOSE);
        expand.update(&[1]);
        Self(keyed(expand.finalize().into_bytes().into()))
    }

    /// The last whole second (Unix time) up to which the address works, and its signature.
    fn sign(&self, path: &str, expires: OffsetDateTime) -> (String, String) {
        let expires = expires.unix_timestamp().to_string();
        let signature = URL_SAFE_NO_PAD.encode(self.over(path, &expires).finalize().into_bytes());
        (expires, signature)
    }

    /// Whether this is the signature of just this path and moment, and the moment has not come. How long
    /// it takes tells nothing of the right signature.
    fn holds(&self, path: &str, expires: &str, signature: &str, now: OffsetDateTime) -> bool {
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
    use domain::at_rest::AtRestKeys;
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

    #[test]
    fn an_address_outlives_the_key_that_signed_it_by_its_own_life() {
        struct Changing(Mutex<Arc<AtRestKeys>>);
        impl KeyRing for Changing {
            fn keys(&self) -> Arc<AtRestKeys> {
                self.0.lock().unwrap().clone()
            }
            fn keys_anew(&self) -> Arc<AtRestKeys> {
                self.keys()
            }
        }
        let two = AtRestKeys::first(Secret::new([1; 32])).with_next(Secret::new([2; 32])).unwrap();
        let ring = Arc::new(Changing(Mutex::new(Arc::new(two.clone()))));
        let put = |keys: AtRestKeys| *ring.0.lock().unwrap() = Arc::new(keys);
        let signers = Signers::new(ring.clone());
        let holds = |(expires, signature): &(String, String), after: i64| {
            signers.holds("a", expires, signature, NOW + Duration::seconds(after))
        };
        let early = signers.sign("a", NOW);
        put(two.newest_seals());
        let late = signers.sign("a", NOW + Duration::MINUTE);
        assert_ne!(early.1, late.1);
        assert!(holds(&early, 60) && holds(&late, 60));
        put(two.newest_alone());
        assert!(holds(&early, 3_599) && !holds(&early, 3_600));
        signers.sign("a", NOW + Duration::seconds(3_601));
        assert!(holds(&late, 3_602));
        // A start knows the keys of the file alone.
        let started = Signers::new(ring.clone());
        assert!(!started.holds("a", &early.0, &early.1, NOW) && started.holds("a", &late.0, &late.1, NOW));
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
