//! The UDP ports that media may use, and a pair of bound ones.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::ops::RangeInclusive;

use domain::ports::Entropy;

/// The ports for media on one local address: RTP on even ones, RTCP on the next (RFC 3550 §11).
#[derive(Debug)]
pub struct PortRange {
    address: IpAddr,
    first: u16,
    pairs: usize,
}

impl PortRange {
    /// The pairs that lie wholly within `ports`.
    pub fn new(address: IpAddr, ports: RangeInclusive<u16>) -> Self {
        let first = ports.start().checked_next_multiple_of(2).unwrap_or(u16::MAX);
        // One past the end in 32 bits, as 65,535 is the RTCP port of a valid pair.
        let ports = (u32::from(*ports.end()) + 1).saturating_sub(u32::from(first));
        let pairs = usize::try_from(ports / 2).unwrap_or(0);
        Self { address, first, pairs }
    }

    /// How many sessions fit.
    pub fn capacity(&self) -> usize {
        self.pairs
    }

    /// Takes a free pair; none when all are taken.
    ///
    /// The search begins at a random pair, so that a stranger does not know which port the next call
    /// has (RFC 6056), and a port seldom follows itself.
    pub fn bind(&self, entropy: &dyn Entropy) -> Option<RtpSocket> {
        let mut drawn = [0; 4];
        entropy.fill(&mut drawn);
        let drawn = usize::try_from(u32::from_be_bytes(drawn)).unwrap_or(0);
        let start = drawn.checked_rem(self.pairs)?;
        (0..self.pairs).find_map(|offset| {
            let pair = (start + offset) % self.pairs;
            let port = u16::try_from(usize::from(self.first) + 2 * pair).ok()?;
            RtpSocket::bind(self.address, port).ok()
        })
    }
}

/// A bound pair of sockets, not yet tied to any runtime.
#[derive(Debug)]
pub struct RtpSocket {
    pub(crate) rtp: UdpSocket,
    pub(crate) rtcp: UdpSocket,
    local: SocketAddr,
}

impl RtpSocket {
    fn bind(address: IpAddr, port: u16) -> io::Result<Self> {
        let bind = |port| {
            let socket = UdpSocket::bind((address, port))?;
            socket.set_nonblocking(true)?;
            Ok::<_, io::Error>(socket)
        };
        let rtp = bind(port)?;
        let local = rtp.local_addr()?;
        Ok(Self { rtp, rtcp: bind(port + 1)?, local })
    }

    /// The RTP port, for the SDP.
    pub fn port(&self) -> u16 {
        self.local.port()
    }

    /// The address and port that RTP is bound to.
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::net::Ipv4Addr;

    use super::*;

    /// Draws this number every time.
    struct Always(u32);

    impl Entropy for Always {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.iter_mut().zip(self.0.to_be_bytes()).for_each(|(place, byte)| *place = byte);
        }
    }

    const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    fn free_range(pairs: u16) -> RangeInclusive<u16> {
        let base = UdpSocket::bind((LOOPBACK, 0)).unwrap().local_addr().unwrap().port();
        let first = base.min(u16::MAX - 2 * pairs - 2) & !1;
        first..=first + 2 * pairs - 1
    }

    #[test]
    fn pairs_are_even_distinct_and_end_with_none() {
        let range = PortRange::new(LOOPBACK, free_range(8));
        assert_eq!(range.capacity(), 8);
        let mut held = Vec::new();
        while let Some(socket) = range.bind(&Always(u32::MAX)) {
            held.push(socket);
            assert!(held.len() <= 8);
        }
        let ports: HashSet<u16> = held.iter().map(RtpSocket::port).collect();
        assert!(!held.is_empty() && ports.len() == held.len());
        assert!(ports.iter().all(|port| port % 2 == 0));
        held.pop();
        assert!(range.bind(&Always(0)).is_some(), "a freed pair is found again");
    }

    #[test]
    fn the_drawn_pair_is_taken_not_the_next_one() {
        let range = PortRange::new(LOOPBACK, free_range(512));
        let taken = |drawn| range.bind(&Always(drawn)).unwrap().port() - range.first;
        let far = [2, 300, 40, 512 + 40].map(taken);
        // A port that another program has makes the search go on.
        let near = |port: u16, pair: u16| (2 * pair..2 * pair + 20).contains(&port);
        assert!(near(far[0], 2) && near(far[1], 300) && near(far[2], 40) && near(far[3], 40), "{far:?}");
    }

    #[test]
    fn the_last_free_pair_is_found_from_any_start() {
        let range = PortRange::new(LOOPBACK, free_range(6));
        let mut held: Vec<_> = std::iter::from_fn(|| range.bind(&Always(3))).collect();
        for start in 0..12 {
            let freed = held.swap_remove(usize::try_from(start).unwrap() % held.len()).port();
            let found = range.bind(&Always(start)).unwrap();
            assert_eq!(found.port(), freed);
            held.push(found);
        }
    }

    #[test]
    fn only_whole_pairs_count() {
        for (ports, pairs) in [(10..=10, 0), (10..=11, 1), (11..=13, 1), (11..=12, 0), (65_534..=65_535, 1)] {
            assert_eq!(PortRange::new(LOOPBACK, ports.clone()).capacity(), pairs, "{ports:?}");
        }
        #[expect(clippy::reversed_empty_ranges, reason = "what a careless setting may hold")]
        let reversed = PortRange::new(LOOPBACK, 20..=10);
        assert!(reversed.bind(&Always(1)).is_none());
    }
}
