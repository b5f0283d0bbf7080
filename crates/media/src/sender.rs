//! The outgoing stream: one packet a beat, of audio or of a key.

use std::time::Duration;

use domain::audio::{Digit, FRAME_BYTES, Frame};

use crate::codec;
use crate::negotiated::{Negotiated, Seeds};
use crate::packet::{HEADER_BYTES, Packet};
use crate::telephone_event::KeySender;

/// One beat in samples.
const STEP: u32 = 160;

/// Builds what we send.
#[derive(Debug)]
pub(crate) struct Sender {
    ssrc: u32,
    sequence: u16,
    timestamp: u32,
    /// Whether the next audio packet begins a talkspurt (RFC 3551 §4.1).
    marker: bool,
    keys: KeySender,
    datagram: [u8; HEADER_BYTES + FRAME_BYTES],
    packets: u32,
    octets: u32,
}

impl Sender {
    /// A stream that begins with these values.
    pub(crate) fn new(seeds: &Seeds) -> Self {
        Self {
            ssrc: seeds.ssrc,
            sequence: seeds.sequence,
            timestamp: seeds.timestamp,
            marker: true,
            keys: KeySender::new(),
            datagram: [0; HEADER_BYTES + FRAME_BYTES],
            packets: 0,
            octets: 0,
        }
    }

    /// Our SSRC.
    pub(crate) fn ssrc(&self) -> u32 {
        self.ssrc
    }

    /// The timestamp of the next beat.
    pub(crate) fn timestamp(&self) -> u32 {
        self.timestamp
    }

    /// Packets and payload octets built so far, wrapping around (RFC 3550 §6.4.1).
    pub(crate) fn totals(&self) -> (u32, u32) {
        (self.packets, self.octets)
    }

    /// Queues a key; false when too many wait.
    pub(crate) fn press(&mut self, key: Digit, length: Duration) -> bool {
        self.keys.press(key, length)
    }

    /// Lets beats pass without a packet.
    pub(crate) fn skip(&mut self, beats: u32) {
        self.timestamp = self.timestamp.wrapping_add(beats.wrapping_mul(STEP));
        self.marker = true;
    }

    /// Builds the packet of one beat; none when we may not send.
    pub(crate) fn beat(&mut self, terms: &Negotiated, frame: Option<&Frame>) -> Option<&[u8]> {
        if !terms.direction.sends() {
            self.keys.release();
            self.skip(1);
            return None;
        }
        let now = self.timestamp;
        self.timestamp = now.wrapping_add(STEP);
        let key = terms.telephone_event.and_then(|kind| self.keys.beat(now).map(|packet| (kind, packet)));
        let silence;
        let (marker, payload_type, timestamp, payload): (bool, u8, u32, &[u8]) = match (&key, frame) {
            (Some((kind, key)), _) => (key.marker, *kind, key.timestamp, &key.payload),
            (None, Some(frame)) => (self.marker, terms.payload_type, now, frame),
            (None, None) => {
                silence = codec::silent_frame(terms.format);
                (self.marker, terms.payload_type, now, &silence)
            }
        };
        // Audio after a key begins anew.
        self.marker = key.is_some();
        let packet =
            Packet { marker, payload_type, sequence: self.sequence, timestamp, ssrc: self.ssrc, payload };
        self.sequence = self.sequence.wrapping_add(1);
        self.packets = self.packets.wrapping_add(1);
        self.octets = self.octets.wrapping_add(u32::try_from(payload.len()).unwrap_or(0));
        packet.write(&mut self.datagram)
    }
}

#[cfg(test)]
mod tests {
    use domain::audio::AudioFormat;
    use domain::ports::Detects;

    use super::*;
    use crate::{Direction, SourcePolicy};

    fn terms(direction: Direction) -> Negotiated {
        Negotiated {
            format: AudioFormat::Pcma,
            payload_type: 8,
            telephone_event: Some(101),
            remote: "127.0.0.1:4000".parse().unwrap(),
            direction,
            sources: SourcePolicy::default(),
            detects: Detects::default(),
            protection: None,
        }
    }

    fn sender() -> Sender {
        Sender::new(&Seeds { ssrc: 7, sequence: u16::MAX, timestamp: u32::MAX, cname: String::new() })
    }

    #[test]
    fn numbers_run_on_and_only_the_first_packet_is_marked() {
        let mut sender = sender();
        let terms = terms(Direction::SendReceive);
        let frame = [9; FRAME_BYTES];
        let first = Packet::parse(sender.beat(&terms, Some(&frame)).unwrap()).unwrap();
        assert_eq!((first.marker, first.sequence, first.timestamp), (true, u16::MAX, u32::MAX));
        assert_eq!((first.payload_type, first.ssrc, first.payload), (8, 7, &frame[..]));
        let second = Packet::parse(sender.beat(&terms, None).unwrap()).unwrap();
        assert_eq!((second.marker, second.sequence, second.timestamp), (false, 0, 159));
        assert_eq!(second.payload, &[AudioFormat::Pcma.silence(); FRAME_BYTES]);
        assert_eq!(sender.totals(), (2, 320));
    }

    #[test]
    fn a_key_replaces_audio_and_time_goes_on() {
        let mut sender = sender();
        let terms = terms(Direction::SendOnly);
        sender.press(Digit::from_event(3).unwrap(), Duration::from_millis(40));
        let sent: Vec<_> = (0..5)
            .map(|_| {
                let packet = Packet::parse(sender.beat(&terms, None).unwrap()).unwrap();
                (packet.payload_type, packet.marker, packet.timestamp, packet.sequence)
            })
            .collect();
        let start = u32::MAX;
        let expected = [
            (101, true, start, u16::MAX),
            (101, false, start, 0),
            (101, false, start, 1),
            (101, false, start, 2),
            (8, true, start.wrapping_add(4 * 160), 3),
        ];
        assert_eq!(sent, expected);
    }

    #[test]
    fn nothing_is_sent_on_hold_but_time_passes() {
        let mut sender = sender();
        for direction in [Direction::ReceiveOnly, Direction::Inactive] {
            assert_eq!(sender.beat(&terms(direction), None), None);
        }
        let packet = Packet::parse(sender.beat(&terms(Direction::SendReceive), None).unwrap()).unwrap();
        assert_eq!((packet.marker, packet.timestamp, packet.sequence), (true, 319, u16::MAX));
    }
}
