//! The configured peers: every address that the name of a trunk leads to, and the networks that a
//! trunk's calls may come from.

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use domain::ids::TrunkId;
use domain::network::Network;
use domain::trunk::{Transport, Trunk, TrunkAddress};
use parking_lot::{Mutex, RwLock};
use tokio::time::Instant;

/// A name with many addresses often gives some of them at a time: each is a peer for so long after
/// the last answer that had it. Without new answers the last ones hold.
const KEPT: Duration = Duration::from_mins(10);

/// Addresses that are kept of one lookup; a name that has more was made to fill our memory.
const MOST_ADDRESSES: usize = 64;

/// The configured peers.
#[derive(Default)]
pub struct Peers {
    trunks: Mutex<HashMap<TrunkId, Known>>,
    /// Asked for every message that names nothing of ours.
    admitted: RwLock<Admitted>,
}

#[derive(Default)]
struct Admitted {
    addresses: HashSet<IpAddr>,
    sockets: HashSet<SocketAddr>,
    networks: Vec<Network>,
}

/// What is known of one trunk.
struct Known {
    address: TrunkAddress,
    transport: Transport,
    /// The addresses that each lookup gave, by the port that it asked with.
    answers: HashMap<Option<u16>, Vec<(IpAddr, Instant)>>,
    /// The one way to a host inside the service.
    socket: Option<SocketAddr>,
    networks: Vec<Network>,
}

impl Peers {
    /// Whether a message from there comes from a peer.
    pub fn admit(&self, from: SocketAddr) -> bool {
        let from = SocketAddr::new(from.ip().to_canonical(), from.port());
        let admitted = self.admitted.read();
        admitted.addresses.contains(&from.ip())
            || admitted.sockets.contains(&from)
            || admitted.networks.iter().any(|network| network.contains(from.ip()))
    }

    /// Whether an address belongs to this trunk.
    pub fn is_of(&self, trunk: TrunkId, address: IpAddr) -> bool {
        let (trunks, address) = (self.trunks.lock(), address.to_canonical());
        trunks.get(&trunk).is_some_and(|known| {
            known.answers.values().flatten().any(|(answer, _)| *answer == address)
                || known.networks.iter().any(|network| network.contains(address))
        })
    }

    /// Keeps exactly the peers of these trunks.
    pub fn keep(&self, trunks: &[Trunk]) {
        let mut known = self.trunks.lock();
        let ids: HashSet<TrunkId> = trunks.iter().map(|trunk| trunk.id).collect();
        known.retain(|id, _| ids.contains(id));
        for trunk in trunks {
            Known::of(&mut known, trunk).networks.clone_from(&trunk.inbound_from);
        }
        self.publish(&known);
    }

    /// A lookup of a trunk's name gave these addresses; `port` is the one that was asked with, as
    /// without one SRV records are asked (RFC 3263 §4.2). A lookup that fails changes nothing, and neither
    /// does one of what the trunk was before.
    pub fn learn(&self, trunk: &Trunk, port: Option<u16>, found: &[SocketAddr], now: Instant) {
        let mut known = self.trunks.lock();
        let Some(entry) = Known::same(&mut known, trunk) else { return };
        let seen = entry.answers.entry(port).or_default();
        let mut changed = false;
        for address in found.iter().map(|target| target.ip().to_canonical()) {
            let before = seen.len();
            seen.retain(|(known, _)| *known != address);
            changed |= seen.len() == before;
            seen.push((address, now));
        }
        let before = seen.len();
        seen.retain(|(_, at)| now.saturating_duration_since(*at) < KEPT);
        // The oldest stand first.
        seen.drain(..seen.len().saturating_sub(MOST_ADDRESSES));
        // Lookups seldom change anything, and many trunks are many lookups.
        if changed || seen.len() != before {
            self.publish(&known);
        }
    }

    /// The trunk leads to a host inside the service, which is a peer at this port alone.
    pub fn learn_inside(&self, trunk: &Trunk, found: &[SocketAddr]) {
        let mut known = self.trunks.lock();
        let Some(entry) = Known::same(&mut known, trunk) else { return };
        let socket = found.first().copied();
        if std::mem::replace(&mut entry.socket, socket) != socket {
            self.publish(&known);
        }
    }

    /// How many addresses and networks are admitted.
    pub fn len(&self) -> usize {
        let admitted = self.admitted.read();
        admitted.addresses.len() + admitted.sockets.len() + admitted.networks.len()
    }

