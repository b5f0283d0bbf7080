//! Encryption of single columns: XChaCha20-Poly1305, bound to table, column and row.

use std::sync::Arc;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use domain::at_rest::{AtRestKey, AtRestKeys};
use domain::ports::{FixedKeys, KeyRing};
use domain::secret::Secret;
use uuid::Uuid;

const NONCE_BYTES: usize = 24;

/// Where a sealed value lies: it opens nowhere else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) table: &'static str,
    pub(crate) column: &'static str,
    pub(crate) id: Uuid,
}

impl Place {
    fn associated_data(self) -> Vec<u8> {
        let mut data = format!("{}.{}:", self.table, self.column).into_bytes();
        data.extend_from_slice(self.id.as_bytes());
        data
    }
}

/// The ring of keys that seal secrets at rest, and open them.
#[derive(Clone)]
pub struct SealingKey(Arc<dyn KeyRing>);

impl std::fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealingKey([secret])")
    }
}

/// A value could not be sealed.
#[derive(Debug, thiserror::Error)]
#[error("the secret could not be encrypted")]
pub(crate) struct SealError;

impl SealingKey {
    /// Takes one key of 32 random bytes, which never changes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Arc::new(FixedKeys::one(bytes)))
    }

    /// Takes a ring, whose keys may change.
    pub fn of(ring: Arc<dyn KeyRing>) -> Self {
        Self(ring)
    }

    /// The keys that are held now.
    pub(crate) fn keys(&self) -> Arc<AtRestKeys> {
        self.0.keys()
    }

    /// The same, read anew.
    pub(crate) fn keys_anew(&self) -> Arc<AtRestKeys> {
        self.0.keys_anew()
    }

    /// Decrypts; none when the key, the place or a single bit is not the one it was sealed with. A
    /// value under a key that is not held has the keys read anew.
    pub(crate) fn open(&self, place: Place, whole: &[u8]) -> Option<Secret<Vec<u8>>> {
        let number = sealed_with(whole)?;
        let held = self.0.keys();
        match held.numbered(number) {
            Some(key) => open_with(key, place, whole),
            None => open_with(self.0.keys_anew().numbered(number)?, place, whole),
        }
    }
}

/// The number of the key that a value says it was sealed with.
pub(crate) fn sealed_with(whole: &[u8]) -> Option<u8> {
    whole.first().copied()
}

/// Encrypts with one key: its number, random nonce, ciphertext with tag.
pub(crate) fn seal_with(key: &AtRestKey, place: Place, plain: &[u8]) -> Result<Vec<u8>, SealError> {
    let mut nonce = [0; NONCE_BYTES];
    getrandom::fill(&mut nonce).map_err(|_| SealError)?;
    let payload = Payload { msg: plain, aad: &place.associated_data() };
    let sealed = cipher(key).encrypt(&XNonce::from(nonce), payload).map_err(|_| SealError)?;
    let mut whole = Vec::with_capacity(1 + NONCE_BYTES + sealed.len());
    whole.push(key.number);
    whole.extend_from_slice(&nonce);
    whole.extend_from_slice(&sealed);
    Ok(whole)
}

/// Opens with one key.
pub(crate) fn open_with(key: &AtRestKey, place: Place, whole: &[u8]) -> Option<Secret<Vec<u8>>> {
    let (number, rest) = whole.split_first()?;
    let (nonce, sealed) = rest.split_first_chunk::<NONCE_BYTES>()?;
    if *number != key.number {
        return None;
    }
    let payload = Payload { msg: sealed, aad: &place.associated_data() };
    cipher(key).decrypt(&XNonce::from(*nonce), payload).ok().map(Secret::new)
}

/// By what nodes can tell that they hold the same key, and nobody can tell the key: its number, and the
/// tag of nothing under a nonce that no value is ever sealed with.
pub(crate) fn fingerprint(key: &AtRestKey) -> Result<String, SealError> {
    let payload = Payload { msg: &[], aad: b"callwright: fingerprint of a key at rest" };
    let tag = cipher(key).encrypt(&XNonce::from([0; NONCE_BYTES]), payload).map_err(|_| SealError)?;
    let tag: [u8; 16] = tag.try_into().map_err(|_| SealError)?;
    Ok(format!("{}:{:032x}", key.number, u128::from_be_bytes(tag)))
}

