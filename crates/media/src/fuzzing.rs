//! Ways in for the fuzz targets, which may see private parsers.

use std::time::Duration;

use domain::audio::Digit;

use crate::packet::Packet;
use crate::rtcp;
use crate::telephone_event::{KeyReceiver, KeySender};

/// An RTP packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rtp {
    /// The marker bit.
    pub marker: bool,
    /// 0–127.
    pub payload_type: u8,
    /// The sequence number.
    pub sequence: u16,
    /// The timestamp.
    pub timestamp: u32,
    /// The source.
    pub ssrc: u32,
    /// Without padding.
    pub payload: Vec<u8>,
}

/// Reads a datagram as RTP.
pub fn read_rtp(datagram: &[u8]) -> Option<Rtp> {
    let Packet { marker, payload_type, sequence, timestamp, ssrc, payload } = Packet::parse(datagram)?;
    Some(Rtp { marker, payload_type, sequence, timestamp, ssrc, payload: payload.to_vec() })
}

/// Writes a packet; none when it does not fit.
pub fn write_rtp<'b>(packet: &Rtp, buffer: &'b mut [u8]) -> Option<&'b [u8]> {
    let Rtp { marker, payload_type, sequence, timestamp, ssrc, payload } = packet;
    let (marker, payload_type, sequence) = (*marker, *payload_type, *sequence);
    Packet { marker, payload_type, sequence, timestamp: *timestamp, ssrc: *ssrc, payload }.write(buffer)
}

/// The time in `ssrc`'s sender report.
pub fn report_time(datagram: &[u8], ssrc: u32) -> Option<u32> {
    rtcp::report_time(datagram, ssrc)
}

/// The keys that are heard in telephone-event packets.
pub fn keys_heard(packets: &[Rtp]) -> Vec<char> {
    let mut receiver = KeyReceiver::default();
    let heard = packets.iter().filter_map(|packet| {
        let Rtp { marker, payload_type, sequence, timestamp, ssrc, ref payload } = *packet;
        receiver.hear(&Packet { marker, payload_type, sequence, timestamp, ssrc, payload })
    });
    heard.map(Digit::as_char).collect()
}

/// The packets of keys that are pressed for `length` each, from `timestamp` on; at most 32 keys.
pub fn keys_pressed(keys: &[Digit], length: Duration, timestamp: u32) -> Vec<Rtp> {
    let mut sender = KeySender::new();
    for key in keys {
        sender.press(*key, length);
    }
    // 8 s and the pause take 404 beats of 20 ms at most.
    let beats = u32::try_from(keys.len()).unwrap_or(u32::MAX).saturating_mul(410);
    let packet = |beat: u32| {
        let key = sender.beat(timestamp.wrapping_add(beat.wrapping_mul(160)))?;
        let sequence = u16::try_from(beat & 0xFFFF).unwrap_or_default();
        let (marker, timestamp, payload) = (key.marker, key.timestamp, key.payload.to_vec());
        Some(Rtp { marker, payload_type: 101, sequence, timestamp, ssrc: 1, payload })
    };
    (0..beats).filter_map(packet).collect()
}
