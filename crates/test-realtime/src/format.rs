//! The formats of sound that a session may have.

use audio_codec_algorithms::{decode_alaw, decode_ulaw, encode_alaw, encode_ulaw};
use serde_json::{Value, json};

/// A format, in its 8,000 or 24,000 samples a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Pcmu,
    Pcma,
    Pcm,
}

impl Format {
    /// Reads a format object; the message of the error is the real server's.
    pub(crate) fn read(format: &Value) -> Result<Self, String> {
        match format["type"].as_str() {
            Some("audio/pcmu") => Ok(Self::Pcmu),
            Some("audio/pcma") => Ok(Self::Pcma),
            Some("audio/pcm") if format.get("rate").is_none_or(|rate| rate == 24_000) => Ok(Self::Pcm),
            Some("audio/pcm") => Err(format!("Invalid value: {}. Expected 24000.", format["rate"])),
            other => Err(format!(
                "Invalid value: '{}'. Supported values are: 'audio/pcm', 'audio/pcmu', and 'audio/pcma'.",
                other.unwrap_or_default()
            )),
        }
    }

    pub(crate) fn echo(self) -> Value {
        match self {
            Self::Pcmu => json!({"type": "audio/pcmu"}),
            Self::Pcma => json!({"type": "audio/pcma"}),
            Self::Pcm => json!({"type": "audio/pcm", "rate": 24_000}),
        }
    }

    /// Bytes of a millisecond.
    pub(crate) const fn bytes_a_ms(self) -> usize {
        match self {
            Self::Pcmu | Self::Pcma => 8,
            Self::Pcm => 48,
        }
    }

    /// Samples, 8,000 a second, in this format.
    pub(crate) fn encode(self, samples: &[i16]) -> Vec<u8> {
        match self {
            Self::Pcmu => samples.iter().map(|sample| encode_ulaw(*sample)).collect(),
            Self::Pcma => samples.iter().map(|sample| encode_alaw(*sample)).collect(),
            Self::Pcm => {
                let next = samples.iter().skip(1).chain(samples.last());
                let pairs = samples.iter().zip(next);
                pairs
                    .flat_map(|(a, b)| (0..3).flat_map(|third| between(*a, *b, third).to_le_bytes()))
                    .collect()
            }
        }
    }

    /// The samples of this format, brought to 8,000 a second.
    pub(crate) fn decode(self, bytes: &[u8]) -> Vec<i16> {
        match self {
            Self::Pcmu => bytes.iter().map(|byte| decode_ulaw(*byte)).collect(),
            Self::Pcma => bytes.iter().map(|byte| decode_alaw(*byte)).collect(),
            Self::Pcm => bytes.chunks_exact(6).map(mean).collect(),
        }
    }
}

/// On the line from `a` to `b`.
fn between(a: i16, b: i16, thirds: i32) -> i16 {
    let (a, b) = (i32::from(a), i32::from(b));
    i16::try_from(a + (b - a) * thirds / 3).unwrap_or_default()
}

/// Of three samples.
fn mean(bytes: &[u8]) -> i16 {
    let sum: i32 = bytes.chunks_exact(2).map(|pair| i32::from(i16::from_le_bytes([pair[0], pair[1]]))).sum();
    i16::try_from(sum / 3).unwrap_or_default()
}
