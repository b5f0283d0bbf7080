//! Between a call's bytes and 16-bit samples. G.722 remembers what came before, so each direction has
//! its own.

use std::fmt;

use audio_codec::g722::{G722Decoder, G722Encoder};
use audio_codec::{Decoder as _, Encoder as _};
use audio_codec_algorithms::{
    convert_alaw_to_ulaw, convert_ulaw_to_alaw, decode_alaw, decode_ulaw, encode_alaw, encode_ulaw,
};
use domain::audio::AudioFormat;

/// Samples of silence after which an encoder of G.722 is where all silence ends: 200 ms.
const SETTLED: usize = 3_200;

/// Samples a second of a format.
pub(super) const fn rate(format: AudioFormat) -> u32 {
    match format {
        AudioFormat::Pcmu | AudioFormat::Pcma => 8_000,
        AudioFormat::G722 => 16_000,
    }
}

/// Decodes one direction.
pub(super) enum Decoder {
    Mu,
    A,
    Wide(Box<G722Decoder>),
}

impl Decoder {
    pub(super) fn new(format: AudioFormat) -> Self {
        match format {
            AudioFormat::Pcmu => Self::Mu,
            AudioFormat::Pcma => Self::A,
            AudioFormat::G722 => Self::Wide(Box::new(G722Decoder::new())),
        }
    }

    /// Hands over the samples of some bytes.
    pub(super) fn push(&mut self, bytes: &[u8], mut take: impl FnMut(i16)) {
        match self {
            Self::Mu => bytes.iter().for_each(|byte| take(decode_ulaw(*byte))),
            Self::A => bytes.iter().for_each(|byte| take(decode_alaw(*byte))),
            Self::Wide(codec) => {
                for byte in bytes {
                    let mut pair = [0; 2];
                    // One byte always is two samples.
                    let _ = codec.decode_into(&[*byte], &mut pair);
                    pair.into_iter().for_each(&mut take);
                }
            }
        }
    }
}

/// Encodes one direction.
pub(super) enum Encoder {
    Mu,
    A,
    /// With the sample that waits for its second, and the state of the noise.
    Wide(Box<G722Encoder>, Option<i16>, u32),
}

impl Encoder {
    pub(super) fn new(format: AudioFormat) -> Self {
        match format {
            AudioFormat::Pcmu => Self::Mu,
            AudioFormat::Pcma => Self::A,
            AudioFormat::G722 => {
                let mut encoder = Self::Wide(Box::new(G722Encoder::new()), None, 0x9E37_79B9);
                // The far end's decoder has heard silence before, which changes what it makes of this.
                let mut unheard = Vec::with_capacity(SETTLED);
                (0..SETTLED).for_each(|_| encoder.push(0, &mut unheard));
                encoder
            }
        }
    }

    /// An utterance is over, and silence follows it.
    pub(super) fn settle(&mut self) {
        if let Self::Wide(..) = self {
            *self = Self::new(AudioFormat::G722);
        }
    }

    /// Appends what a sample makes complete.
    pub(super) fn push(&mut self, sample: i16, out: &mut Vec<u8>) {
        match self {
            Self::Mu => out.push(encode_ulaw(sample)),
            Self::A => out.push(encode_alaw(sample)),
            Self::Wide(codec, waiting, noise) => match (waiting.take(), sample.saturating_add(soft(noise))) {
                (None, sample) => *waiting = Some(sample),
                (Some(first), sample) => {
                    let mut byte = [0];
                    // Two samples always are one byte.
                    let _ = codec.encode_into(&[first, sample], &mut byte);
                    out.extend(byte);
                }
            },
        }
    }
}

/// Noise of up to 8 each way (Marsaglia's xorshift), 76 dB below full scale: digital silence would
/// drive the predictors of a decoder to their limits, and what is said next would begin with a crack.
fn soft(state: &mut u32) -> i16 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    i16::try_from(*state % 17).unwrap_or(8) - 8
}

/// One byte of G.711 in the other law (G.711 tables 3 and 4).
pub(super) fn other_law(from: AudioFormat, byte: u8) -> u8 {
    match from {
        AudioFormat::Pcmu => convert_ulaw_to_alaw(byte),
        AudioFormat::Pcma => convert_alaw_to_ulaw(byte),
        AudioFormat::G722 => byte,
    }
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Decoder")
    }
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Encoder")
    }
}
