//! Sound between a call and a provider: the same bytes where both speak the same G.711, else decoded,
//! resampled and encoded.

mod codec;
mod resampler;
mod transcoder;

use domain::audio::AudioFormat;

pub(crate) use transcoder::{FromProvider, ToProvider};

use resampler::Resampler;

/// How a provider encodes sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WireFormat {
    /// As a telephone does, one byte a sample.
    G711(AudioFormat),
    /// 16 bits a sample, the low byte first.
    Pcm {
        /// Samples a second.
        rate: u32,
    },
}

impl WireFormat {
    /// Bytes of one second.
    pub(crate) const fn bytes_a_second(self) -> u32 {
        match self {
            Self::G711(_) => 8_000,
            Self::Pcm { rate } => rate * 2,
        }
    }
}
