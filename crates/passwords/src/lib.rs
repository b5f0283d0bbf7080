//! Hashes passwords with Argon2id, a few at a time, and refuses more than can be hashed soon. Strangers, however
//! many, neither take the places of known users nor keep them waiting.
//!
//! A password for an account that is not there is hashed as well: its answer takes as long.

mod hashing;
mod queue;
mod workers;

use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use domain::password::PasswordHash;
use domain::ports::{Busy, Entropy, Passwords, Requester, Verdict};
use domain::secret::Secret;

use hashing::Hashing;
use workers::Workers;

/// Argon2id on threads of its own.
pub struct Argon2Passwords {
    workers: Workers,
    hashing: Arc<Hashing>,
    entropy: Arc<dyn Entropy>,
}

impl Argon2Passwords {
    /// Starts the threads; salts come from `entropy`.
    pub fn start(entropy: Arc<dyn Entropy>) -> io::Result<Self> {
        Ok(Self { workers: Workers::start()?, hashing: Arc::new(Hashing::new()?), entropy })
    }
}

#[async_trait]
impl Passwords for Argon2Passwords {
    async fn hash(
        &self,
        password: Secret<String>,
        alike: Option<PasswordHash>,
        requester: Requester,
    ) -> Result<PasswordHash, Busy> {
        let mut salt = [0; hashing::SALT_BYTES];
        self.entropy.fill(&mut salt);
        let salt = hashing::salt(alike.as_ref(), salt);
        let hashing = Arc::clone(&self.hashing);
        self.workers.run(requester, move || hashing.hash(&password, &salt?)).await?.ok_or(Busy)
    }

    async fn verify(
        &self,
        password: Secret<String>,
        against: Vec<PasswordHash>,
        requester: Requester,
    ) -> Result<Verdict, Busy> {
        let hashing = Arc::clone(&self.hashing);
        self.workers.run(requester, move || hashing.verify(&password, &against)).await
    }
}

#[cfg(test)]
mod tests;
