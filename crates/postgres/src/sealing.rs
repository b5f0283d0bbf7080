//! Encryption of single columns: XChaCha20-Poly1305, bound to table, column and row.

use std::sync::Arc;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use domain::secret::Secret;
use uuid::Uuid;

const NONCE_BYTES: usize = 24;

/// Which key sealed a value; a second key will get the next number when keys can be rotated.
const KEY_ID: u8 = 1;

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

/// The 256-bit key that seals secrets at rest.
#[derive(Clone)]
pub struct SealingKey(Arc<XChaCha20Poly1305>);

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
    /// Takes a key of 32 random bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Arc::new(XChaCha20Poly1305::new(&Key::from(bytes))))
    }

    /// Encrypts: key id, random nonce, ciphertext with tag.
    pub(crate) fn seal(&self, place: Place, plain: &[u8]) -> Result<Vec<u8>, SealError> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|_| SealError)?;
        let payload = Payload { msg: plain, aad: &place.associated_data() };
        let sealed = self.0.encrypt(&XNonce::from(nonce), payload).map_err(|_| SealError)?;
        let mut whole = Vec::with_capacity(1 + NONCE_BYTES + sealed.len());
        whole.push(KEY_ID);
        whole.extend_from_slice(&nonce);
        whole.extend_from_slice(&sealed);
        Ok(whole)
    }

    /// Decrypts; none when the key, the place or a single bit is not the one it was sealed with.
    pub(crate) fn open(&self, place: Place, whole: &[u8]) -> Option<Secret<Vec<u8>>> {
        let (key_id, rest) = whole.split_first()?;
        let (nonce, sealed) = rest.split_first_chunk::<NONCE_BYTES>()?;
        if *key_id != KEY_ID {
            return None;
        }
        let payload = Payload { msg: sealed, aad: &place.associated_data() };
        self.0.decrypt(&XNonce::from(*nonce), payload).ok().map(Secret::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place { table: "trunks", column: "password", id: Uuid::from_u128(7) };

    #[test]
    fn a_sealed_value_opens_only_in_its_place_under_its_key() {
        let key = SealingKey::from_bytes([1; 32]);
        let sealed = key.seal(PLACE, b"hunter2").unwrap();
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
        let sealed = key.seal(PLACE, b"hunter2").unwrap();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(key.open(PLACE, &changed).is_none(), "bit in byte {at}");
            assert!(key.open(PLACE, &sealed[..at]).is_none(), "cut at {at}");
        }
    }

    #[test]
    fn sealing_twice_gives_different_bytes() {
        let key = SealingKey::from_bytes([1; 32]);
        assert_ne!(key.seal(PLACE, b"x").unwrap(), key.seal(PLACE, b"x").unwrap());
    }
}