    /// Whether no address is admitted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn publish(&self, known: &HashMap<TrunkId, Known>) {
        let answers = known.values().flat_map(|trunk| trunk.answers.values());
        // Many trunks name the networks of one carrier.
        let networks = known.values().flat_map(|trunk| &trunk.networks);
        let networks: HashMap<String, Network> =
            networks.map(|network| (network.to_string(), *network)).collect();
        let next = Admitted {
            addresses: answers.flatten().map(|(address, _)| *address).collect(),
            sockets: known.values().filter_map(|trunk| trunk.socket).collect(),
            networks: networks.into_values().collect(),
        };
        *self.admitted.write() = next;
    }
}

impl Known {
    /// What is known of a trunk; nothing yet when it leads elsewhere than before.
    fn of<'a>(known: &'a mut HashMap<TrunkId, Self>, trunk: &Trunk) -> &'a mut Self {
        let entry = known.entry(trunk.id).or_insert_with(|| Self::new(trunk));
        if entry.address != trunk.address || entry.transport != trunk.transport {
            let networks = std::mem::take(&mut entry.networks);
            *entry = Self { networks, ..Self::new(trunk) };
        }
        entry
    }

    /// The same for what a lookup found, which may be older than what is known: that stays.
    fn same<'a>(known: &'a mut HashMap<TrunkId, Self>, trunk: &Trunk) -> Option<&'a mut Self> {
        let entry = known.entry(trunk.id).or_insert_with(|| Self::new(trunk));
        (entry.address == trunk.address && entry.transport == trunk.transport).then_some(entry)
    }

    fn new(trunk: &Trunk) -> Self {
        let (address, transport) = (trunk.address.clone(), trunk.transport);
        Self { address, transport, answers: HashMap::new(), socket: None, networks: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::TenantId;
    use time::OffsetDateTime;

    use super::*;

    fn trunk(number: u8, host: &str) -> Trunk {
        Trunk {
            id: TrunkId::parse(&format!("01890000-0000-7000-8000-0000000000{number:02}")).unwrap(),
            tenant: TenantId::parse("01890000-0000-7000-8000-000000000099").unwrap(),
            name: "test".to_owned(),
            address: TrunkAddress::parse(host).unwrap(),
            transport: Transport::Udp,
            credentials: None,
            register: false,
            from_domain: None,
            default_country: None,
            wideband: false,
            srtp: domain::trunk::Srtp::Off,
            guarded: false,
            nat: false,
            media_networks: Vec::new(),
            inbound_from: Vec::new(),
            realms: Vec::new(),
            max_calls: None,
            calls_per_second: None,
            created_at: OffsetDateTime::UNIX_EPOCH,
        }
    }

    fn at(address: &str) -> SocketAddr {
        SocketAddr::new(address.parse().unwrap(), 5060)
    }

    #[test]
    fn an_address_of_a_trunks_name_is_a_peer_at_any_port() {
        let (peers, now) = (Peers::default(), Instant::now());
        peers.learn(&trunk(1, "a.example"), None, &[at("192.0.2.1"), at("2001:db8::1")], now);
        for (from, admitted) in [
            ("192.0.2.1:40000", true),
            ("[::ffff:192.0.2.1]:5060", true),
            ("[2001:db8::1]:9", true),
            ("192.0.2.2:5060", false),
        ] {
            assert_eq!(peers.admit(from.parse().unwrap()), admitted, "{from}");
        }
        assert_eq!(peers.len(), 2);
    }

    #[test]
    fn last_good_answer_of_a_lookup_holds_until_another_comes() {
        let (peers, trunk, start) = (Peers::default(), trunk(1, "a.example"), Instant::now());
        peers.learn(&trunk, None, &[at("192.0.2.1")], start);
        peers.learn(&trunk, Some(5060), &[at("192.0.2.9")], start);
        let later = start + KEPT / 2;
        peers.learn(&trunk, None, &[at("192.0.2.2")], later);
        assert!(peers.admit(at("192.0.2.1")), "a name may give some of its addresses at a time");
        peers.learn(&trunk, None, &[at("192.0.2.2")], start + KEPT);
        assert!(!peers.admit(at("192.0.2.1")));
        assert!(peers.admit(at("192.0.2.2")) && peers.admit(at("192.0.2.9")));
    }

    #[test]
    fn a_trunk_that_changes_or_goes_takes_its_peers_along() {
        let (peers, now) = (Peers::default(), Instant::now());
        let (first, second) = (trunk(1, "a.example"), trunk(2, "b.example"));
        peers.learn(&first, None, &[at("192.0.2.1")], now);
        peers.learn(&second, None, &[at("192.0.2.2")], now);
        let moved = Trunk { address: TrunkAddress::parse("c.example").unwrap(), ..first };
        peers.keep(&[moved, second]);
        assert!(!peers.admit(at("192.0.2.1")) && peers.admit(at("192.0.2.2")));
        peers.keep(&[]);
        assert!(peers.is_empty());
    }

    #[test]
    fn a_lookup_of_what_a_trunk_was_before_changes_nothing() {
        let (peers, now, before) = (Peers::default(), Instant::now(), trunk(1, "a.example"));
        let moved = Trunk { address: TrunkAddress::parse("b.example").unwrap(), ..before.clone() };
        peers.keep(std::slice::from_ref(&moved));
        peers.learn(&moved, None, &[at("192.0.2.2")], now);
        // It was asked before the trunk moved, and answered only now.
        peers.learn(&before, None, &[at("192.0.2.1")], now);
        peers.learn_inside(&before, &[at("192.0.2.3")]);
        assert!(peers.admit(at("192.0.2.2")));
        assert!(!peers.admit(at("192.0.2.1")) && !peers.admit(at("192.0.2.3")));
    }

    #[test]
    fn an_address_belongs_to_its_own_trunk_alone() {
        let (peers, first, second) = (Peers::default(), trunk(1, "a.example"), trunk(2, "b.example"));
        let networks = vec![Network::parse("198.51.100.0/24").unwrap()];
        peers.keep(&[first.clone(), Trunk { inbound_from: networks, ..second.clone() }]);
        peers.learn(&first, None, &[at("192.0.2.1")], Instant::now());
        for (address, of_first, of_second) in [
            ("192.0.2.1", true, false),
            ("::ffff:192.0.2.1", true, false),
            ("198.51.100.9", false, true),
            ("203.0.113.1", false, false),
        ] {
            let address = address.parse().unwrap();
            assert_eq!(
                (peers.is_of(first.id, address), peers.is_of(second.id, address)),
                (of_first, of_second)
            );
        }
    }

    #[test]
    fn a_network_of_many_trunks_is_kept_once() {
        let peers = Peers::default();
        let inbound_from = vec![Network::parse("198.51.100.0/24").unwrap()];
        let of = |number| Trunk { inbound_from: inbound_from.clone(), ..trunk(number, "a.example") };
        peers.keep(&[of(1), of(2), of(3)]);
        assert_eq!(peers.len(), 1);
        assert!(peers.admit(at("198.51.100.7")));
    }

    #[test]
    fn networks_of_a_trunk_are_peers_as_long_as_they_are_listed() {
        let (peers, trunk) = (Peers::default(), trunk(1, "a.example"));
        let networks = ["198.51.100.0/24", "2001:db8:1::/48"].map(|text| Network::parse(text).unwrap());
        peers.keep(&[Trunk { inbound_from: networks.to_vec(), ..trunk.clone() }]);
        for (from, admitted) in [
            ("198.51.100.7", true),
            ("::ffff:198.51.100.7", true),
            ("2001:db8:1::9", true),
            ("198.51.101.7", false),
            ("2001:db8:2::9", false),
        ] {
            assert_eq!(peers.admit(at(from)), admitted, "{from}");
        }
        peers.keep(&[trunk]);
        assert!(!peers.admit(at("198.51.100.7")));
    }

    #[test]
    fn a_host_inside_the_service_is_a_peer_at_its_port_alone() {
        let (peers, phone) = (Peers::default(), trunk(1, "phone.invalid"));
        peers.learn_inside(&phone, &["127.0.0.1:40000".parse().unwrap()]);
        peers.learn_inside(&phone, &["127.0.0.1:40001".parse().unwrap()]);
        assert!(peers.admit("127.0.0.1:40001".parse().unwrap()));
        assert!(!peers.admit("127.0.0.1:40000".parse().unwrap()));
    }

    #[test]
    fn a_name_with_countless_addresses_fills_no_memory() {
        let (peers, trunk, now) = (Peers::default(), trunk(1, "a.example"), Instant::now());
        for number in 0..1_000_u32 {
            let address = IpAddr::V4(std::net::Ipv4Addr::from_bits(number));
            peers.learn(&trunk, None, &[SocketAddr::new(address, 5060)], now);
        }
        assert_eq!(peers.len(), MOST_ADDRESSES);
        assert!(peers.admit(at("0.0.3.231")) && !peers.admit(at("0.0.0.1")));
    }
}
