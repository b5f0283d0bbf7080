//! The incoming stream: datagrams go in, keys and 20 ms frames come out.

use std::net::SocketAddr;
use std::time::Duration;

use domain::audio::{Digit, Frame};

use crate::jitter::{Insertion, JitterBuffer};
use crate::latch::Latch;
use crate::negotiated::Negotiated;
use crate::packet::Packet;
use crate::reception::{Figures, Reception};
use crate::telephone_event::KeyReceiver;

/// Takes what the other side sends.
#[derive(Debug)]
pub(crate) struct Receiver {
    terms: Negotiated,
    latch: Latch,
    /// The stream that buffer and counts belong to.
    ssrc: Option<u32>,
    reception: Reception,
    buffer: JitterBuffer,
    keys: KeyReceiver,
    heard_at: Duration,
    pub(crate) counts: Counts,
}

/// What happened to packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) received: u64,
    pub(crate) late: u64,
    pub(crate) duplicated: u64,
    pub(crate) ignored: u64,
}

impl Receiver {
    /// Waits for the other side from `now` on.
    pub(crate) fn new(terms: Negotiated, now: Duration) -> Self {
        Self {
            latch: Latch::new(terms.remote, terms.sources.clone(), terms.protection.is_some()),
            ssrc: None,
            reception: Reception::default(),
            buffer: JitterBuffer::new(terms.format.silence()),
            keys: KeyReceiver::default(),
            heard_at: now,
            counts: Counts::default(),
            terms,
        }
    }

    /// Goes on with other terms; audio of another encoding is forgotten.
    pub(crate) fn renegotiate(&mut self, terms: Negotiated, now: Duration) {
        let authenticated = terms.protection.is_some();
        self.latch.renegotiate(terms.remote, terms.sources.clone(), authenticated, now);
        if terms.format != self.terms.format || !terms.direction.receives() {
            self.buffer.reset(terms.format.silence());
        }
        self.heard_at = now;
        self.terms = terms;
    }

    /// The terms that hold.
    pub(crate) fn terms(&self) -> &Negotiated {
        &self.terms
    }

    /// Where our packets go; none when nobody can be there.
    pub(crate) fn destination(&self) -> Option<SocketAddr> {
        self.latch.destination()
    }

    /// Counts a datagram that is not used: it is no packet of an agreed payload type, or was not
    /// authenticated.
    pub(crate) fn refuse(&mut self, from: SocketAddr) {
        self.counts.ignored += 1;
        self.latch.refuse(from);
    }

    /// Datagrams that came from addresses that are not accepted; they are among those ignored.
    pub(crate) fn foreign(&self) -> u64 {
        self.latch.foreign()
    }

    /// Takes one datagram; out comes a key when it tells a new one.
    pub(crate) fn receive(&mut self, datagram: &[u8], from: SocketAddr, now: Duration) -> Option<Digit> {
        let audio = Some(self.terms.payload_type);
        let packet = Packet::parse(datagram).filter(|packet| {
            let kind = Some(packet.payload_type);
            self.terms.direction.receives() && (kind == audio || kind == self.terms.telephone_event)
        });
        let Some(packet) = packet else {
            self.refuse(from);
            // Comfort noise and the like is not played, but it shows that somebody is there.
            if let Some(packet) = Packet::parse(datagram)
                && self.latch.is_source(from)
            {
                self.latch.note(&packet, from, now);
                self.heard_at = now;
            }
            return None;
        };
        if !self.latch.admit(&packet, from, now) {
            self.counts.ignored += 1;
            return None;
        }
        if self.ssrc.replace(packet.ssrc).is_some_and(|before| before != packet.ssrc) {
            self.begin_stream();
        }
        self.heard_at = now;
        self.counts.received += 1;
        if !self.reception.note(packet.sequence) {
            self.counts.duplicated += 1;
            return None;
        }
        if Some(packet.payload_type) != audio {
            return self.keys.hear(&packet);
        }
        self.reception.time(packet.timestamp, now);
        match self.buffer.insert(packet.timestamp, packet.payload) {
            Insertion::Stored => {}
            Insertion::Duplicate => self.counts.duplicated += 1,
            Insertion::Late => self.counts.late += 1,
            Insertion::Unusable => self.counts.ignored += 1,
        }
        None
    }

    /// The next 20 ms of audio.
    pub(crate) fn take(&mut self) -> Option<Frame> {
        self.buffer.take(self.reception.jitter())
    }

    /// For how long nothing came though it should have; zero while nothing is to come.
    pub(crate) fn silent_for(&self, now: Duration) -> Duration {
        if self.terms.direction.receives() { now.saturating_sub(self.heard_at) } else { Duration::ZERO }
    }

    /// The other side's SSRC, when a report (RTCP) from there is believed; none before its first
    /// packet.
    pub(crate) fn reported_ssrc(&self, from: SocketAddr) -> Option<u32> {
        self.ssrc.filter(|_| self.latch.believes_reports(from.ip()))
    }

    /// Packets that never came.
    pub(crate) fn lost(&self) -> u32 {
        self.reception.lost()
    }

