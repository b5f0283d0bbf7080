//! WAV files of telephone sound: 16-bit samples at 8 kHz.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use domain::audio::{AudioFormat, FRAME_BYTES, Frame};
use hound::{SampleFormat, WavReader, WavSpec, WavWriter};

use crate::g711;

/// Samples a second, of every file written and read.
const RATE: u32 = 8_000;
/// The longest file that is read: 30 minutes.
const MOST_SAMPLES: u32 = RATE * 60 * 30;

/// A file could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum WavError {
    /// The file system or the file's own form is at fault.
    #[error("the WAV file cannot be used")]
    File(#[from] hound::Error),
    /// Only 16-bit PCM at 8 kHz, mono or stereo, of at most 30 minutes is read.
    #[error(
        "the WAV file has {channels} channels of {bits} bits at {rate} Hz and lasts {seconds} s; \
         wanted are 1 or 2 channels of 16 bits at 8000 Hz, up to 1800 s"
    )]
    Unsupported {
        /// Channels.
        channels: u16,
        /// Bits of a sample.
        bits: u16,
        /// Samples a second.
        rate: u32,
        /// Length in whole seconds.
        seconds: u32,
    },
}

/// How many sides a recording keeps apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    /// One side.
    Mono,
    /// Two sides, left and right.
    Stereo,
}

/// Writes a recording while it happens. Writes are small and buffered, but they are writes to a
/// disk: not for a thread whose beat counts.
pub struct WavRecorder {
    writer: WavWriter<BufWriter<File>>,
    channels: Channels,
}

impl WavRecorder {
    /// Begins a file; one that exists is replaced.
    pub fn create(path: &Path, channels: Channels) -> Result<Self, WavError> {
        let count = match channels {
            Channels::Mono => 1,
            Channels::Stereo => 2,
        };
        let spec = WavSpec {
            channels: count,
            sample_rate: RATE,
            bits_per_sample: 16,
            sample_format: SampleFormat::Int,
        };
        Ok(Self { writer: WavWriter::create(path, spec)?, channels })
    }

    /// Adds 20 ms of one side; none is silence. In a stereo file both channels get it.
    pub fn write(&mut self, format: AudioFormat, frame: Option<&Frame>) -> Result<(), WavError> {
        self.write_both(format, frame, frame)
    }

    /// Adds 20 ms of two sides; none is silence. A mono file gets the left one.
    pub fn write_both(
        &mut self,
        format: AudioFormat,
        left: Option<&Frame>,
        right: Option<&Frame>,
    ) -> Result<(), WavError> {
        let [left, right] = [left, right].map(|frame| samples(format, frame));
        for (left, right) in left.into_iter().zip(right) {
            self.writer.write_sample(left)?;
            if self.channels == Channels::Stereo {
                self.writer.write_sample(right)?;
            }
        }
        Ok(())
    }

    /// Makes what was written so far a whole file, even if the process ends here.
    pub fn flush(&mut self) -> Result<(), WavError> {
        Ok(self.writer.flush()?)
    }

    /// Ends the file. Dropping does so too, but tells no error.
    pub fn finish(self) -> Result<(), WavError> {
        Ok(self.writer.finalize()?)
    }
}

/// Reads a file as frames, the last filled up with silence; the first channel of two.
pub fn read_frames(path: &Path, format: AudioFormat) -> Result<Vec<Frame>, WavError> {
    let samples = read_samples(path)?;
    let frames = samples.chunks(FRAME_BYTES).map(|chunk| {
        let mut frame = [format.silence(); FRAME_BYTES];
        g711::encode_into(format, chunk, &mut frame);
        frame
    });
    Ok(frames.collect())
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

fn samples(format: AudioFormat, frame: Option<&Frame>) -> [i16; FRAME_BYTES] {
    let mut samples = [0; FRAME_BYTES];
    if let Some(frame) = frame {
        g711::decode_into(format, frame, &mut samples);
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(level: i16) -> Frame {
        [g711::encode(AudioFormat::Pcma, level); FRAME_BYTES]
    }

    #[test]
    fn what_was_recorded_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mono.wav");
        let mut recorder = WavRecorder::create(&path, Channels::Mono).unwrap();
        recorder.write(AudioFormat::Pcma, Some(&frame(1_000))).unwrap();
        recorder.write(AudioFormat::Pcma, None).unwrap();
        recorder.finish().unwrap();
        let frames = read_frames(&path, AudioFormat::Pcma).unwrap();
        assert_eq!(frames, [frame(1_000), frame(0)]);
    }

    #[test]
    fn two_sides_are_kept_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stereo.wav");
        let mut recorder = WavRecorder::create(&path, Channels::Stereo).unwrap();
        recorder.write_both(AudioFormat::Pcma, Some(&frame(1_000)), Some(&frame(-4_000))).unwrap();
        drop(recorder);
        let spoken = g711::decode(AudioFormat::Pcma, frame(1_000)[0]);
        let answered = g711::decode(AudioFormat::Pcma, frame(-4_000)[0]);
        let all: Vec<i16> = WavReader::open(&path).unwrap().samples().map(Result::unwrap).collect();
        assert_eq!(all, [spoken, answered].repeat(FRAME_BYTES));
        assert_eq!(read_samples(&path).unwrap(), [spoken; FRAME_BYTES]);
    }

    #[test]
    fn a_flushed_recording_is_whole_without_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cut.wav");
        let mut recorder = WavRecorder::create(&path, Channels::Mono).unwrap();
        recorder.write(AudioFormat::Pcmu, None).unwrap();
        recorder.flush().unwrap();
        assert_eq!(read_samples(&path).unwrap().len(), FRAME_BYTES);
        std::mem::forget(recorder);
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
}
