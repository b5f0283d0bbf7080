//! Symmetric RTP (RFC 4961): whom we listen to, and where we send.
//!
//! Behind a NAT the SDP names an address that nobody can reach, so the first good packet tells the
//! true one. That is a chance for an attacker who guesses the port, which is kept small:
//! only packets with the agreed payload type count (the caller checks that); a source that talks
//! cannot be pushed aside, except by the very address that the SDP named; another one gets its
//! turn only after silence, and another host only after longer silence; addresses of this machine
//! or link are believed only when the SDP named such. Under a guard no packet goes to an address
//! that it refuses, whatever the SDP or a packet's source says: where the SDP names such a one, the
//! first packet from another tells where to send.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use domain::network::AddressPolicy;

use crate::packet::Packet;

/// Silence after which another port of the same host may take over.
const SILENCE: Duration = Duration::from_secs(1);
/// Silence after which another host may take over.
const LONG_SILENCE: Duration = Duration::from_secs(5);
/// How long packets of the source before a new agreement are stragglers.
const STRAGGLERS: Duration = Duration::from_millis(500);
/// How far ahead a packet still follows another in sequence, as some get lost.
const NEAR: u16 = 16;

#[derive(Clone, Copy, Debug)]
struct Source {
    address: SocketAddr,
    ssrc: u32,
    heard: Duration,
}

/// A source that is not trusted before its second packet in sequence (RFC 3550 A.1).
#[derive(Clone, Copy, Debug)]
struct Probation {
    address: SocketAddr,
    ssrc: u32,
    sequence: u16,
}

/// Who the other side is.
#[derive(Debug)]
pub(crate) struct Latch {
    negotiated: SocketAddr,
    guard: Option<Arc<AddressPolicy>>,
    source: Option<Source>,
    probation: Option<Probation>,
    straggler: Option<(SocketAddr, Duration)>,
}

impl Latch {
    /// Begins with the address that the SDP named.
    pub(crate) fn new(named: SocketAddr, guard: Option<Arc<AddressPolicy>>) -> Self {
        let negotiated = if passes(guard.as_deref(), named) { named } else { NOWHERE };
        Self { negotiated, guard, source: None, probation: None, straggler: None }
    }

    /// Goes on with the address of another agreement; the same one changes nothing.
    pub(crate) fn renegotiate(&mut self, named: SocketAddr, now: Duration) {
        let next = Self::new(named, self.guard.clone());
        if self.negotiated != next.negotiated {
            let before = self.source.map(|source| (source.address, now + STRAGGLERS));
            *self = Self { straggler: before, ..next };
        }
    }

    /// Where packets for the other side go; none when nobody can be there.
    pub(crate) fn destination(&self) -> Option<SocketAddr> {
        let address = self.source.map_or(self.negotiated, |source| source.address);
        (!address.ip().is_unspecified() && address.port() != 0).then_some(address)
    }

    /// Whether our source sends from here.
    pub(crate) fn is_source(&self, from: SocketAddr) -> bool {
        self.source.is_some_and(|source| source.address == from)
    }

    /// Whether a packet of an agreed payload type counts.
    pub(crate) fn admit(&mut self, packet: &Packet<'_>, from: SocketAddr, now: Duration) -> bool {
        let straggles = self.straggler.is_some_and(|(address, until)| now < until && address == from);
        if straggles && from != self.negotiated || !self.plausible(from) {
            return false;
        }
        let Some(source) = self.source else {
            return passes(self.guard.as_deref(), from) && self.take(packet, from, now);
        };
        if source.address == from && source.ssrc == packet.ssrc {
            self.source = Some(Source { heard: now, ..source });
            // A second stream of the same address must wait until this one stops.
            self.probation = self.probation.filter(|probation| probation.address != from);
            return true;
        }
        if !passes(self.guard.as_deref(), from) {
            return false;
        }
        let silence = now.saturating_sub(source.heard);
        // The other side's new port after a NAT forgot the old one, or the one that was named.
        let same_host = source.address.ip() == from.ip() || from == self.negotiated;
        if silence >= LONG_SILENCE || silence >= SILENCE && same_host {
            return self.take(packet, from, now);
        }
        (source.address == from || from == self.negotiated) && self.try_out(packet, from, now)
    }

    /// Whether packets may come from there at all. What is near is the guard's to judge, where there
    /// is one.
    fn plausible(&self, from: SocketAddr) -> bool {
        let (from_ip, named) = (from.ip(), self.negotiated.ip());
        let nowhere = from_ip.is_unspecified() || from_ip.is_multicast() || from.port() == 0;
        let near = from_ip.is_loopback() && !named.is_loopback() || link_local(from_ip) && !link_local(named);
        !nowhere && (!near || self.guard.is_some())
    }

    /// Takes another stream over on its second packet in sequence, so that a stray one changes
    /// nothing.
    fn try_out(&mut self, packet: &Packet<'_>, from: SocketAddr, now: Duration) -> bool {
        let follows = self.probation.is_some_and(|probation| {
            let ahead = packet.sequence.wrapping_sub(probation.sequence);
            (probation.address, probation.ssrc) == (from, packet.ssrc) && (1..=NEAR).contains(&ahead)
        });
        if follows {
            return self.take(packet, from, now);
        }
        self.probation = Some(Probation { address: from, ssrc: packet.ssrc, sequence: packet.sequence });
        false
    }

    fn take(&mut self, packet: &Packet<'_>, from: SocketAddr, now: Duration) -> bool {
        self.probation = None;
        self.source = Some(Source { address: from, ssrc: packet.ssrc, heard: now });
        true
    }
}

