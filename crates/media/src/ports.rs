//! The UDP ports that media may use, and a pair of bound ones.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The ports for media on one local address: RTP on even ones, RTCP on the next (RFC 3550 §11).
#[derive(Debug)]
pub struct PortRange {
    address: IpAddr,
    first: u16,
    pairs: usize,
    next: AtomicUsize,
}

impl PortRange {
    /// The pairs that lie wholly within `ports`.
    pub fn new(address: IpAddr, ports: RangeInclusive<u16>) -> Self {
        let first = ports.start().checked_next_multiple_of(2).unwrap_or(u16::MAX);
        // One past the end in 32 bits, as 65,535 is the RTCP port of a valid pair.
        let ports = (u32::from(*ports.end()) + 1).saturating_sub(u32::from(first));
        let pairs = usize::try_from(ports / 2).unwrap_or(0);
        Self { address, first, pairs, next: AtomicUsize::new(0) }
    }

    /// How many sessions fit.
    pub fn capacity(&self) -> usize {
        self.pairs
    }

    /// Takes the next free pair; none when all are taken.
    ///
    /// The search begins behind the pair that was taken last, so that a port rests before it is
    /// used again and stray packets of an ended call meet nobody.
    pub fn bind(&self) -> Option<RtpSocket> {
        (0..self.pairs).find_map(|_| {
            let pair = self.next.fetch_add(1, Ordering::Relaxed) % self.pairs;
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
        while let Some(socket) = range.bind() {
            held.push(socket);
            assert!(held.len() <= 8);
        }
        let ports: HashSet<u16> = held.iter().map(RtpSocket::port).collect();
        assert!(!held.is_empty() && ports.len() == held.len());
        assert!(ports.iter().all(|port| port % 2 == 0));
        held.pop();
        assert!(range.bind().is_some(), "a freed pair is found again");
    }

    #[test]
    fn a_freed_pair_rests_while_others_are_free() {
        let range = PortRange::new(LOOPBACK, free_range(16));
        let first = range.bind().unwrap().port();
        assert_ne!(range.bind().unwrap().port(), first);
    }

    #[test]
    fn only_whole_pairs_count() {
        for (ports, pairs) in [(10..=10, 0), (10..=11, 1), (11..=13, 1), (11..=12, 0), (65_534..=65_535, 1)] {
            assert_eq!(PortRange::new(LOOPBACK, ports.clone()).capacity(), pairs, "{ports:?}");
        }
        #[expect(clippy::reversed_empty_ranges, reason = "what a careless setting may hold")]
        let reversed = PortRange::new(LOOPBACK, 20..=10);
        assert!(reversed.bind().is_none());
    }
}
