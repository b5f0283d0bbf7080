//! Whose audio is accepted, and where ours goes (symmetric RTP, RFC 4961).
//!
//! A peer behind a NAT sends from another address than its description names. To accept such a
//! packet is a chance for an attacker who finds the port, so it takes an operator's decision (the
//! trunk's `nat`) and more than one packet. What counts is where a packet of an agreed payload type
//! comes from:
//!
//! | from | without a source | beside a source |
//! |---|---|---|
//! | *trusted*: the negotiated IP or that of the signalling, any port; with SRTP, which has authenticated the packet, any address | at once | at once after 1 s without the source; on the second packet in sequence from the negotiated port, in place of a foreign source, or (while the source is quiet) under SRTP, from the source's own port, or when it continues SSRC and sequence of the source |
//! | *foreign*: another address, with `nat` | on the fifth consecutive packet of one SSRC | the same, and only from the source's own port, or when the first of the five continues SSRC and sequence of the source |
//! | another address, without `nat` | never | never |
//! | outside the trunk's media networks, or refused by the address guard | never | never |
//! | no host, a group; this machine or link, unless negotiated or signalled | never | never |
//!
//! A gap or a repetition in the sequence, another SSRC, another payload type, and any packet of the
//! source begin the five anew. So silence, however long, hands the stream to no foreign address, and a
//! copy of the stream from elsewhere gains nothing while the true one goes on. Packets of the source
//! that are not played, such as comfort noise, count as packets of the source. A description with
//! another address forgets the source, whose stragglers do not count for 500 ms.
//!
//! A stream is continued by a packet that is ahead of its last one by at most 16, and by as many more
//! as were sent meanwhile (100 in a second, 3,000 at most), since a move may lose them.
//!
//! An attacker off the path sees no packets: without `nat` it must forge the source IP, with `nat` it
//! must find the port before the peer has talked. An attacker on the path can forge everything; only
//! SRTP helps there.
//!
//! Our packets go to the negotiated address until a source is accepted, then to that. Where the
//! guard or the media networks refuse the negotiated address, nothing is sent before.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use crate::negotiated::SourcePolicy;
use crate::packet::Packet;

/// Silence of the source after which another trusted address takes over.
const SILENCE: Duration = Duration::from_secs(1);
/// How long packets of the source before a new agreement are stragglers.
const STRAGGLERS: Duration = Duration::from_millis(500);
/// How far ahead a packet still follows another in sequence, as some get lost.
const NEAR: u16 = 16;
/// The shortest time between two packets of a stream, in milliseconds.
const PACKET_MILLIS: u128 = 10;
/// How many packets a move loses at most (`MAX_DROPOUT` of RFC 3550 A.1).
const LOST: u16 = 3_000;
/// How far behind a packet of the source is a late one; beyond that the source numbers its packets
/// anew (`MAX_MISORDER` of RFC 3550 A.1).
const LATE: u16 = 100;
/// Consecutive packets after which a foreign source is accepted.
const CONSECUTIVE: u16 = 5;
/// Foreign sources that are followed at a time.
const CANDIDATES: usize = 4;
/// A candidate that is silent for this long makes room for another.
const STALE: Duration = Duration::from_secs(1);

/// The accepted source.
#[derive(Clone, Copy, Debug)]
struct Source {
    address: SocketAddr,
    ssrc: u32,
    /// That of its last packet, late ones aside.
    sequence: u16,
    heard: Duration,
}

impl Source {
    /// Whether a packet goes on where this source stopped.
    fn is_continued_by(&self, packet: &Packet<'_>, now: Duration) -> bool {
        let meanwhile = now.saturating_sub(self.heard).as_millis() / PACKET_MILLIS;
        let lost = u16::try_from(meanwhile).unwrap_or(LOST).min(LOST);
        let ahead = packet.sequence.wrapping_sub(self.sequence);
        self.ssrc == packet.ssrc && (1..=NEAR + lost).contains(&ahead)
    }
}

/// A trusted source that is not taken before its second packet in sequence (RFC 3550 A.1).
#[derive(Clone, Copy, Debug)]
struct Probation {
    address: SocketAddr,
    ssrc: u32,
    sequence: u16,
    /// Whether a packet of the present source ends it.
    in_turn: bool,
}

/// A foreign source that is followed.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    address: SocketAddr,
    ssrc: u32,
    sequence: u16,
    /// Consecutive packets so far.
    count: u16,
    /// Whether the first of them continued the present source.
    continues: bool,
    heard: Duration,
}

