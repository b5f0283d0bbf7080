//! SRTP and SRTCP (RFC 3711) with AES in counter mode and HMAC-SHA1: packets are protected and opened
//! in place, without any allocation.

use std::fmt;

use aes::Aes128;
use aes::cipher::{KeyIvInit, StreamCipher};
use hmac::{Hmac, Mac};
use sha1::Sha1;

type Counter = ctr::Ctr128BE<Aes128>;
type Tag = Hmac<Sha1>;

/// Bytes of a master key and of its salt.
const KEY: usize = 16;
const SALT: usize = 14;
/// Bytes of an RTP header without contributing sources, and of the head of an RTCP packet.
const RTP_HEADER: usize = 12;
const RTCP_HEADER: usize = 8;
/// The tag of SRTCP, whatever the suite (RFC 4568 §6.2), and the index before it.
const RTCP_TAG: usize = 10;
const RTCP_INDEX: usize = 4;
/// The most that protection adds to a packet.
pub const MOST_ADDED: usize = RTCP_TAG + RTCP_INDEX;

/// How long the tag of an RTP packet is (RFC 4568 §6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suite {
    /// `AES_CM_128_HMAC_SHA1_80`.
    Tag80,
    /// `AES_CM_128_HMAC_SHA1_32`.
    Tag32,
}

impl Suite {
    const fn tag(self) -> usize {
        match self {
            Self::Tag80 => 10,
            Self::Tag32 => 4,
        }
    }
}

/// One direction's master key with its salt; never shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Master {
    key: [u8; KEY],
    salt: [u8; SALT],
}

impl Master {
    /// From the 30 bytes that a session description carries.
    pub fn new(bytes: &[u8; KEY + SALT]) -> Self {
        let (mut key, mut salt) = ([0; KEY], [0; SALT]);
        key.iter_mut().chain(&mut salt).zip(bytes).for_each(|(place, byte)| *place = *byte);
        Self { key, salt }
    }

    /// The 30 bytes, for our session description.
    pub fn bytes(&self) -> [u8; KEY + SALT] {
        let mut bytes = [0; KEY + SALT];
        bytes.iter_mut().zip(self.key.iter().chain(&self.salt)).for_each(|(place, byte)| *place = *byte);
        bytes
    }

    /// Draws one of a purpose (RFC 3711 §4.3.1), at a key derivation rate of 0.
    fn derive<const N: usize>(&self, label: u8) -> [u8; N] {
        let mut derived = [0; N];
        let mut iv = [0; 16];
        iv.iter_mut().zip(self.salt).for_each(|(place, byte)| *place = byte);
        if let Some(byte) = iv.get_mut(7) {
            *byte ^= label;
        }
        Counter::new(&self.key.into(), &iv.into()).apply_keystream(&mut derived);
        derived
    }
}

impl fmt::Debug for Master {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Master(…)")
    }
}

/// The keys of one kind of packets.
struct Keys {
    cipher: [u8; KEY],
    salt: [u8; SALT],
    tag: Tag,
}

impl Keys {
    fn new(master: &Master, first_label: u8) -> Self {
        let secret: [u8; 20] = master.derive(first_label + 1);
        Self {
            cipher: master.derive(first_label),
            // A key of any length will do for HMAC.
            tag: <Tag as Mac>::new_from_slice(&secret).unwrap_or_else(|_| Tag::new(&[0; 64].into())),
            salt: master.derive(first_label + 2),
        }
    }

    /// Encrypts or decrypts (RFC 3711 §4.1.1).
    fn apply(&self, ssrc: u32, index: u64, payload: &mut [u8]) {
        let mut iv = [0; 16];
        iv.iter_mut().zip(self.salt).for_each(|(place, byte)| *place = byte);
        let [_, _, i0, i1, i2, i3, i4, i5] = index.to_be_bytes();
        let [s0, s1, s2, s3] = ssrc.to_be_bytes();
        let mixed = [s0, s1, s2, s3, i0, i1, i2, i3, i4, i5];
        iv.iter_mut().skip(4).zip(mixed).for_each(|(place, byte)| *place ^= byte);
        Counter::new(&self.cipher.into(), &iv.into()).apply_keystream(payload);
    }

    fn sign(&self, parts: [&[u8]; 2]) -> [u8; 20] {
        let mut tag = self.tag.clone();
        for part in parts {
            tag.update(part);
        }
        tag.finalize().into_bytes().into()
    }
}

/// Which packets came (RFC 3711 §3.3.2): the highest index and the 64 up to it.
#[derive(Clone, Copy, Debug, Default)]
struct Replay {
    highest: Option<u64>,
    seen: u64,
}

