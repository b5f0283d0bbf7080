//! Audio as it crosses the ports: encoded frames of 20 ms, and telephone keys.

use std::sync::Arc;
use std::time::Duration;

/// How long one frame lasts.
pub const FRAME: Duration = Duration::from_millis(20);

/// Bytes of one frame: 8,000 a second in every format (RFC 3551 §4.5.2, §4.5.14).
pub const FRAME_BYTES: usize = 160;

/// One frame of encoded audio, in the format that the call agreed on.
pub type Frame = [u8; FRAME_BYTES];

/// An encoding on the telephone side (RFC 3551).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AudioFormat {
    /// G.711 µ-law, payload type 0.
    Pcmu,
    /// G.711 A-law, payload type 8.
    Pcma,
    /// G.722 at 64 kbit/s, payload type 9: 16,000 samples a second, two in a byte, on a clock of 8,000
    /// (RFC 3551 §4.5.2). A stream has a memory: what a frame sounds like depends on those before.
    G722,
}

impl AudioFormat {
    /// The byte that decodes to (nearly) nothing heard.
    pub const fn silence(self) -> u8 {
        match self {
            Self::Pcmu => 0xFF,
            Self::Pcma => 0xD5,
            // The smallest steps in both bands, to fill what is missing of a frame.
            Self::G722 => 0xFC,
        }
    }
}

/// A spoken line, encoded once and shared by every call that says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// The format of the frames.
    pub format: AudioFormat,
    /// The line's frames in order; the last is filled up with silence.
    pub frames: Arc<[Frame]>,
}

impl Encoded {
    /// How long the line lasts.
    pub fn length(&self) -> Duration {
        FRAME * u32::try_from(self.frames.len()).unwrap_or(u32::MAX)
    }
}

/// A telephone key (RFC 4733 §3.2, events 0–15).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digit(u8);

const KEYS: &[u8; 16] = b"0123456789*#ABCD";

impl Digit {
    /// The key of an RFC 4733 event code.
    pub fn from_event(event: u8) -> Option<Self> {
        (event < 16).then_some(Self(event))
    }

    /// The key written as a character: `0`–`9`, `*`, `#`, `A`–`D`.
    pub fn from_char(key: char) -> Option<Self> {
        let key = u8::try_from(key.to_ascii_uppercase()).ok()?;
        let event = KEYS.iter().position(|candidate| *candidate == key)?;
        u8::try_from(event).ok().map(Self)
    }

    /// The RFC 4733 event code.
    pub const fn event(self) -> u8 {
        self.0
    }

    /// The key as a character.
    pub fn as_char(self) -> char {
        KEYS.get(usize::from(self.0)).copied().map_or('?', char::from)
    }
}