/// Who the other side is.
#[derive(Debug)]
pub(crate) struct Latch {
    negotiated: SocketAddr,
    /// The IP that a description named last. `0.0.0.0`, the old way to say hold, names none.
    named: IpAddr,
    policy: SourcePolicy,
    /// Whether every packet that gets here was authenticated by SRTP.
    authenticated: bool,
    source: Option<Source>,
    probation: Option<Probation>,
    candidates: [Option<Candidate>; CANDIDATES],
    straggler: Option<(SocketAddr, Duration)>,
    foreign: u64,
}

impl Latch {
    /// Begins with the address that the SDP named.
    pub(crate) fn new(named: SocketAddr, policy: SourcePolicy, authenticated: bool) -> Self {
        Self {
            negotiated: if policy.allows(named.ip()) { named } else { NOWHERE },
            named: named.ip(),
            policy,
            authenticated,
            source: None,
            probation: None,
            candidates: [None; CANDIDATES],
            straggler: None,
            foreign: 0,
        }
    }

    /// Goes on under another agreement; the same address keeps the source.
    pub(crate) fn renegotiate(
        &mut self,
        named: SocketAddr,
        policy: SourcePolicy,
        authenticated: bool,
        now: Duration,
    ) {
        let mut next = Self::new(named, policy, authenticated);
        next.foreign = self.foreign;
        if named.ip().is_unspecified() {
            next.named = self.named;
        }
        if (self.negotiated, self.authenticated) == (next.negotiated, next.authenticated) {
            (next.source, next.straggler) = (self.source, self.straggler);
        } else {
            next.straggler = self.source.map(|source| (source.address, now + STRAGGLERS));
        }
        *self = next;
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

    /// Whether a report (RTCP) from there is believed.
    pub(crate) fn believes_reports(&self, from: IpAddr) -> bool {
        let of_source = self.source.is_some_and(|source| same(source.address.ip(), from));
        of_source || self.trusts(from) && self.policy.allows(from)
    }

    /// Datagrams that came from addresses that are not accepted.
    pub(crate) fn foreign(&self) -> u64 {
        self.foreign
    }

    /// Notes a datagram that is no packet of an agreed payload type, or that SRTP did not
    /// authenticate.
    pub(crate) fn refuse(&mut self, from: SocketAddr) {
        for place in &mut self.candidates {
            *place = place.filter(|candidate| candidate.address != from);
        }
        if !self.is_source(from) && !self.is_named(from.ip()) {
            self.foreign = self.foreign.saturating_add(1);
        }
    }

    /// Notes a packet of any payload type when it belongs to the source's stream; whether it does.
    pub(crate) fn note(&mut self, packet: &Packet<'_>, from: SocketAddr, now: Duration) -> bool {
        let ours = |source: &&mut Source| (source.address, source.ssrc) == (from, packet.ssrc);
        let Some(source) = self.source.as_mut().filter(ours) else { return false };
        source.heard = now;
        if source.sequence.wrapping_sub(packet.sequence) > LATE {
            source.sequence = packet.sequence;
        }
        self.probation = self.probation.filter(|probation| !probation.in_turn);
        if self.candidates.iter().any(Option::is_some) {
            self.candidates = [None; CANDIDATES];
        }
        true
    }

    /// Whether a packet of an agreed payload type counts.
    pub(crate) fn admit(&mut self, packet: &Packet<'_>, from: SocketAddr, now: Duration) -> bool {
        if self.note(packet, from, now) {
            return true;
        }
        let straggles = self.straggler.is_some_and(|(address, until)| now < until && address == from);
        if straggles && from != self.negotiated {
            return false;
        }
        if !self.is_possible(from) {
            self.foreign = self.foreign.saturating_add(1);
            false
        } else if self.trusts(from.ip()) {
            self.admit_trusted(packet, from, now)
        } else {
            self.admit_foreign(packet, from, now)
        }
    }

    fn admit_trusted(&mut self, packet: &Packet<'_>, from: SocketAddr, now: Duration) -> bool {
        let Some(source) = self.source else { return self.take(packet, from, now) };
        if now.saturating_sub(source.heard) >= SILENCE {
            return self.take(packet, from, now);
        }
        // These go before the present source even while that talks.
        let preferred =
            source.address != from && (from == self.negotiated || !self.trusts(source.address.ip()));
        let in_turn = self.authenticated || source.address == from || source.is_continued_by(packet, now);
        (preferred || in_turn) && self.try_out(packet, from, now, !preferred)
    }

    /// Takes another stream over on its second packet in sequence, so that a stray one changes
    /// nothing.
    fn try_out(&mut self, packet: &Packet<'_>, from: SocketAddr, now: Duration, in_turn: bool) -> bool {
        let goes_on = self.probation.is_some_and(|probation| {
            (probation.address, probation.ssrc) == (from, packet.ssrc)
                && follows(packet.sequence, probation.sequence)
        });
        if goes_on {
            return self.take(packet, from, now);
        }
        let (ssrc, sequence) = (packet.ssrc, packet.sequence);
        self.probation = Some(Probation { address: from, ssrc, sequence, in_turn });
        false
    }

    fn admit_foreign(&mut self, packet: &Packet<'_>, from: SocketAddr, now: Duration) -> bool {
        self.foreign = self.foreign.saturating_add(1);
        if !self.policy.nat {
            return false;
        }
        let Some(candidate) = self.follow(packet, from, now) else { return false };
        let free = self.source.is_none_or(|source| source.address == from);
        if candidate.count < CONSECUTIVE || !(free || candidate.continues) {
            return false;
        }
        // Those before it were dropped, but not because they were foreign.
        self.foreign = self.foreign.saturating_sub(candidate.count.into());
        self.take(packet, from, now)
    }

    /// Counts a foreign packet on its source; none while too many sources are followed.
    fn follow(&mut self, packet: &Packet<'_>, from: SocketAddr, now: Duration) -> Option<Candidate> {
        let continues = self.source.is_some_and(|source| source.is_continued_by(packet, now));
        let is_it = |candidate: &Candidate| candidate.address == from;
        let is_free = |candidate: &Candidate| now.saturating_sub(candidate.heard) >= STALE;
        let known = self.candidates.iter().position(|place| place.as_ref().is_some_and(is_it));
        let free = || self.candidates.iter().position(|place| place.as_ref().is_none_or(is_free));
        let chosen = known.or_else(free)?;
        let place = self.candidates.get_mut(chosen)?;
        let (ssrc, sequence) = (packet.ssrc, packet.sequence);
        let next = match place.filter(|before| is_it(before) && before.ssrc == ssrc) {
            Some(before) if sequence == before.sequence.wrapping_add(1) => {
                Candidate { sequence, count: before.count.saturating_add(1), heard: now, ..before }
            }
            _ => Candidate { address: from, ssrc, sequence, count: 1, continues, heard: now },
        };
        Some(*place.insert(next))
    }

    fn take(&mut self, packet: &Packet<'_>, from: SocketAddr, now: Duration) -> bool {
        self.probation = None;
        self.candidates = [None; CANDIDATES];
        self.source =
            Some(Source { address: from, ssrc: packet.ssrc, sequence: packet.sequence, heard: now });
        true
    }

    /// Whether an address is accepted without `nat`.
    fn trusts(&self, address: IpAddr) -> bool {
        self.authenticated || self.is_named(address)
    }

    /// Whether it is the negotiated address or that of the signalling.
    fn is_named(&self, address: IpAddr) -> bool {
        same(self.named, address) || self.policy.signalling.is_some_and(|own| same(own, address))
    }

    /// Whether packets may come from there at all. What is near is the guard's to judge, where there
    /// is one.
    fn is_possible(&self, from: SocketAddr) -> bool {
        let ip = from.ip().to_canonical();
        let nowhere = ip.is_unspecified() || ip.is_multicast() || from.port() == 0;
        let named = [Some(self.named), self.policy.signalling];
        let is_near = |near: fn(IpAddr) -> bool| {
            near(ip) && !named.iter().flatten().any(|named| near(named.to_canonical()))
        };
        let near = is_near(|ip| ip.is_loopback()) || is_near(link_local);
        !nowhere && (!near || self.policy.guard.is_some()) && self.policy.allows(from.ip())
    }
}

/// Stands for an address that the SDP named and that is refused.
const NOWHERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

/// Whether a sequence number comes soon after another.
fn follows(sequence: u16, before: u16) -> bool {
    (1..=NEAR).contains(&sequence.wrapping_sub(before))
}

/// Whether two addresses are one, also where one of them is an IPv4 address within IPv6.
fn same(one: IpAddr, other: IpAddr) -> bool {
    one.to_canonical() == other.to_canonical()
}

fn link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

#[cfg(test)]
#[path = "latch_tests.rs"]
mod tests;
