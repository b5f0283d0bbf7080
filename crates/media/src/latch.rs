//! Symmetric RTP (RFC 4961): whom we listen to, and where we send.
//!
//! Behind a NAT the SDP names an address that nobody can reach, so the first good packet tells the
//! true one. That is a chance for an attacker who guesses the port, which is kept small:
//! only packets with the agreed payload type count (the caller checks that); a source that talks
//! cannot be pushed aside, except by the very address that the SDP named; another one gets its
//! turn only after silence, and another host only after longer silence; addresses of this machine
//! or link are believed only when the SDP named such.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use crate::packet::Packet;

/// Silence after which another port of the same host may take over.
const SILENCE: Duration = Duration::from_secs(1);
/// Silence after which another host may take over.
const LONG_SILENCE: Duration = Duration::from_secs(5);
/// How long packets of the source before a new agreement are stragglers.
const STRAGGLERS: Duration = Duration::from_millis(500);

/// Whether a packet counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It belongs to the stream.
    Known,
    /// It begins another stream.
    New,
    /// It is somebody else's.
    Refused,
}

#[derive(Clone, Copy, Debug)]
struct Source {
    address: SocketAddr,
    ssrc: u32,
    heard: Duration,
}

/// A source that is not trusted before its second packet in sequence (RFC 3550 A.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Probation {
    address: SocketAddr,
    ssrc: u32,
    expected: u16,
}

/// Who the other side is.
#[derive(Debug)]
pub(crate) struct Latch {
    negotiated: SocketAddr,
    source: Option<Source>,
    probation: Option<Probation>,
    straggler: Option<(SocketAddr, Duration)>,
}

impl Latch {
    /// Begins with the address that the SDP named.
    pub(crate) fn new(negotiated: SocketAddr) -> Self {
        Self { negotiated, source: None, probation: None, straggler: None }
    }

    /// Goes on with the address of another agreement; the same one changes nothing.
    pub(crate) fn renegotiate(&mut self, negotiated: SocketAddr, now: Duration) {
        if self.negotiated != negotiated {
            let before = self.source.map(|source| (source.address, now + STRAGGLERS));
            *self = Self { straggler: before, ..Self::new(negotiated) };
        }
    }

    /// Where packets for the other side go; none when nobody can be there.
    pub(crate) fn destination(&self) -> Option<SocketAddr> {
        let address = self.source.map_or(self.negotiated, |source| source.address);
        (!address.ip().is_unspecified() && address.port() != 0).then_some(address)
    }

    /// The source's SSRC.
    pub(crate) fn ssrc(&self) -> Option<u32> {
        self.source.map(|source| source.ssrc)
    }

    /// Judges a packet of an agreed payload type.
    pub(crate) fn admit(&mut self, packet: &Packet<'_>, from: SocketAddr, now: Duration) -> Verdict {
        let straggles = self
            .straggler
            .is_some_and(|(address, until)| now < until && address == from && from != self.negotiated);
        if straggles || !plausible(from, self.negotiated) {
            return Verdict::Refused;
        }
        let Some(source) = self.source else {
            return self.take(packet, from, now);
        };
        let silence = now.saturating_sub(source.heard);
        let same_host = source.address.ip() == from.ip() || from == self.negotiated;
        match (source.address == from, source.ssrc == packet.ssrc) {
            (true, true) => {
                self.source = Some(Source { heard: now, ..source });
                Verdict::Known
            }
            // The other side's new port after a NAT forgot the old one.
            (false, true) if silence >= SILENCE && same_host => {
                self.take(packet, from, now);
                Verdict::Known
            }
            _ if silence >= LONG_SILENCE || silence >= SILENCE && same_host => self.take(packet, from, now),
            (same_address, _) if same_address || from == self.negotiated => self.try_out(packet, from, now),
            _ => Verdict::Refused,
        }
    }

    /// Takes another stream over on its second packet in sequence, so that a stray one changes
    /// nothing.
    fn try_out(&mut self, packet: &Packet<'_>, from: SocketAddr, now: Duration) -> Verdict {
        let this = Probation { address: from, ssrc: packet.ssrc, expected: packet.sequence };
        if self.probation == Some(this) {
            return self.take(packet, from, now);
        }
        self.probation = Some(Probation { expected: packet.sequence.wrapping_add(1), ..this });
        Verdict::Refused
    }

    fn take(&mut self, packet: &Packet<'_>, from: SocketAddr, now: Duration) -> Verdict {
        self.probation = None;
        self.source = Some(Source { address: from, ssrc: packet.ssrc, heard: now });
        Verdict::New
    }
}

fn plausible(from: SocketAddr, negotiated: SocketAddr) -> bool {
    let (from_ip, named) = (from.ip(), negotiated.ip());
    let nowhere = from_ip.is_unspecified() || from_ip.is_multicast() || from.port() == 0;
    let near = from_ip.is_loopback() && !named.is_loopback() || link_local(from_ip) && !link_local(named);
    !nowhere && !near
}

