//! From samples to the frames of a call.

use audio_codec::Encoder;
use audio_codec::g722::G722Encoder;
use audio_codec_algorithms::{encode_alaw, encode_ulaw};
use domain::audio::{AudioFormat, Encoded, FRAME_BYTES, Frame};

/// Samples of silence after which an encoder of G.722 is where all silence ends: 200 ms.
const SETTLED: usize = 3_200;

/// Whether a format carries 16,000 samples a second instead of 8,000.
pub(crate) fn is_wideband(format: AudioFormat) -> bool {
    format == AudioFormat::G722
}

/// Encodes as many samples a second as the format has (ITU-T G.711, G.722); silence fills the last
/// frame.
pub(crate) fn encode(samples: &[i16], format: AudioFormat) -> Encoded {
    let frames = match format {
        AudioFormat::Pcmu => by_sample(samples, format, encode_ulaw),
        AudioFormat::Pcma => by_sample(samples, format, encode_alaw),
        AudioFormat::G722 => wideband(samples),
    };
    Encoded { format, frames: frames.into() }
}

fn by_sample(samples: &[i16], format: AudioFormat, byte: fn(i16) -> u8) -> Vec<Frame> {
    let frame = |samples: &[i16]| {
        let mut frame: Frame = [format.silence(); FRAME_BYTES];
        for (place, sample) in frame.iter_mut().zip(samples) {
            *place = byte(*sample);
        }
        frame
    };
    samples.chunks(FRAME_BYTES).map(frame).collect()
}

/// Two samples a byte, with the memory of the line's earlier ones.
fn wideband(samples: &[i16]) -> Vec<Frame> {
    let (mut encoder, mut noise) = (G722Encoder::new(), 0x9E37_79B9);
    // The far end's decoder has heard silence before, which changes what it makes of a line.
    let silence = [0; SETTLED].map(|_: i16| soft(&mut noise));
    let _ = encoder.encode_into(&silence, &mut [0; SETTLED / 2]);
    let frame = |samples: &[i16]| {
        let mut whole = [0; 2 * FRAME_BYTES].map(|_: i16| soft(&mut noise));
        whole.iter_mut().zip(samples).for_each(|(place, sample)| *place = place.saturating_add(*sample));
        let mut frame = [AudioFormat::G722.silence(); FRAME_BYTES];
        // So many samples fill the frame exactly.
        let _ = encoder.encode_into(&whole, &mut frame);
        frame
    };
    samples.chunks(2 * FRAME_BYTES).map(frame).collect()
}

/// Noise of up to 8 each way (Marsaglia's xorshift), 76 dB below full scale: digital silence would
/// drive the predictors of a decoder to their limits, and what is said next would begin with a crack.
fn soft(state: &mut u32) -> i16 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    i16::try_from(*state % 17).unwrap_or(8) - 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_160_samples_and_the_last_is_filled_with_silence() {
        for (format, silence) in [(AudioFormat::Pcmu, 0xFF), (AudioFormat::Pcma, 0xD5)] {
            let encoded = encode(&[8000; 161], format);
            assert_eq!((encoded.format, encoded.frames.len()), (format, 2));
            assert!(encoded.frames[0].iter().all(|byte| *byte != silence));
            assert_eq!(encoded.frames[1][0], encoded.frames[0][0]);
            assert_eq!(encoded.frames[1][1..], [silence; 159]);
            assert_eq!(encode(&[0], format).frames[0][0], silence, "zero is silence");
        }
        assert!(encode(&[], AudioFormat::Pcmu).frames.is_empty());
    }

    #[test]
    fn a_wideband_frame_is_320_samples() {
        for (samples, frames) in [(0, 0), (1, 1), (320, 1), (321, 2), (640, 2)] {
            assert_eq!(encode(&vec![500; samples], AudioFormat::G722).frames.len(), frames);
        }
    }
}
