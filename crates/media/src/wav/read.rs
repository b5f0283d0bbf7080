//! Reading WAV files.

use std::path::Path;

use domain::audio::{AudioFormat, Frame};
use hound::{SampleFormat, WavReader, WavSpec};

use super::{RATE, WavError};
use crate::codec::Encoder;

/// The longest file that is read: 30 minutes.
const MOST_SAMPLES: u32 = RATE * 60 * 30;

/// Reads a file as frames, the last filled up with silence; the first channel of two.
pub fn read_frames(path: &Path, format: AudioFormat) -> Result<Vec<Frame>, WavError> {
    let samples = read_samples(path)?;
    Ok(Encoder::new(format).encode_all(&samples))
}

/// Reads a file's samples; the first channel of two.
pub fn read_samples(path: &Path) -> Result<Vec<i16>, WavError> {
    let mut reader = WavReader::open(path)?;
    let WavSpec { channels, sample_rate, bits_per_sample, sample_format } = reader.spec();
    let fits = (1..=2).contains(&channels)
        && (sample_rate, bits_per_sample, sample_format) == (RATE, 16, SampleFormat::Int)
        && reader.duration() <= MOST_SAMPLES;
    if !fits {
        return Err(WavError::Unsupported {
            channels,
            bits: bits_per_sample,
            rate: sample_rate,
            seconds: reader.duration() / sample_rate.max(1),
        });
    }
    let samples: Result<Vec<i16>, _> = reader.samples().step_by(channels.into()).collect();
    Ok(samples?)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use hound::WavWriter;
    use proptest::prelude::*;

    use domain::audio::FRAME_BYTES;

    use super::super::{Channels, WavFile};
    use super::*;
    use crate::g711;

    fn write(path: &Path, channels: Channels, samples: &[i16]) {
        let mut file = WavFile::begin(File::create(path).unwrap(), channels).unwrap();
        let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        file.append(&bytes).unwrap();
        file.tell().unwrap();
    }

    #[test]
    fn what_was_written_is_read_as_frames() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mono.wav");
        write(&path, Channels::Mono, &[1_000; FRAME_BYTES + 1]);
        let loud = g711::encode(AudioFormat::Pcma, 1_000);
        let mut rest = [AudioFormat::Pcma.silence(); FRAME_BYTES];
        rest[0] = loud;
        assert_eq!(read_frames(&path, AudioFormat::Pcma).unwrap(), [[loud; FRAME_BYTES], rest]);
    }

    #[test]
    fn of_two_sides_the_left_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stereo.wav");
        write(&path, Channels::Stereo, &[1, -2].repeat(50));
        assert_eq!(read_samples(&path).unwrap(), [1; 50]);
    }

    #[test]
    fn other_forms_are_refused_with_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("music.wav");
        let spec = WavSpec {
            channels: 2,
            sample_rate: 44_100,
            bits_per_sample: 24,
            sample_format: SampleFormat::Int,
        };
        WavWriter::create(&path, spec).unwrap().finalize().unwrap();
        let refusal = read_samples(&path).unwrap_err();
        assert!(matches!(refusal, WavError::Unsupported { channels: 2, bits: 24, rate: 44_100, seconds: 0 }));
        std::fs::write(&path, b"not a WAV file").unwrap();
        assert!(matches!(read_samples(&path).unwrap_err(), WavError::File(_)));
    }

    proptest! {
        #[test]
        fn a_damaged_file_is_read_or_refused_without_a_panic(
            changes in proptest::collection::vec((0..60_usize, any::<u8>()), 0..8), length in 0..200_usize,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("damaged.wav");
            write(&path, Channels::Stereo, &[7; 60]);
            let mut bytes = std::fs::read(&path).unwrap();
            for (place, byte) in changes {
                bytes[place] = byte;
            }
            bytes.truncate(length);
            std::fs::write(&path, &bytes).unwrap();
            let _ = read_samples(&path);
        }
    }
}