fn link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMED: &str = "192.0.2.1:4000";
    const NAT: &str = "198.51.100.7:9000";
    const OTHER: &str = "203.0.113.9:5000";

    fn at(address: &str) -> SocketAddr {
        address.parse().unwrap()
    }

    fn latch() -> Latch {
        Latch::new(at(NAMED))
    }

    fn admit(latch: &mut Latch, from: &str, ssrc: u32, sequence: u16, millis: u64) -> Verdict {
        let packet = Packet { marker: false, payload_type: 0, sequence, timestamp: 0, ssrc, payload: &[] };
        latch.admit(&packet, at(from), Duration::from_millis(millis))
    }

    #[test]
    fn the_first_packet_tells_where_to_send() {
        let mut latch = latch();
        assert_eq!(latch.destination(), Some(at(NAMED)));
        assert_eq!(admit(&mut latch, NAT, 1, 1, 0), Verdict::New);
        assert_eq!(latch.destination(), Some(at(NAT)));
        assert_eq!(admit(&mut latch, NAT, 1, 2, 20), Verdict::Known);
    }

    #[test]
    fn a_source_that_talks_cannot_be_pushed_aside() {
        let mut latch = latch();
        for sequence in 0..1_000 {
            admit(&mut latch, NAT, 1, sequence, u64::from(sequence) * 20);
            assert_eq!(admit(&mut latch, OTHER, 1, sequence, u64::from(sequence) * 20), Verdict::Refused);
            assert_eq!(admit(&mut latch, OTHER, 2, sequence, u64::from(sequence) * 20), Verdict::Refused);
        }
        assert_eq!(latch.destination(), Some(at(NAT)));
    }

    #[test]
    fn the_address_that_the_sdp_named_wins_on_its_second_packet() {
        let mut latch = latch();
        admit(&mut latch, OTHER, 1, 1, 0);
        assert_eq!(admit(&mut latch, NAMED, 2, 50, 20), Verdict::Refused);
        assert_eq!(admit(&mut latch, NAMED, 2, 51, 40), Verdict::New);
        assert_eq!(latch.destination(), Some(at(NAMED)));
    }

    #[test]
    fn after_silence_another_may_take_over() {
        let mut latch = latch();
        admit(&mut latch, NAT, 1, 1, 0);
        assert_eq!(admit(&mut latch, "198.51.100.7:9001", 1, 2, 999), Verdict::Refused);
        assert_eq!(admit(&mut latch, "198.51.100.7:9001", 1, 2, 1_000), Verdict::Known);
        assert_eq!(admit(&mut latch, OTHER, 3, 1, 5_999), Verdict::Refused);
        assert_eq!(admit(&mut latch, OTHER, 3, 1, 6_000), Verdict::New);
    }

    #[test]
    fn another_ssrc_of_the_same_source_is_taken_on_its_second_packet() {
        let mut latch = latch();
        admit(&mut latch, NAMED, 1, 1, 0);
        assert_eq!(admit(&mut latch, NAMED, 2, 9, 20), Verdict::Refused);
        assert_eq!(admit(&mut latch, NAMED, 1, 2, 20), Verdict::Known);
        assert_eq!(admit(&mut latch, NAMED, 2, 10, 40), Verdict::New);
    }

    #[test]
    fn stragglers_do_not_claim_a_new_agreement() {
        let mut latch = latch();
        admit(&mut latch, NAT, 1, 1, 0);
        latch.renegotiate(at(OTHER), Duration::from_millis(20));
        assert_eq!(admit(&mut latch, NAT, 1, 2, 40), Verdict::Refused);
        assert_eq!(latch.destination(), Some(at(OTHER)));
        assert_eq!(admit(&mut latch, OTHER, 2, 1, 60), Verdict::New);
        latch.renegotiate(at(OTHER), Duration::from_millis(80));
        assert_eq!(admit(&mut latch, OTHER, 2, 2, 80), Verdict::Known);
    }

    #[test]
    fn addresses_of_this_machine_are_not_believed() {
        for from in
            ["127.0.0.1:9000", "169.254.1.1:9000", "224.0.0.1:9000", "0.0.0.0:9000", "[::1]:9", "[fe80::1]:9"]
        {
            assert_eq!(admit(&mut latch(), from, 1, 1, 0), Verdict::Refused, "{from}");
        }
        let mut local = Latch::new(at("127.0.0.1:4000"));
        assert_eq!(admit(&mut local, "127.0.0.1:4002", 1, 1, 0), Verdict::New);
    }

    #[test]
    fn nothing_is_sent_to_nowhere() {
        assert_eq!(Latch::new(at("0.0.0.0:4000")).destination(), None);
        assert_eq!(Latch::new(at("192.0.2.1:0")).destination(), None);
    }
}
