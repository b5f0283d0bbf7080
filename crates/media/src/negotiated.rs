//! What the signalling agreed on, and the random values that a session begins with.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use domain::audio::AudioFormat;
use domain::network::{AddressPolicy, Network};
use domain::ports::{Detects, Entropy};

use crate::srtp::{Master, Suite};

/// Who may send (RFC 3264 §5.1), seen from our side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Both sides send.
    #[default]
    SendReceive,
    /// Only we send: the callee has us on hold.
    SendOnly,
    /// Only the callee sends.
    ReceiveOnly,
    /// Nobody sends.
    Inactive,
}

impl Direction {
    /// Whether we may send.
    pub const fn sends(self) -> bool {
        matches!(self, Self::SendReceive | Self::SendOnly)
    }

    /// Whether the callee may send.
    pub const fn receives(self) -> bool {
        matches!(self, Self::SendReceive | Self::ReceiveOnly)
    }
}

/// What both sides protect their packets with (RFC 3711).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protection {
    /// The suite of both directions.
    pub suite: Suite,
    /// The key of what we send.
    pub ours: Master,
    /// The key of what the other side sends.
    pub theirs: Master,
}

/// Whose packets are accepted besides those from the negotiated IP. The default accepts no others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourcePolicy {
    /// Where the other side's signalling comes from; audio from there, any port, is accepted.
    pub signalling: Option<IpAddr>,
    /// Whether audio from any other address is accepted too, after five consecutive packets.
    pub nat: bool,
    /// The networks that packets may come from and go to; an empty list does not narrow anything.
    pub networks: Vec<Network>,
    /// Judges whom packets may come from and go to.
    pub guard: Option<Arc<AddressPolicy>>,
}

impl SourcePolicy {
    /// Whether packets may come from an address and go to it at all.
    pub(crate) fn allows(&self, address: IpAddr) -> bool {
        let inside = self.networks.is_empty() || self.networks.iter().any(|own| own.contains(address));
        inside && self.guard.as_ref().is_none_or(|guard| guard.judge(address).is_ok())
    }
}

/// The outcome of one offer and answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Negotiated {
    /// The encoding of both directions.
    pub format: AudioFormat,
    /// The RTP payload type of the audio, 0–127.
    pub payload_type: u8,
    /// The RTP payload type of telephone-event, 0–127; none when the other side has it not.
    pub telephone_event: Option<u8>,
    /// Where its SDP wants RTP; RTCP goes to the next port.
    pub remote: SocketAddr,
    /// Who may send.
    pub direction: Direction,
    /// How packets are protected, when they are.
    pub protection: Option<Protection>,
    /// Whose packets are accepted.
    pub sources: SourcePolicy,
    /// What is worked out of the sound that is heard.
    pub detects: Detects,
}

/// The random values that RFC 3550 (§5.1, §6.5.1) and RFC 7022 ask for, one draw per session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeds {
    /// Our synchronization source.
    pub ssrc: u32,
    /// Sequence number of the first packet.
    pub sequence: u16,
    /// Timestamp of the first packet.
    pub timestamp: u32,
    /// Canonical name in RTCP, at most 255 bytes; tells nothing about the machine.
    pub cname: String,
}

impl Seeds {
    /// Draws fresh values.
    pub fn draw(entropy: &dyn Entropy) -> Self {
        let mut word = [0; 4];
        let mut draw = || {
            entropy.fill(&mut word);
            u32::from_be_bytes(word)
        };
        let [high, low, ..] = draw().to_be_bytes();
        Self {
            ssrc: draw(),
            sequence: u16::from_be_bytes([high, low]),
            timestamp: draw(),
            // 96 random bits make the name unique (RFC 7022 §4.2).
            cname: format!("{:08x}{:08x}{:08x}", draw(), draw(), draw()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU8, Ordering};

    use super::*;

    struct Counting(AtomicU8);

    impl Entropy for Counting {
        fn fill(&self, bytes: &mut [u8]) {
            for byte in bytes {
                *byte = self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    #[test]
    fn every_value_is_a_draw_of_its_own() {
        let seeds = Seeds::draw(&Counting(AtomicU8::new(1)));
        let expected = Seeds {
            sequence: 0x0102,
            ssrc: 0x0506_0708,
            timestamp: 0x090A_0B0C,
            cname: "0d0e0f101112131415161718".to_owned(),
        };
        assert_eq!(seeds, expected);
    }

    #[test]
    fn a_direction_tells_both_sides() {
        let sides =
            [Direction::SendReceive, Direction::SendOnly, Direction::ReceiveOnly, Direction::Inactive]
                .map(|direction| (direction.sends(), direction.receives()));
        assert_eq!(sides, [(true, true), (true, false), (false, true), (false, false)]);
    }
}
