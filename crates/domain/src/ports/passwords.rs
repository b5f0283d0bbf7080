//! Hashing passwords, which is slow on purpose.

use std::net::{IpAddr, Ipv4Addr};

use async_trait::async_trait;

use crate::password::PasswordHash;
use crate::rate_limit::Client;
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
        /// Which hash it fits: the place of the first.
        which: usize,
        /// Whether it should be hashed anew: new hashes are made at another cost.
        outdated: bool,
    },
}

/// Who waits for a password to be hashed. Strangers keep no known user waiting, and clients take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requester {
    /// Holds a session or a link, or signs in to an account that signed in from there of late.
    Known(Client),
    /// Anybody else.
    Stranger(Client),
}

impl Requester {
    /// Somebody known at this address; without one, as on the command line, at an address of their own.
    pub fn known(from: Option<IpAddr>) -> Self {
        Self::Known(Client::of(from.unwrap_or(Ipv4Addr::UNSPECIFIED.into())))
    }

    /// A stranger at this address.
    pub fn stranger(from: IpAddr) -> Self {
        Self::Stranger(Client::of(from))
    }
}

/// Hashes passwords, a few at a time.
#[async_trait]
pub trait Passwords: Send + Sync {
    /// Hashes a new password, with the salt of `alike`, if there is one. Hashes of one e-mail address have one
    /// salt, so that one computation tells which of them a password fits.
    async fn hash(
        &self,
        password: Secret<String>,
        alike: Option<PasswordHash>,
        requester: Requester,
    ) -> Result<PasswordHash, Busy>;

    /// Holds a password against the hashes of one e-mail address; without one it costs the same, and is wrong.
    async fn verify(
        &self,
        password: Secret<String>,
        against: Vec<PasswordHash>,
        requester: Requester,
    ) -> Result<Verdict, Busy>;
}
