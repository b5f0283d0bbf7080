//! Random identifiers: Call-IDs, tags, branches and nonces.

use std::net::SocketAddr;
use std::sync::Arc;

use domain::ports::Entropy;

use crate::digest::hex;

/// The cookie that every branch begins with (RFC 3261 §8.1.1.7).
const MAGIC_COOKIE: &str = "z9hG4bK";

/// The INVITEs that one call sends at most: the first, and what digest, 422 or a 503 make of it. An
/// orphan's CANCEL tries them all.
pub(crate) const MOST_INVITES: u32 = 12;

/// Draws identifiers from the entropy port.
#[derive(Clone)]
pub(crate) struct Tokens(Arc<dyn Entropy>);

impl Tokens {
    pub(crate) fn new(entropy: Arc<dyn Entropy>) -> Self {
        Self(entropy)
    }

    /// The source itself.
    pub(crate) fn entropy(&self) -> &dyn Entropy {
        self.0.as_ref()
    }

    /// 64 random bits (RFC 3261 §19.3 asks for at least 32), for tags and nonces.
    pub(crate) fn tag(&self) -> String {
        hex(&self.draw::<8>())
    }

    /// A Call-ID on our host.
    pub(crate) fn call_id(&self, host: SocketAddr) -> String {
        format!("{}@{}", hex(&self.draw::<16>()), host.ip())
    }

    /// A branch for any request.
    pub(crate) fn branch(&self) -> String {
        format!("{MAGIC_COOKIE}{}", hex(&self.draw::<12>()))
    }

    /// The branch of a first INVITE: it carries our port, so that another node can cancel the
    /// INVITE under the same `sent-by` (RFC 3261 §17.2.3).
    pub(crate) fn invite_branch(&self, sent_by: SocketAddr) -> String {
        format!("{MAGIC_COOKIE}{}.{:x}", hex(&self.draw::<12>()), sent_by.port())
    }

    /// A number for SDP origins.
    pub(crate) fn session_id(&self) -> u64 {
        // 31 bits: some peers read it as a signed number.
        u64::from(u32::from_be_bytes(self.draw()) >> 1)
    }

    /// A key of SRTP with its salt.
    pub(crate) fn master(&self) -> media::srtp::Master {
        media::srtp::Master::new(&self.draw())
    }

    /// A part of `whole` between 0 and all of it, for pauses that must not fall together.
    pub(crate) fn part_of(&self, whole: std::time::Duration) -> std::time::Duration {
        whole.mul_f64(f64::from(u16::from_be_bytes(self.draw())) / f64::from(u16::MAX))
    }

    fn draw<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.fill(&mut bytes);
        bytes
    }
}

/// The branch of the `retry`-th INVITE after the first (digest, failover): derived, so that an
/// orphan's CANCEL can name it.
pub(crate) fn retry_branch(first: &str, retry: u32) -> String {
    if retry == 0 { first.to_owned() } else { format!("{first}.r{retry}") }
}

/// The port that [`Tokens::invite_branch`] put into a branch.
pub(crate) fn branch_port(branch: &str) -> Option<u16> {
    let port = branch.split('.').nth(1)?;
    u16::from_str_radix(port, 16).ok()
}
