//! Single values as people write them, on the command line and in the dashboard; each reader says what is
//! allowed.

use domain::network::Network;
use domain::number::{CountryCode, E164};
use domain::trunk::{LISTED_MAX, Srtp, Transport, TrunkAddress};

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

/// Networks in CIDR form, separated by commas or spaces; at least one.
pub fn networks(text: &str) -> Result<Vec<Network>, Rule> {
    let parts = text.split([',', ' ', '\t', '\r', '\n']).filter(|part| !part.is_empty());
    let networks: Option<Vec<_>> = parts.take(LISTED_MAX + 1).map(Network::parse).collect();
    listed(networks.filter(|networks| !networks.is_empty()).ok_or(Rule::Networks)?)
}

/// Digest realms, one on each line; blank lines are skipped.
pub fn realms(text: &str) -> Result<Vec<String>, Rule> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    listed(lines.take(LISTED_MAX + 1).map(name).collect::<Result<_, _>>()?)
}

/// No more than one setting of a trunk may list.
pub fn listed<T>(values: Vec<T>) -> Result<Vec<T>, Rule> {
    if values.len() <= LISTED_MAX { Ok(values) } else { Err(Rule::AtMost(LISTED_MAX)) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_separated_by_commas_or_spaces() {
        let all = ["192.0.2.0/24", "2001:db8::/32", "10.0.0.1/32"].map(|text| Network::parse(text).unwrap());
        assert_eq!(networks("192.0.2.0/24, 2001:db8::/32\n10.0.0.1"), Ok(all.to_vec()));
        for bad in ["", " , ", "192.0.2.0/33", "192.0.2.0/24 host", "10.0.0.0-10.0.0.9"] {
            assert_eq!(networks(bad), Err(Rule::Networks), "{bad:?}");
        }
        assert_eq!(networks(&"10.0.0.1 ".repeat(32)).map(|all| all.len()), Ok(32));
        assert_eq!(networks(&"10.0.0.1 ".repeat(33)), Err(Rule::AtMost(32)));
    }

    #[test]
    fn realms_are_lines_of_text() {
        assert_eq!(realms("a, b\r\n\r\n c \n"), Ok(vec!["a, b".to_owned(), "c".to_owned()]));
        assert_eq!(realms("a\tb"), Err(Rule::Text(200)));
        assert_eq!(realms(&"x".repeat(201)), Err(Rule::Text(200)));
        assert_eq!(realms(&"x\n".repeat(32)).map(|all| all.len()), Ok(32));
        assert_eq!(realms(&"x\n".repeat(33)), Err(Rule::AtMost(32)));
    }
}