    /// Interarrival jitter in samples.
    pub(crate) fn jitter(&self) -> u32 {
        self.reception.jitter()
    }

    /// The other side's SSRC and the figures for a report on it.
    pub(crate) fn report(&mut self) -> Option<(u32, Figures)> {
        self.ssrc.zip(self.reception.report())
    }

    fn begin_stream(&mut self) {
        self.reception.renew();
        self.buffer.reset(self.terms.format.silence());
        self.keys = KeyReceiver::default();
    }
}

#[cfg(test)]
mod tests {
    use domain::audio::{AudioFormat, FRAME_BYTES};
    use domain::ports::Detects;
    use proptest::prelude::*;

    use super::*;
    use crate::{Direction, SourcePolicy};

    const PEER: &str = "127.0.0.1:4000";

    fn terms() -> Negotiated {
        Negotiated {
            format: AudioFormat::Pcmu,
            payload_type: 0,
            telephone_event: Some(101),
            remote: PEER.parse().unwrap(),
            direction: Direction::SendReceive,
            sources: SourcePolicy::default(),
            detects: Detects::default(),
            protection: None,
        }
    }

    fn receive(receiver: &mut Receiver, kind: u8, ssrc: u32, number: u16, payload: &[u8]) -> Option<Digit> {
        let now = Duration::from_millis(u64::from(number) * 20);
        receive_at(receiver, PEER, (kind, ssrc, number, payload), now)
    }

    /// The packet has a payload type, an SSRC, a sequence number and a payload.
    fn receive_at(
        receiver: &mut Receiver,
        from: &str,
        (payload_type, ssrc, sequence, payload): (u8, u32, u16, &[u8]),
        now: Duration,
    ) -> Option<Digit> {
        let timestamp = u32::from(sequence) * 160;
        let packet = Packet { marker: false, payload_type, sequence, timestamp, ssrc, payload };
        let mut buffer = [0; 512];
        receiver.receive(packet.write(&mut buffer).unwrap(), from.parse().unwrap(), now)
    }

    /// A source that talks for 200 ms and then sends 6 s of comfort noise, up to packet 309. Beside
    /// that noise comes the other packet, from the other address.
    fn comfort_noise_beside(receiver: &mut Receiver, other: &str, stream: u32) {
        for number in 0..10 {
            receive(receiver, 0, 1, number, &[1; FRAME_BYTES]);
        }
        for number in 10..310 {
            receive(receiver, 13, 1, number, &[60]);
            let now = Duration::from_millis(u64::from(number) * 20 + 1);
            receive_at(receiver, other, (0, stream, number, &[9; FRAME_BYTES]), now);
        }
    }

    fn with_nat() -> Negotiated {
        let signalling = Some("127.0.0.3".parse().unwrap());
        Negotiated { sources: SourcePolicy { nat: true, signalling, ..SourcePolicy::default() }, ..terms() }
    }

    #[test]
    fn only_agreed_payload_types_count() {
        let mut receiver = Receiver::new(terms(), Duration::ZERO);
        for kind in [8, 13, 72, 127] {
            receive(&mut receiver, kind, 1, 0, &[0; FRAME_BYTES]);
        }
        receiver.receive(b"hello", PEER.parse().unwrap(), Duration::ZERO);
        assert_eq!(receiver.counts, Counts { ignored: 5, ..Counts::default() });
    }

    #[test]
    fn packets_of_strangers_are_counted_and_are_no_sign_of_life() {
        let mut receiver = Receiver::new(terms(), Duration::ZERO);
        receive(&mut receiver, 0, 1, 0, &[1; FRAME_BYTES]);
        let mut buffer = [0; 512];
        for number in 0..400 {
            let payload = &[9; FRAME_BYTES];
            let kind = if number % 2 == 0 { 0 } else { 13 };
            let timestamp = u32::from(number) * 160;
            let packet =
                Packet { marker: false, payload_type: kind, sequence: number, timestamp, ssrc: 1, payload };
            let now = Duration::from_millis(u64::from(number) * 20);
            let datagram = packet.write(&mut buffer).unwrap();
            assert_eq!(receiver.receive(datagram, "127.0.0.2:4000".parse().unwrap(), now), None);
        }
        assert_eq!((receiver.foreign(), receiver.counts.received), (400, 1));
        assert_eq!(receiver.silent_for(Duration::from_secs(9)), Duration::from_secs(9));
        let heard: Vec<_> = (0..20).filter_map(|_| receiver.take()).collect();
        assert_eq!(heard, [[1; FRAME_BYTES]]);
    }

    #[test]
    fn reports_of_strangers_are_not_believed() {
        let mut receiver = Receiver::new(terms(), Duration::ZERO);
        let [peer, stranger] = ["127.0.0.1:4001", "127.0.0.2:4001"].map(|from| from.parse().unwrap());
        assert_eq!(receiver.reported_ssrc(peer), None);
        receive(&mut receiver, 0, 7, 0, &[1; FRAME_BYTES]);
        assert_eq!((receiver.reported_ssrc(peer), receiver.reported_ssrc(stranger)), (Some(7), None));
    }

