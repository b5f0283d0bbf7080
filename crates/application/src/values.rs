//! Single values as people write them, on the command line and in the dashboard; each reader says what is
//! allowed.

use domain::number::{CountryCode, E164};
use domain::trunk::{Srtp, Transport, TrunkAddress};

/// The longest name of anything, in characters.
const NAME_MAX: usize = 200;

/// The most calls at a time that a trunk may be limited to.
pub const MAX_CALLS_MAX: u32 = 100_000;

/// The most new calls a second that a trunk may be limited to.
pub const CALLS_PER_SECOND_MAX: u32 = 10_000;

/// A name: text on one line.
pub fn name(text: &str) -> Result<String, String> {
    let text = text.trim();
    let fits = !text.is_empty() && text.chars().count() <= NAME_MAX && !text.chars().any(char::is_control);
    fits.then(|| text.to_owned()).ok_or_else(|| format!("expected 1 to {NAME_MAX} characters of text"))
}

/// Where a trunk's requests go.
pub fn address(text: &str) -> Result<TrunkAddress, String> {
    TrunkAddress::parse(text)
        .ok_or_else(|| "expected HOST or HOST:PORT, IPv6 in brackets, e.g. [2001:db8::1]:5060".to_owned())
}

/// How they go there.
pub fn transport(text: &str) -> Result<Transport, String> {
    Transport::parse(text).ok_or_else(|| "expected udp, tcp or tls".to_owned())
}

/// Whether sound is encrypted.
pub fn srtp(text: &str) -> Result<Srtp, String> {
    Srtp::parse(text).ok_or_else(|| "expected off or required".to_owned())
}

/// The host part of a From.
pub fn domain_name(text: &str) -> Result<String, String> {
    TrunkAddress::parse(text)
        .filter(|address| address.port.is_none())
        .map(|_| text.to_owned())
        .ok_or_else(|| "expected a host name without a port".to_owned())
}

/// A country calling code.
pub fn country(text: &str) -> Result<CountryCode, String> {
    CountryCode::parse(text).ok_or_else(|| "expected a country calling code such as 1 or 49".to_owned())
}

/// A telephone number of the service.
pub fn number(text: &str) -> Result<E164, String> {
    E164::parse(text).ok_or_else(|| "expected an E.164 number such as +14155550123".to_owned())
}

/// A limit: a whole number from 1 to `most`.
pub fn limit(text: &str, most: u32) -> Result<u32, String> {
    let read = text.parse().ok().filter(|value| (1..=most).contains(value));
    read.ok_or_else(|| format!("expected a whole number from 1 to {most}"))
}

/// The longest key of a provider, in bytes.
pub const PROVIDER_KEY_MAX: usize = 4_096;

/// A provider's key, which goes into a header of HTTP. The words about a bad one do not repeat it.
pub fn provider_key(text: &str) -> Result<String, String> {
    let key = text.trim();
    let fits = (1..=PROVIDER_KEY_MAX).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
    let allowed = || format!("expected one line of 1 to {PROVIDER_KEY_MAX} visible characters of ASCII");
    fits.then(|| key.to_owned()).ok_or_else(allowed)
}
