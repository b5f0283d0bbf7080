//! Which addresses the service may call on a customer's behalf: the address guard's rule.

mod origin;
mod url;

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub use origin::Origin;
pub use url::{BadEndpoint, UnfitUrl, WebProtocol};

/// A block of addresses in CIDR form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

impl Network {
    /// Reads `ADDRESS/PREFIX` or a single address. A block of mapped IPv4 addresses is the IPv4 block,
    /// as every address is compared in that form; one that holds more than those is refused.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            Some(prefix) => prefix.parse::<u8>().ok().filter(|prefix| *prefix <= longest)?,
            None => longest,
        };
        match (address, address.to_canonical()) {
            (IpAddr::V6(_), v4 @ IpAddr::V4(_)) => {
                Some(Self { address: v4, prefix: prefix.checked_sub(96)? })
            }
            _ => Some(Self { address, prefix }),
        }
    }

    /// Whether `address` lies in this block; a mapped IPv4 address counts as the IPv4 address.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                same_prefix(u128::from(u32::from(own)) << 96, u128::from(u32::from(other)) << 96, self.prefix)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                same_prefix(u128::from(own), u128::from(other), self.prefix)
            }
            _ => false,
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

fn same_prefix(a: u128, b: u128, prefix: u8) -> bool {
    prefix == 0 || (a ^ b) >> (128 - u32::from(prefix)) == 0
}

/// Why an address is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refused {
    /// `0.0.0.0/8`, `::` and other addresses that name no host.
    Unspecified,
    /// This machine.
    Loopback,
    /// RFC 1918 and RFC 4193.
    Private,
    /// RFC 3927 and RFC 4291 §2.5.6, where cloud metadata lives.
    LinkLocal,
    /// RFC 6598.
    CarrierGradeNat,
    /// Groups and broadcast.
    Multicast,
    /// RFC 5737, RFC 3849, RFC 9637 and the benchmarking ranges.
    Documentation,
    /// An IPv6 form that carries an IPv4 address: mapped, NAT64, 6to4, Teredo.
    Embedded,
    /// Reserved by IANA, or not global.
    Reserved,
    /// One of the service's own addresses.
    Own,
}

impl Refused {
    /// Names the class for people, never the address: what a name resolves to inside the operator's
    /// network is not the customer's to learn.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unspecified => "the address names no host",
            Self::Loopback => "loopback address",
            Self::Private => "private address",
            Self::LinkLocal => "link-local address",
            Self::CarrierGradeNat => "carrier-grade NAT address",
            Self::Multicast => "multicast or broadcast address",
            Self::Documentation => "documentation or benchmarking address",
            Self::Embedded => "IPv6 address that carries an IPv4 address",
            Self::Reserved => "reserved address",
            Self::Own => "address of this service",
        }
    }
}

/// The guard's rule: every class of address that is not a public host is refused, unless the
/// operator named its network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressPolicy {
    /// Networks that override every refusal, for on-premises use.
    pub allowed: Vec<Network>,
    /// The service's own addresses.
    pub own: Vec<IpAddr>,
}

impl AddressPolicy {
    /// Whether the operator named the address's network.
    pub fn is_allowed_explicitly(&self, address: IpAddr) -> bool {
        self.allowed.iter().any(|network| network.contains(address))
    }

    /// Judges one address.
    pub fn judge(&self, address: IpAddr) -> Result<(), Refused> {
        if self.is_allowed_explicitly(address) {
            return Ok(());
        }
        if self.own.iter().any(|own| own.to_canonical() == address.to_canonical()) {
            return Err(Refused::Own);
        }
        let class = match address {
            IpAddr::V4(v4) => refused_v4(v4),
            IpAddr::V6(v6) => refused_v6(v6),
        };
        class.map_or(Ok(()), Err)
    }
}

/// Refused IPv4 blocks (IANA special-purpose registry), first match wins.
const V4: &[(u32, u8, Refused)] = &[
    (0x0000_0000, 8, Refused::Unspecified),
    (0x0A00_0000, 8, Refused::Private),
    (0x6440_0000, 10, Refused::CarrierGradeNat),
    (0x7F00_0000, 8, Refused::Loopback),
    (0xA9FE_0000, 16, Refused::LinkLocal),
    (0xAC10_0000, 12, Refused::Private),
    (0xC000_0000, 24, Refused::Reserved),
    (0xC000_0200, 24, Refused::Documentation),
    (0xC01F_C400, 24, Refused::Reserved),
    (0xC034_C100, 24, Refused::Reserved),
    (0xC058_6300, 24, Refused::Embedded),
    (0xC0A8_0000, 16, Refused::Private),
    (0xC0AF_3000, 24, Refused::Reserved),
    (0xC612_0000, 15, Refused::Documentation),
    (0xC633_6400, 24, Refused::Documentation),
    (0xCB00_7100, 24, Refused::Documentation),
    (0xE000_0000, 4, Refused::Multicast),
    (0xFFFF_FFFF, 32, Refused::Multicast),
    (0xF000_0000, 4, Refused::Reserved),
];

fn refused_v4(address: Ipv4Addr) -> Option<Refused> {
    let bits = u128::from(u32::from(address)) << 96;
    V4.iter()
        .find(|(block, prefix, _)| same_prefix(u128::from(*block) << 96, bits, *prefix))
        .map(|(_, _, class)| *class)
}

