//! From samples to the frames of a call.

use audio_codec_algorithms::{encode_alaw, encode_ulaw};
use domain::audio::{AudioFormat, Encoded, FRAME_BYTES, Frame};

/// Encodes 8,000 samples a second (ITU-T G.711); silence fills the last frame.
pub(crate) fn encode(samples: &[i16], format: AudioFormat) -> Encoded {
    let byte = match format {
        AudioFormat::Pcmu => encode_ulaw,
        AudioFormat::Pcma => encode_alaw,
    };
    let frame = |samples: &[i16]| {
        let mut frame: Frame = [format.silence(); FRAME_BYTES];
        for (place, sample) in frame.iter_mut().zip(samples) {
            *place = byte(*sample);
        }
        frame
    };
    Encoded { format, frames: samples.chunks(FRAME_BYTES).map(frame).collect() }
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
}
