//! Keys of SRTP in a session description (RFC 4568).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use media::srtp::{Master, Suite};
use sdp_types::Media;

/// Our wish for protected sound, and the key of what we send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keyed {
    /// The key; drawn afresh for each call.
    pub ours: Master,
    /// Whether plain sound is refused; else it is taken when the other side offers it.
    pub required: bool,
}

/// What one `a=crypto` line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secured {
    /// Names the line in the answer.
    pub tag: u32,
    /// The suite of both directions.
    pub suite: Suite,
    /// The key of what the other side sends.
    pub theirs: Master,
}

/// The tag and the suite of our only line.
const OURS: u32 = 1;
const SUITE: Suite = Suite::Tag80;

/// The `a=crypto` line of an offer of ours, or of the answer to `offered`.
pub(crate) fn write(ours: &Master, offered: Option<Secured>) -> String {
    let (tag, suite) = offered.map_or((OURS, SUITE), |offered| (offered.tag, offered.suite));
    format!("{tag} {} inline:{}", name(suite), STANDARD.encode(ours.bytes()))
}

/// Whether an answer's line is of what we offered.
pub(crate) fn is_offered(answered: Secured) -> bool {
    (answered.tag, answered.suite) == (OURS, SUITE)
}

/// The first line of a stream that we can use.
pub(crate) fn read(media: &Media) -> Option<Secured> {
    media.get_attribute_values("crypto").flatten().find_map(|line| {
        let mut fields = line.split_whitespace();
        let tag = fields.next()?.parse().ok()?;
        let suite = [Suite::Tag80, Suite::Tag32]
            .into_iter()
            .find(|suite| Some(name(*suite)) == fields.clone().next());
        let suite = suite?;
        let parameters = fields.nth(1)?.strip_prefix("inline:")?;
        // A lifetime may follow, but no index of keys; and no session parameters, which would change
        // what is encrypted (RFC 4568 §6.1, §6.3).
        let mut parts = parameters.split('|');
        let key: [u8; 30] = STANDARD.decode(parts.next()?).ok()?.try_into().ok()?;
        let plain = parts.all(|part| !part.contains(':')) && fields.next().is_none();
        plain.then(|| Secured { tag, suite, theirs: Master::new(&key) })
    })
}

const fn name(suite: Suite) -> &'static str {
    match suite {
        Suite::Tag80 => "AES_CM_128_HMAC_SHA1_80",
        Suite::Tag32 => "AES_CM_128_HMAC_SHA1_32",
    }
}
