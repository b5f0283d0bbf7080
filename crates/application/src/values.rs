//! Single values as people write them, on the command line and in the dashboard; each reader says what is
//! allowed.

use domain::number::{CountryCode, E164};
use domain::trunk::{Srtp, Transport, TrunkAddress};

use crate::rules::Rule;

/// The longest name of anything, in characters.
const NAME_MAX: usize = 200;

/// The most calls at a time that a trunk may be limited to.
pub const MAX_CALLS_MAX: u32 = 100_000;

/// The most new calls a second that a trunk may be limited to.
pub const CALLS_PER_SECOND_MAX: u32 = 10_000;

/// A name: text on one line.
pub fn name(text: &str) -> Result<String, Rule> {
    let text = text.trim();
    let fits = !text.is_empty() && text.chars().count() <= NAME_MAX && !text.chars().any(char::is_control);
    fits.then(|| text.to_owned()).ok_or(Rule::Text(NAME_MAX))
}

/// Where a trunk's requests go.
pub fn address(text: &str) -> Result<TrunkAddress, Rule> {
    TrunkAddress::parse(text).ok_or(Rule::TrunkAddress)
}

/// How they go there.
pub fn transport(text: &str) -> Result<Transport, Rule> {
    Transport::parse(text).ok_or(Rule::Transport)
}

/// Whether sound is encrypted.
pub fn srtp(text: &str) -> Result<Srtp, Rule> {
    Srtp::parse(text).ok_or(Rule::Srtp)
}

/// The host part of a From.
pub fn domain_name(text: &str) -> Result<String, Rule> {
    TrunkAddress::parse(text)
        .filter(|address| address.port.is_none())
        .map(|_| text.to_owned())
        .ok_or(Rule::DomainName)
}

/// A country calling code.
pub fn country(text: &str) -> Result<CountryCode, Rule> {
    CountryCode::parse(text).ok_or(Rule::CountryCode)
}

/// A telephone number of the service.
pub fn number(text: &str) -> Result<E164, Rule> {
    E164::parse(text).ok_or(Rule::E164)
}

/// A limit: a whole number from 1 to `most`.
pub fn limit(text: &str, most: u32) -> Result<u32, Rule> {
    let read = text.parse().ok().filter(|value| (1..=most).contains(value));
    read.ok_or(Rule::WholeNumber(most))
}

/// The longest key of a provider, in bytes.
pub const PROVIDER_KEY_MAX: usize = 4_096;

/// A provider's key, which goes into a header of HTTP.
pub fn provider_key(text: &str) -> Result<String, Rule> {
    let key = text.trim();
    let fits = (1..=PROVIDER_KEY_MAX).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
    fits.then(|| key.to_owned()).ok_or(Rule::ProviderKey(PROVIDER_KEY_MAX))
}
