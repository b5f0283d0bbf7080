//! Requests that a client may repeat without their being done twice.

use std::time::Duration;

use crate::scope::Scope;

/// For so long a key belongs to the request that came with it first.
pub const LIFETIME: Duration = Duration::from_hours(24);

/// The value of an `Idempotency-Key` header: 1 to 255 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// The longest key, in characters.
    pub const LENGTH_MAX: usize = 255;

    /// Reads a key; none when it is empty, too long, or holds anything but visible ASCII.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = (1..=Self::LENGTH_MAX).contains(&text.len());
        (fits && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| Self(text.to_owned()))
    }

    /// The key's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A request that is to be done once, however often it comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Once {
    /// Whose key it is: equal keys of other API keys' organizations or tenants are other keys.
    pub scope: Scope,
    /// The client's key.
    pub key: IdempotencyKey,
    /// The SHA-256 of what was asked: the same key with another one is a mistake of the client.
    pub fingerprint: [u8; 32],
}

/// What an earlier request with the same key left; `T` is what it was answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier<T> {
    /// It asked for the same: this was its answer.
    Same(T),
    /// It asked for something else.
    Different,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_1_to_255_visible_ascii_characters() {
        for good in ["a", "550e8400-e29b-41d4-a716-446655440000", &"k".repeat(255), "~!{}"] {
            assert_eq!(IdempotencyKey::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", "a b", "ä", "a\tb", "a\0", &"k".repeat(256)] {
            assert_eq!(IdempotencyKey::parse(bad), None, "{bad:?}");
        }
    }
}
