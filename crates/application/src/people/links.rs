//! One-time links: their secret part, and the pages that they lead to.

use std::time::Duration;

use domain::ports::Entropy;
use domain::secret::Secret;
use domain::session::{Link, LinkDigest};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use crate::keys::random_text;

/// Characters of the secret part: 238 bits, in base 62.
const SECRET_CHARS: usize = 40;

/// Where an invitation leads; the secret part follows.
pub const INVITATION: &str = "/invitation/";

/// Where the first set-up is; the secret part follows.
pub const SET_UP: &str = "/set-up/";

/// A fresh link: its secret part is shown once, its digest is stored.
#[derive(Clone, Debug)]
pub struct MintedLink {
    /// What follows the page's path.
    pub secret: Secret<String>,
    /// What the store keeps of it.
    pub link: Link,
}

/// Makes a link that works for `life`.
pub fn mint(entropy: &dyn Entropy, created_at: OffsetDateTime, life: Duration) -> MintedLink {
    let secret = random_text(SECRET_CHARS, entropy);
    let link = Link { digest: digest(&secret), created_at, expires_at: created_at + life };
    MintedLink { secret: Secret::new(secret), link }
}

/// The digest of a link's secret part.
pub fn digest(secret: &str) -> LinkDigest {
    LinkDigest(Sha256::digest(secret.as_bytes()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting(std::sync::atomic::AtomicU8);

    impl Entropy for Counting {
        fn fill(&self, bytes: &mut [u8]) {
            for byte in bytes {
                *byte = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
        }
    }

    #[test]
    fn a_link_is_known_by_its_digest_and_shows_in_no_message() {
        let (entropy, now) = (Counting(0.into()), OffsetDateTime::UNIX_EPOCH);
        let (one, other) =
            (mint(&entropy, now, Duration::from_secs(9)), mint(&entropy, now, Duration::from_secs(9)));
        let text = one.secret.reveal();
        assert!(text.len() == SECRET_CHARS && text.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_eq!(digest(text), one.link.digest);
        assert_ne!(one.link.digest, other.link.digest);
        assert_eq!(one.link.expires_at, now + Duration::from_secs(9));
        assert!(!format!("{one:?}").contains(text));
    }
}