/// Refused IPv6 blocks inside and outside `2000::/3`, first match wins.
const V6: &[(u128, u8, Refused)] = &[
    (0, 128, Refused::Unspecified),
    (1, 128, Refused::Loopback),
    (0xFFFF << 32, 96, Refused::Embedded),
    (0, 96, Refused::Embedded),
    (0xFFFF_0000 << 32, 96, Refused::Embedded),
    (0x0064_FF9B << 96, 96, Refused::Embedded),
    (0x0064_FF9B_0001 << 80, 48, Refused::Embedded),
    (0x2001_0000 << 96, 32, Refused::Embedded),
    (0x2001_0DB8 << 96, 32, Refused::Documentation),
    (0x2001 << 112, 23, Refused::Reserved),
    (0x2002 << 112, 16, Refused::Embedded),
    (0x3FFF << 112, 20, Refused::Documentation),
    (0xFC00 << 112, 7, Refused::Private),
    (0xFE80 << 112, 10, Refused::LinkLocal),
    (0xFEC0 << 112, 10, Refused::Private),
    (0xFF00 << 112, 8, Refused::Multicast),
];

fn refused_v6(address: Ipv6Addr) -> Option<Refused> {
    let bits = u128::from(address);
    let listed =
        V6.iter().find(|(block, prefix, _)| same_prefix(*block, bits, *prefix)).map(|(_, _, class)| *class);
    // ISATAP interface identifiers (RFC 5214 §6.1) carry an IPv4 address under any prefix.
    let isatap = matches!((bits >> 32) & 0xFFFF_FFFF, 0x0000_5EFE | 0x0200_5EFE);
    let global = same_prefix(0x2000 << 112, bits, 3);
    listed.or(isatap.then_some(Refused::Embedded)).or((!global).then_some(Refused::Reserved))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(text: &str) -> Result<(), Refused> {
        AddressPolicy::default().judge(text.parse().unwrap())
    }

    #[test]
    fn only_public_hosts_pass() {
        for (address, class) in [
            ("0.0.0.0", Refused::Unspecified),
            ("10.1.2.3", Refused::Private),
            ("100.64.0.1", Refused::CarrierGradeNat),
            ("127.9.9.9", Refused::Loopback),
            ("169.254.169.254", Refused::LinkLocal),
            ("172.31.255.255", Refused::Private),
            ("192.0.0.192", Refused::Reserved),
            ("192.0.2.1", Refused::Documentation),
            ("192.88.99.1", Refused::Embedded),
            ("192.168.0.1", Refused::Private),
            ("198.19.0.1", Refused::Documentation),
            ("198.51.100.7", Refused::Documentation),
            ("203.0.113.9", Refused::Documentation),
            ("224.0.0.1", Refused::Multicast),
            ("240.0.0.1", Refused::Reserved),
            ("255.255.255.255", Refused::Multicast),
            ("::", Refused::Unspecified),
            ("::1", Refused::Loopback),
            ("::7f00:1", Refused::Embedded),
            ("::ffff:127.0.0.1", Refused::Embedded),
            ("::ffff:8.8.8.8", Refused::Embedded),
            ("64:ff9b::7f00:1", Refused::Embedded),
            ("64:ff9b:1::1", Refused::Embedded),
            ("100::1", Refused::Reserved),
            ("2001::1", Refused::Embedded),
            ("2001:db8::1", Refused::Documentation),
            ("2002:7f00:1::", Refused::Embedded),
            ("3fff::1", Refused::Documentation),
            ("fc00::1", Refused::Private),
            ("fd12::1", Refused::Private),
            ("fe80::1", Refused::LinkLocal),
            ("ff02::1", Refused::Multicast),
            ("2a00::5efe:7f00:1", Refused::Embedded),
            ("4000::1", Refused::Reserved),
        ] {
            assert_eq!(judge(address), Err(class), "{address}");
        }
        for public in ["8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700::1111", "2a00:1450::1"] {
            assert_eq!(judge(public), Ok(()), "{public}");
        }
    }

    #[test]
    fn an_allowed_network_overrides_and_own_addresses_are_refused() {
        let policy = AddressPolicy {
            allowed: vec![Network::parse("127.0.0.0/8").unwrap(), Network::parse("10.0.0.5").unwrap()],
            own: vec!["198.41.0.4".parse().unwrap()],
        };
        assert_eq!(policy.judge("127.0.0.1".parse().unwrap()), Ok(()));
        assert_eq!(policy.judge("::ffff:127.0.0.1".parse().unwrap()), Ok(()));
        assert_eq!(policy.judge("10.0.0.5".parse().unwrap()), Ok(()));
        assert_eq!(policy.judge("10.0.0.6".parse().unwrap()), Err(Refused::Private));
        assert_eq!(policy.judge("198.41.0.4".parse().unwrap()), Err(Refused::Own));
    }

    #[test]
    fn networks_are_read_strictly() {
        for bad in ["", "10.0.0.0/33", "::/129", "10.0.0.0/x", "host/8", "::ffff:10.0.0.0/95"] {
            assert_eq!(Network::parse(bad), None, "{bad}");
        }
        assert!(Network::parse("0.0.0.0/0").unwrap().contains("8.8.8.8".parse().unwrap()));
    }

    #[test]
    fn a_network_of_mapped_addresses_is_the_ipv4_network() {
        for (mapped, plain) in [
            ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
            ("::ffff:0:0/96", "0.0.0.0/0"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("::ffff:c000:201/128", "192.0.2.1/32"),
        ] {
            assert_eq!(Network::parse(mapped), Network::parse(plain), "{mapped}");
        }
        let proxies = Network::parse("::ffff:10.0.0.0/104").unwrap();
        assert!(proxies.contains("10.9.9.9".parse().unwrap()));
        assert!(proxies.contains("::ffff:10.9.9.9".parse().unwrap()));
        assert!(!proxies.contains("11.0.0.1".parse().unwrap()));
    }
}
