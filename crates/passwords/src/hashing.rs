//! What one hash costs, and holding passwords against hashes.

use std::io;
#[cfg(test)]
use std::sync::atomic::{AtomicU64, Ordering};

use argon2::password_hash::{Output, PasswordHash as Phc, PasswordHasher, SaltString};
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
    pub(crate) fn hash(&self, password: &Secret<String>, salt: &SaltString) -> Option<PasswordHash> {
        self.count();
        let hashed = self.argon2.hash_password(password.reveal().as_bytes(), salt);
        match hashed {
            Ok(hash) => Some(PasswordHash::from_phc(hash.to_string())),
            Err(error) => {
                tracing::error!(%error, "a password could not be hashed");
                None
            }
        }
    }

    /// One hash is made whatever there is to hold the password against, and for each salt and cost one alone.
    pub(crate) fn verify(&self, password: &Secret<String>, against: &[PasswordHash]) -> Verdict {
        let stored = against.iter().enumerate();
        let stored: Vec<_> = stored.filter_map(|(which, hash)| Some((which, read(hash)?))).collect();
        if stored.is_empty() {
            if let Ok(nobody) = Phc::new(NOBODY) {
                self.output(password, &nobody);
            }
            return Verdict::Wrong;
        }
        let mut made: Vec<(&Phc<'_>, Option<Output>)> = Vec::new();
        let mut verdict = Verdict::Wrong;
        for (which, stored) in &stored {
            let known = made.iter().find(|(own, _)| are_alike(own, stored)).map(|(_, output)| *output);
            let output = known.unwrap_or_else(|| {
                let output = self.output(password, stored);
                made.push((stored, output));
                output
            });
            // Outputs are compared in constant time.
            let equal = output.zip(stored.hash).is_some_and(|(own, stored)| own == stored);
            if equal && verdict == Verdict::Wrong {
                verdict = Verdict::Right { which: *which, outdated: self.is_outdated(stored) };
            }
        }
        verdict
    }

    /// What the password gives with the salt and at the cost of a stored hash.
    fn output(&self, password: &Secret<String>, stored: &Phc<'_>) -> Option<Output> {
        self.count();
        let (params, salt) = (Params::try_from(stored).ok()?, stored.salt?);
        let (algorithm, version) = (Some(stored.algorithm), stored.version);
        let password = password.reveal().as_bytes();
        self.argon2.hash_password_customized(password, algorithm, version, params, salt).ok()?.hash
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

/// The salt of a stored hash; a fresh one of these bytes where there is none.
pub(crate) fn salt(alike: Option<&PasswordHash>, fresh: [u8; SALT_BYTES]) -> Option<SaltString> {
    let stored = alike.and_then(read);
    let stored = stored.and_then(|stored| SaltString::from_b64(stored.salt?.as_str()).ok());
    stored.or_else(|| SaltString::encode_b64(&fresh).ok())
}

fn read(hash: &PasswordHash) -> Option<Phc<'_>> {
    Phc::new(hash.reveal())
        .inspect_err(|error| tracing::error!(%error, "a stored password hash cannot be read"))
        .ok()
}

/// Whether a password gives the same for both.
fn are_alike(one: &Phc<'_>, other: &Phc<'_>) -> bool {
    let length = |hash: &Phc<'_>| hash.hash.map(|output| output.len());
    (one.algorithm, one.version, one.salt, length(one))
        == (other.algorithm, other.version, other.salt, length(other))
        && one.params == other.params
}