/// Stands for an address that the SDP named and the guard refuses.
const NOWHERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

fn passes(guard: Option<&AddressPolicy>, address: SocketAddr) -> bool {
    guard.is_none_or(|guard| guard.judge(address.ip()).is_ok())
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
        Latch::new(at(NAMED), None)
    }

    fn admit(latch: &mut Latch, from: &str, ssrc: u32, sequence: u16, millis: u64) -> bool {
        let packet = Packet { marker: false, payload_type: 0, sequence, timestamp: 0, ssrc, payload: &[] };
        latch.admit(&packet, at(from), Duration::from_millis(millis))
    }

    #[test]
    fn the_first_packet_tells_where_to_send() {
        let mut latch = latch();
        assert_eq!(latch.destination(), Some(at(NAMED)));
        assert!(admit(&mut latch, NAT, 1, 1, 0));
        assert_eq!(latch.destination(), Some(at(NAT)));
        assert!(admit(&mut latch, NAT, 1, 2, 20));
    }

    #[test]
    fn a_source_that_talks_cannot_be_pushed_aside() {
        let mut latch = latch();
        for sequence in 0..1_000 {
            admit(&mut latch, NAT, 1, sequence, u64::from(sequence) * 20);
            assert!(!admit(&mut latch, OTHER, 1, sequence, u64::from(sequence) * 20));
            assert!(!admit(&mut latch, OTHER, 2, sequence, u64::from(sequence) * 20));
        }
        assert_eq!(latch.destination(), Some(at(NAT)));
    }

    #[test]
    fn the_address_that_the_sdp_named_wins_on_its_second_packet() {
        let mut latch = latch();
        admit(&mut latch, OTHER, 1, 1, 0);
        assert!(!admit(&mut latch, NAMED, 2, 50, 20));
        assert!(admit(&mut latch, NAMED, 2, 51, 40));
        assert_eq!(latch.destination(), Some(at(NAMED)));
    }

    #[test]
    fn after_silence_another_may_take_over() {
        let mut latch = latch();
        admit(&mut latch, NAT, 1, 1, 0);
        assert!(!admit(&mut latch, "198.51.100.7:9001", 1, 2, 999));
        assert!(admit(&mut latch, "198.51.100.7:9001", 1, 2, 1_000));
        assert!(!admit(&mut latch, OTHER, 3, 1, 5_999));
        assert!(admit(&mut latch, OTHER, 3, 1, 6_000));
    }

    #[test]
    fn another_ssrc_of_the_same_source_is_taken_when_the_first_has_stopped() {
        let mut latch = latch();
        for number in 0..10 {
            assert!(admit(&mut latch, NAMED, 1, number, 0));
            assert!(!admit(&mut latch, NAMED, 2, number, 0));
        }
        assert!(admit(&mut latch, NAMED, 2, 10, 20));
        assert!(!admit(&mut latch, NAMED, 1, 10, 20));
    }

    #[test]
    fn stragglers_do_not_claim_a_new_agreement() {
        let mut latch = latch();
        admit(&mut latch, NAT, 1, 1, 0);
        latch.renegotiate(at(OTHER), Duration::from_millis(20));
        assert!(!admit(&mut latch, NAT, 1, 2, 40));
        assert_eq!(latch.destination(), Some(at(OTHER)));
        assert!(admit(&mut latch, OTHER, 2, 1, 60));
        latch.renegotiate(at(OTHER), Duration::from_millis(80));
        assert!(admit(&mut latch, OTHER, 2, 2, 80));
    }

    #[test]
    fn addresses_of_this_machine_are_not_believed() {
        for from in
            ["127.0.0.1:9000", "169.254.1.1:9000", "224.0.0.1:9000", "0.0.0.0:9000", "[::1]:9", "[fe80::1]:9"]
        {
            assert!(!admit(&mut latch(), from, 1, 1, 0), "{from}");
        }
        let mut local = Latch::new(at("127.0.0.1:4000"), None);
        assert!(admit(&mut local, "127.0.0.1:4002", 1, 1, 0));
    }

    #[test]
    fn nothing_is_sent_to_nowhere() {
        assert_eq!(Latch::new(at("0.0.0.0:4000"), None).destination(), None);
        assert_eq!(Latch::new(at("192.0.2.1:0"), None).destination(), None);
    }

    #[test]
    fn under_a_guard_nothing_goes_to_an_address_that_it_refuses() {
        let guard = || Some(Arc::new(AddressPolicy::default()));
        let mut latch = Latch::new(at("10.0.0.9:4000"), guard());
        assert_eq!(latch.destination(), None);
        // Neither to one that packets pretend to come from.
        assert!(!admit(&mut latch, "10.0.0.9:4000", 1, 1, 0));
        assert!(!admit(&mut latch, "192.168.1.1:4000", 1, 1, 0));
        assert_eq!(latch.destination(), None);
        assert!(admit(&mut latch, "8.8.8.8:4000", 1, 1, 0));
        assert_eq!(latch.destination(), Some(at("8.8.8.8:4000")));
        assert!(!admit(&mut latch, "10.0.0.9:4000", 2, 1, 9_000));
        // Another description that names such a one changes nothing.
        latch.renegotiate(at("169.254.169.254:80"), Duration::from_secs(9));
        assert_eq!(latch.destination(), Some(at("8.8.8.8:4000")));
        let public = Latch::new(at("8.8.4.4:4000"), guard());
        assert_eq!(public.destination(), Some(at("8.8.4.4:4000")));
    }
}
