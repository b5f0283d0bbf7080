//! Hashing passwords, which is slow on purpose.

use async_trait::async_trait;

use crate::password::PasswordHash;
use crate::secret::Secret;

/// So many passwords wait to be hashed already that this one is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many passwords are being checked at once")]
pub struct Busy;

/// What holding a password against a hash found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is another one, or there was nothing to hold it against.
    Wrong,
    /// It is the one.
    Right {
        /// Whether it should be hashed anew: new hashes are made at another cost.
        outdated: bool,
    },
}

/// Hashes passwords, a few at a time.
#[async_trait]
pub trait Passwords: Send + Sync {
    /// Hashes a new password.
    async fn hash(&self, password: Secret<String>) -> Result<PasswordHash, Busy>;

    /// Holds a password against a hash; without one it costs the same, and is wrong.
    async fn verify(&self, password: Secret<String>, against: Option<PasswordHash>) -> Result<Verdict, Busy>;
}