impl Replay {
    fn is_fresh(&self, index: u64) -> bool {
        let Some(highest) = self.highest else { return true };
        match highest.checked_sub(index) {
            None => true,
            Some(behind) => u32::try_from(behind)
                .ok()
                .and_then(|behind| 1_u64.checked_shl(behind))
                .is_some_and(|bit| self.seen & bit == 0),
        }
    }

    fn note(&mut self, index: u64) {
        let highest = self.highest.unwrap_or(index);
        if let Some(behind) = highest.checked_sub(index) {
            let bit = u32::try_from(behind).ok().and_then(|behind| 1_u64.checked_shl(behind));
            self.seen |= bit.unwrap_or(0);
            self.highest = Some(highest);
        } else {
            let ahead = u32::try_from(index - highest).unwrap_or(u32::MAX);
            self.seen = self.seen.checked_shl(ahead).unwrap_or(0) | 1;
            self.highest = Some(index);
        }
    }

    /// The 48-bit index of a sequence number, nearest to the highest so far (RFC 3711 §3.3.1).
    fn index(&self, sequence: u16) -> u64 {
        let sequence = u64::from(sequence);
        let Some(highest) = self.highest else { return sequence };
        let around = highest & !0xFFFF | sequence;
        if around + 0x8000 < highest {
            around + 0x1_0000
        } else if around > highest + 0x8000 {
            around.checked_sub(0x1_0000).unwrap_or(around)
        } else {
            around
        }
    }
}

/// What is counted of one source (RFC 3711 §3.2.3).
#[derive(Clone, Copy, Debug, Default)]
struct Source {
    ssrc: u32,
    rtp: Replay,
    rtcp: Replay,
}

/// The sources that were heard last, the latest first. One that comes back, after music on hold say,
/// goes on where it was: begun anew it would be misread after a roll-over, and what was recorded of it
/// could be played again.
#[derive(Clone, Copy, Debug, Default)]
struct Sources([Option<Source>; 8]);

impl Sources {
    fn of(&self, ssrc: u32) -> Source {
        let known = self.0.iter().flatten().find(|source| source.ssrc == ssrc);
        known.copied().unwrap_or(Source { ssrc, ..Source::default() })
    }

    fn keep(&mut self, source: Source) {
        // A new one takes the place of the one that was silent longest.
        let known = |place: &Option<Source>| place.is_none_or(|known| known.ssrc == source.ssrc);
        let at = self.0.iter().position(known).unwrap_or(self.0.len() - 1);
        if let Some(later) = self.0.get_mut(..=at) {
            later.rotate_right(1);
        }
        if let Some(first) = self.0.first_mut() {
            *first = Some(source);
        }
    }
}

/// One direction: what we send, or what one peer sends.
pub struct Stream {
    suite: Suite,
    rtp: Keys,
    rtcp: Keys,
    sources: Sources,
    rtcp_sent: u32,
}

impl Stream {
    /// A stream that begins.
    pub fn new(suite: Suite, master: &Master) -> Self {
        Self {
            suite,
            rtp: Keys::new(master, 0),
            rtcp: Keys::new(master, 3),
            sources: Sources::default(),
            rtcp_sent: 0,
        }
    }

    /// The same, with tags of another length from here on.
    pub(crate) fn with_suite(self, suite: Suite) -> Self {
        Self { suite, ..self }
    }

    /// Protects the RTP packet in the first `length` bytes; the new length, or none when there is no
    /// room or it is no packet.
    pub fn protect(&mut self, buffer: &mut [u8], length: usize) -> Option<usize> {
        let tag = self.suite.tag();
        let whole = buffer.get_mut(..length + tag)?;
        let (packet, place) = whole.split_at_mut(length);
        let head = Head::of(packet)?;
        let mut source = self.sources.of(head.ssrc);
        let index = source.rtp.index(head.sequence);
        self.rtp.apply(head.ssrc, index, packet.get_mut(head.length..)?);
        source.rtp.note(index);
        self.sources.keep(source);
        let signed = self.rtp.sign([packet, &roll_over(index)]);
        place.iter_mut().zip(signed).for_each(|(place, byte)| *place = byte);
        Some(length + tag)
    }