    #[test]
    fn comfort_noise_of_the_source_is_a_sign_of_life() {
        let mut receiver = Receiver::new(terms(), Duration::ZERO);
        receive(&mut receiver, 13, 1, 50, &[60]);
        assert_eq!(receiver.silent_for(Duration::from_secs(9)), Duration::from_secs(9));
        receive(&mut receiver, 0, 1, 100, &[0; FRAME_BYTES]);
        receive(&mut receiver, 13, 1, 150, &[60]);
        assert_eq!(receiver.silent_for(Duration::from_secs(9)), Duration::from_secs(6));
    }

    #[test]
    fn comfort_noise_of_the_source_keeps_other_addresses_out() {
        // The signalling address takes over after 1 s of silence, a foreign one from packet 10 on.
        for (other, ssrc) in [("127.0.0.3:4000", 2), ("127.0.0.2:4000", 2), ("127.0.0.2:4000", 1)] {
            let mut receiver = Receiver::new(with_nat(), Duration::ZERO);
            comfort_noise_beside(&mut receiver, other, ssrc);
            assert_eq!(receiver.counts.received, 10, "{other}");
            assert_eq!(receiver.destination(), Some(PEER.parse().unwrap()), "{other}");
        }
    }

    #[test]
    fn a_rebind_after_comfort_noise_keeps_the_stream() {
        let [old, rebound] = ["127.0.0.2:4000", "127.0.0.2:4100"];
        let mut receiver = Receiver::new(with_nat(), Duration::ZERO);
        comfort_noise_beside(&mut receiver, "127.0.0.4:4000", 7);
        for number in 0..10 {
            let now = Duration::from_millis(6_200 + u64::from(number));
            receive_at(&mut receiver, old, (0, 1, 10 + number, &[9; FRAME_BYTES]), now);
        }
        assert_eq!(receiver.counts.received, 10, "copies from before the noise continue nothing");
        for number in 310..320 {
            let now = Duration::from_millis(u64::from(number) * 20 + 20);
            receive_at(&mut receiver, rebound, (0, 1, number, &[1; FRAME_BYTES]), now);
        }
        assert_eq!(receiver.counts.received, 16, "from the fifth packet on");
        assert_eq!(receiver.destination(), Some(rebound.parse().unwrap()));
    }

    #[test]
    fn comfort_noise_of_another_stream_does_not_hold_the_source() {
        let mut receiver = Receiver::new(with_nat(), Duration::ZERO);
        receive(&mut receiver, 0, 1, 0, &[1; FRAME_BYTES]);
        receive(&mut receiver, 13, 2, 50, &[60]);
        receive_at(&mut receiver, "127.0.0.3:4000", (0, 3, 0, &[1; FRAME_BYTES]), Duration::from_secs(1));
        assert_eq!(receiver.destination(), Some("127.0.0.3:4000".parse().unwrap()));
    }

    #[test]
    fn a_new_source_begins_with_an_empty_buffer() {
        let mut receiver = Receiver::new(terms(), Duration::ZERO);
        for number in 0..4 {
            receive(&mut receiver, 0, 1, number, &[1; FRAME_BYTES]);
        }
        for number in 100..104 {
            receive(&mut receiver, 0, 2, number, &[2; FRAME_BYTES]);
        }
        assert_eq!(receiver.take(), Some([2; FRAME_BYTES]));
    }

    #[test]
    fn the_same_packet_twice_is_one_key_and_one_frame() {
        let mut receiver = Receiver::new(terms(), Duration::ZERO);
        assert!(receive(&mut receiver, 101, 1, 1, &[5, 10, 0, 160]).is_some());
        assert!(receive(&mut receiver, 101, 1, 1, &[5, 10, 0, 160]).is_none());
        assert_eq!(receiver.counts.duplicated, 1);
    }

    #[test]
    fn on_hold_nothing_is_heard_and_nothing_is_missed() {
        let mut receiver = Receiver::new(terms(), Duration::ZERO);
        assert_eq!(receiver.silent_for(Duration::from_secs(31)), Duration::from_secs(31));
        receiver.renegotiate(Negotiated { direction: Direction::SendOnly, ..terms() }, Duration::ZERO);
        receive(&mut receiver, 0, 1, 1, &[1; FRAME_BYTES]);
        assert_eq!(receiver.counts.received, 0);
        assert_eq!(receiver.silent_for(Duration::from_secs(90)), Duration::ZERO);
    }

    proptest! {
        #[test]
        fn any_datagrams_are_survived(datagrams in proptest::collection::vec(
            (any::<bool>(), proptest::collection::vec(any::<u8>(), 0..300), any::<u32>()), 0..100)) {
            let mut receiver = Receiver::new(terms(), Duration::ZERO);
            for (plausible, mut datagram, millis) in datagrams {
                if let (true, [flags, kind, ..]) = (plausible, &mut datagram[..]) {
                    *flags = 0x80;
                    *kind = if *kind % 2 == 0 { 0 } else { 101 };
                }
                let now = Duration::from_millis(u64::from(millis));
                receiver.receive(&datagram, PEER.parse().unwrap(), now);
                receiver.take();
                receiver.report();
            }
        }
    }
}
