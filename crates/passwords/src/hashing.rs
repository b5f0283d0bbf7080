//! What one hash costs, and holding passwords against hashes.

use std::io;
#[cfg(test)]
use std::sync::atomic::{AtomicU64, Ordering};

use argon2::password_hash::{PasswordHash as Phc, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use domain::password::PasswordHash;
use domain::ports::Verdict;
use domain::secret::Secret;

/// Memory of a hash, in KiB (OWASP Password Storage Cheat Sheet: Argon2id, m=19456, t=2, p=1).
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Bytes of a salt (RFC 9106 §3.1).
pub(crate) const SALT_BYTES: usize = 16;

/// What stands for the hash of those who have none: of a salt and a key that no password gives.
pub(crate) const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Argon2id at the present cost.
pub(crate) struct Hashing {
    argon2: Argon2<'static>,
    params: Params,
    #[cfg(test)]
    pub(crate) made: AtomicU64,
}

impl Hashing {
    pub(crate) fn new() -> io::Result<Self> {
        let params =
            Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(|why| io::Error::other(why.to_string()))?;
        Ok(Self {
            argon2: Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone()),
            params,
            #[cfg(test)]
            made: AtomicU64::new(0),
        })
    }

    /// The hash in PHC form; none when there is no memory for it.
    pub(crate) fn hash(&self, password: &Secret<String>, salt: [u8; SALT_BYTES]) -> Option<PasswordHash> {
        self.count();
        let salt = SaltString::encode_b64(&salt).ok()?;
        let hashed = self.argon2.hash_password(password.reveal().as_bytes(), &salt);
        match hashed {
            Ok(hash) => Some(PasswordHash::from_phc(hash.to_string())),
            Err(error) => {
                tracing::error!(%error, "a password could not be hashed");
                None
            }
        }
    }

    /// One hash is made whatever there is to hold the password against.
    pub(crate) fn verify(&self, password: &Secret<String>, against: Option<&PasswordHash>) -> Verdict {
        self.count();
        let stored = against.and_then(|hash| match Phc::new(hash.reveal()) {
            Ok(stored) => Some(stored),
            Err(error) => {
                tracing::error!(%error, "a stored password hash cannot be read");
                None
            }
        });
        let known = stored.is_some();
        let Some(against) = stored.or_else(|| Phc::new(NOBODY).ok()) else { return Verdict::Wrong };
        let equal = self.argon2.verify_password(password.reveal().as_bytes(), &against).is_ok();
        if equal && known { Verdict::Right { outdated: self.is_outdated(&against) } } else { Verdict::Wrong }
    }

    fn is_outdated(&self, stored: &Phc<'_>) -> bool {
        let same = |params: Params| {
            params.m_cost() == self.params.m_cost()
                && params.t_cost() == self.params.t_cost()
                && params.p_cost() == self.params.p_cost()
        };
        stored.algorithm != Algorithm::Argon2id.ident() || !Params::try_from(stored).is_ok_and(same)
    }

    fn count(&self) {
        #[cfg(test)]
        self.made.fetch_add(1, Ordering::Relaxed);
        #[cfg(not(test))]
        let _ = self;
    }
}