    /// Opens an RTP packet; the plain one is what is left in front. None when it is forged, repeated
    /// or too old.
    pub fn open<'p>(&mut self, datagram: &'p mut [u8]) -> Option<&'p [u8]> {
        let (packet, tag) = datagram.split_at_mut_checked(datagram.len().checked_sub(self.suite.tag())?)?;
        let head = Head::of(packet)?;
        let mut source = self.sources.of(head.ssrc);
        let index = source.rtp.index(head.sequence);
        if !source.rtp.is_fresh(index) || !equal(&self.rtp.sign([packet, &roll_over(index)]), tag) {
            return None;
        }
        // Only what was signed counts.
        source.rtp.note(index);
        self.sources.keep(source);
        self.rtp.apply(head.ssrc, index, packet.get_mut(head.length..)?);
        Some(packet)
    }

    /// Protects the compound RTCP packet in the first `length` bytes (RFC 3711 §3.4).
    pub fn protect_rtcp(&mut self, buffer: &mut [u8], length: usize) -> Option<usize> {
        let whole = buffer.get_mut(..length + RTCP_INDEX + RTCP_TAG)?;
        let (packet, rest) = whole.split_at_mut(length);
        let (place, tag) = rest.split_at_mut(RTCP_INDEX);
        let ssrc = rtcp_ssrc(packet)?;
        let index = self.rtcp_sent;
        self.rtcp_sent = index.wrapping_add(1) & 0x7FFF_FFFF;
        self.rtcp.apply(ssrc, index.into(), packet.get_mut(RTCP_HEADER..)?);
        let index = (index | 0x8000_0000).to_be_bytes();
        place.iter_mut().zip(index).for_each(|(place, byte)| *place = byte);
        let signed = self.rtcp.sign([packet, &index]);
        tag.iter_mut().zip(signed).for_each(|(place, byte)| *place = byte);
        Some(length + RTCP_INDEX + RTCP_TAG)
    }

    /// Opens a compound RTCP packet; none when it is forged or repeated.
    pub fn open_rtcp<'p>(&mut self, datagram: &'p mut [u8]) -> Option<&'p [u8]> {
        let length = datagram.len().checked_sub(RTCP_INDEX + RTCP_TAG)?;
        let (packet, rest) = datagram.split_at_mut_checked(length)?;
        let (word, tag) = rest.split_first_chunk::<RTCP_INDEX>()?;
        let ssrc = rtcp_ssrc(packet)?;
        let index = u64::from(u32::from_be_bytes(*word) & 0x7FFF_FFFF);
        let mut source = self.sources.of(ssrc);
        if !source.rtcp.is_fresh(index) || !equal(&self.rtcp.sign([packet, word]), tag) {
            return None;
        }
        source.rtcp.note(index);
        self.sources.keep(source);
        if word.first().is_some_and(|byte| byte & 0x80 != 0) {
            self.rtcp.apply(ssrc, index, packet.get_mut(RTCP_HEADER..)?);
        }
        Some(packet)
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("suite", &self.suite).finish_non_exhaustive()
    }
}

/// What protection needs of an RTP header.
struct Head {
    ssrc: u32,
    sequence: u16,
    length: usize,
}

impl Head {
    fn of(packet: &[u8]) -> Option<Self> {
        let ([flags, _, q0, q1, _, _, _, _, s0, s1, s2, s3], rest) =
            packet.split_first_chunk::<RTP_HEADER>()?;
        if flags >> 6 != 2 {
            return None;
        }
        let mut length = RTP_HEADER + usize::from(flags & 0x0F) * 4;
        if flags & 0x10 != 0 {
            let extension = rest.get(length - RTP_HEADER..)?.first_chunk::<4>()?;
            let [_, _, high, low] = *extension;
            length += 4 + usize::from(u16::from_be_bytes([high, low])) * 4;
        }
        (length <= packet.len()).then_some(Self {
            ssrc: u32::from_be_bytes([*s0, *s1, *s2, *s3]),
            sequence: u16::from_be_bytes([*q0, *q1]),
            length,
        })
    }
}

fn rtcp_ssrc(packet: &[u8]) -> Option<u32> {
    let ([_, _, _, _, s0, s1, s2, s3], _) = packet.split_first_chunk::<RTCP_HEADER>()?;
    Some(u32::from_be_bytes([*s0, *s1, *s2, *s3]))
}

/// The roll-over counter of an index.
fn roll_over(index: u64) -> [u8; 4] {
    let [_, _, a, b, c, d, _, _] = index.to_be_bytes();
    [a, b, c, d]
}

/// Whether a tag is right, in the same time wherever it is wrong.
fn equal(signed: &[u8; 20], tag: &[u8]) -> bool {
    signed.iter().zip(tag).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

#[cfg(test)]
#[path = "srtp_tests.rs"]
mod tests;