fn cipher(key: &AtRestKey) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&Key::from(*key.bytes.reveal()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place { table: "trunks", column: "password", id: Uuid::from_u128(7) };

    fn seal(key: &SealingKey, plain: &[u8]) -> Vec<u8> {
        seal_with(key.keys().sealing(), PLACE, plain).unwrap()
    }

    #[test]
    fn a_sealed_value_opens_only_in_its_place_under_its_key() {
        let key = SealingKey::from_bytes([1; 32]);
        let sealed = seal(&key, b"hunter2");
        assert_eq!(key.open(PLACE, &sealed).unwrap().reveal(), b"hunter2");
        assert!(SealingKey::from_bytes([2; 32]).open(PLACE, &sealed).is_none());
        for moved in [
            Place { table: "numbers", ..PLACE },
            Place { column: "username", ..PLACE },
            Place { id: Uuid::from_u128(8), ..PLACE },
        ] {
            assert!(key.open(moved, &sealed).is_none(), "{moved:?}");
        }
    }

    #[test]
    fn a_changed_or_cut_value_does_not_open() {
        let key = SealingKey::from_bytes([1; 32]);
        let sealed = seal(&key, b"hunter2");
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(key.open(PLACE, &changed).is_none(), "bit in byte {at}");
            assert!(key.open(PLACE, &sealed[..at]).is_none(), "cut at {at}");
        }
    }

    #[test]
    fn what_an_earlier_key_sealed_opens_as_long_as_the_key_is_held() {
        let (old, new) = (Secret::new([1; 32]), Secret::new([2; 32]));
        let first = AtRestKeys::first(old);
        let two = first.with_next(new).unwrap();
        let held = |keys: &AtRestKeys| SealingKey::of(Arc::new(FixedKeys::new(keys.clone())));
        let early = seal(&held(&first), b"hunter2");
        let late = seal(&held(&two.newest_seals()), b"hunter2");
        assert_eq!((early.first(), late.first()), (Some(&1), Some(&2)));
        for (keys, opens) in
            [(first, (true, false)), (two.clone(), (true, true)), (two.newest_alone(), (false, true))]
        {
            let key = held(&keys);
            assert_eq!((key.open(PLACE, &early).is_some(), key.open(PLACE, &late).is_some()), opens);
        }
    }

    #[test]
    fn a_value_under_a_key_that_is_not_held_has_the_keys_read_anew() {
        struct Late(AtRestKeys);
        impl KeyRing for Late {
            fn keys(&self) -> Arc<AtRestKeys> {
                Arc::new(AtRestKeys::first(Secret::new([1; 32])))
            }
            fn keys_anew(&self) -> Arc<AtRestKeys> {
                Arc::new(self.0.clone())
            }
        }
        let two = AtRestKeys::first(Secret::new([1; 32])).with_next(Secret::new([2; 32])).unwrap();
        let sealed = seal_with(two.newest(), PLACE, b"hunter2").unwrap();
        assert_eq!(SealingKey::of(Arc::new(Late(two))).open(PLACE, &sealed).unwrap().reveal(), b"hunter2");
    }

    #[test]
    fn a_fingerprint_tells_keys_apart_and_not_what_they_are() {
        let key = |number, byte| AtRestKey { number, bytes: Secret::new([byte; 32]) };
        let print = |number, byte| fingerprint(&key(number, byte)).unwrap();
        assert_eq!(print(1, 7), print(1, 7));
        assert!(print(1, 7) != print(2, 7) && print(1, 7) != print(1, 8));
        assert!(print(12, 7).starts_with("12:") && !print(12, 7).contains("0707"));
    }

    #[test]
    fn sealing_twice_gives_different_bytes() {
        let key = SealingKey::from_bytes([1; 32]);
        assert_ne!(seal(&key, b"x"), seal(&key, b"x"));
    }
}
