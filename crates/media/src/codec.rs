//! Between a call's frames and samples, in every format. G.722 remembers what came before, so each
//! stream has a decoder and an encoder of its own.

use std::sync::LazyLock;

use audio_codec::g722::{G722Decoder, G722Encoder};
use audio_codec::{Decoder as _, Encoder as _};
use domain::audio::{AudioFormat, FRAME_BYTES, Frame};

use crate::g711;
use crate::half_band::{Doubler, Halver};

/// Samples of a frame at 8,000 a second.
pub const NARROW: usize = FRAME_BYTES;
/// Samples of a frame at 16,000 a second.
pub const WIDE: usize = 2 * FRAME_BYTES;

/// So many silent frames bring a codec of G.722 to where all silence of ours ends.
const SETTLED: usize = 10;

/// What is sent where nothing is said. For G.722 that is soft noise, 76 dB below full scale: digital
/// silence would drive the predictors of the far end's decoder to their limits, and what is said
/// next would begin with a crack.
pub fn silent_frame(format: AudioFormat) -> Frame {
    static NOISE: LazyLock<Frame> = LazyLock::new(|| {
        let mut encoder = Encoder::new(AudioFormat::G722);
        encoder.encode_narrow(&[0; NARROW])
    });
    match format {
        AudioFormat::Pcmu | AudioFormat::Pcma => [format.silence(); FRAME_BYTES],
        AudioFormat::G722 => *NOISE,
    }
}

/// Samples between −8 and 8 that look random (Marsaglia's xorshift).
#[derive(Clone, Copy, Debug)]
struct Noise(u32);

impl Noise {
    fn next(&mut self) -> i16 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        i16::try_from(self.0 % 17).unwrap_or(8) - 8
    }
}

/// What G.722 needs to encode a stream of ours.
struct Wideband {
    codec: G722Encoder,
    doubler: Doubler,
    noise: Noise,
}

/// Decodes one stream.
pub struct Decoder {
    format: AudioFormat,
    wide: Option<Box<(G722Decoder, Halver)>>,
}

impl Decoder {
    /// For a stream that begins.
    pub fn new(format: AudioFormat) -> Self {
        let wide = (format == AudioFormat::G722).then(|| Box::new((G722Decoder::new(), Halver::default())));
        Self { format, wide }
    }

    /// For a stream of ours, which begins after silence.
    pub fn of_ours(format: AudioFormat) -> Self {
        let mut decoder = Self::new(format);
        for _ in 0..SETTLED {
            decoder.decode_narrow(&silent_frame(format));
        }
        decoder
    }

    /// The stream's format.
    pub const fn format(&self) -> AudioFormat {
        self.format
    }

    /// Decodes a frame to as many samples a second as the format has.
    pub fn decode<'s>(&mut self, frame: &Frame, space: &'s mut [i16; WIDE]) -> &'s [i16] {
        let made = if let Some(wide) = &mut self.wide {
            // Two samples a byte: the space always suffices.
            wide.0.decode_into(frame, space).unwrap_or(0)
        } else {
            g711::decode_into(self.format, frame, space);
            NARROW
        };
        space.get(..made).unwrap_or_default()
    }

    /// Decodes a frame to 8,000 samples a second.
    pub fn decode_narrow(&mut self, frame: &Frame) -> [i16; NARROW] {
        let mut samples = [0; NARROW];
        match &mut self.wide {
            Some(wide) => {
                let mut space = [0; WIDE];
                let (codec, halver) = wide.as_mut();
                if codec.decode_into(frame, &mut space).is_ok() {
                    samples = halver.halve(&space);
                }
            }
            None => g711::decode_into(self.format, frame, &mut samples),
        }
        samples
    }
}

/// Encodes one stream.
pub struct Encoder {
    format: AudioFormat,
    wide: Option<Box<Wideband>>,
}

impl Encoder {
    /// For a stream that begins after silence, as ours do.
    pub fn new(format: AudioFormat) -> Self {
        let wide = (format == AudioFormat::G722).then(|| {
            let (codec, doubler) = (G722Encoder::new(), Doubler::default());
            Box::new(Wideband { codec, doubler, noise: Noise(0x9E37_79B9) })
        });
        let mut encoder = Self { format, wide };
        for _ in 0..SETTLED {
            encoder.encode_narrow(&[0; NARROW]);
        }
        encoder
    }

    /// Encodes a frame of 8,000 samples a second.
    pub fn encode_narrow(&mut self, samples: &[i16; NARROW]) -> Frame {
        let mut frame = [self.format.silence(); FRAME_BYTES];
        match &mut self.wide {
            Some(wide) => {
                let Wideband { codec, doubler, noise } = wide.as_mut();
                let samples = doubler.double(samples).map(|sample| sample.saturating_add(noise.next()));
                // One byte for two samples: the frame always suffices.
                let _ = codec.encode_into(&samples, &mut frame);
            }
            None => g711::encode_into(self.format, samples, &mut frame),
        }
        frame
    }

    /// Encodes as many frames as the samples (8,000 a second) need; silence fills the last.
    pub fn encode_all(&mut self, samples: &[i16]) -> Vec<Frame> {
        let frames = samples.chunks(NARROW).map(|chunk| {
            let mut whole = [0; NARROW];
            whole.iter_mut().zip(chunk).for_each(|(sample, given)| *sample = *given);
            self.encode_narrow(&whole)
        });
        frames.collect()
    }
}

impl std::fmt::Debug for Decoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decoder").field("format", &self.format).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encoder").field("format", &self.format).finish_non_exhaustive()
    }
}

#[cfg(test)]
#[path = "codec_tests.rs"]
mod tests;
