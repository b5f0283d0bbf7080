//! What was heard on a call, kept encoded until its end, then written and measured.

use std::fs::File;
use std::path::Path;

use domain::audio::{AudioFormat, FRAME, FRAME_BYTES, Frame};
use media::codec::{Decoder, NARROW};
use media::wav::{Channels, WavError, WavFile};

use crate::event::Recorded;
use crate::filing;
use crate::sound::convert;

/// Frames of four hours, the longest call there is: 115 MB.
const MOST_FRAMES: usize = 4 * 3_600 * 50;
/// Frames written at a time: ten seconds.
const FRAMES_AT_ONCE: usize = 500;
/// Frames above −50 dBFS are sound: mean square of a sample.
const VOICED_MEAN_SQUARE: f64 = 32_768.0 * 32_768.0 / 100_000.0;

/// The audio of one call. It stays in memory, so that no disk ever holds up the beat.
#[derive(Debug)]
pub(crate) struct Tape {
    format: AudioFormat,
    frames: Vec<Frame>,
}

impl Tape {
    pub(crate) fn new(format: AudioFormat) -> Self {
        // A minute's room at once; then it grows by doubling, not frame by frame.
        Self { format, frames: Vec::with_capacity(60 * 50) }
    }

    /// What follows comes in this format.
    pub(crate) fn switch(&mut self, format: AudioFormat) {
        if format != self.format {
            convert(self.format, format, &mut self.frames);
            self.format = format;
        }
    }

    /// Takes the next 20 ms; none was heard when nothing came.
    pub(crate) fn hear(&mut self, frame: Option<&Frame>) {
        if self.frames.len() < MOST_FRAMES {
            self.frames.push(*frame.unwrap_or(&[self.format.silence(); FRAME_BYTES]));
        }
    }

    /// Writes the WAV and measures it. Blocks.
    pub(crate) fn save(self, target: &Path, number: &str) -> Result<Recorded, WavError> {
        let path = filing::reserve(target, number)?;
        let mut file = WavFile::begin(File::create(&path)?, Channels::Mono)?;
        let (mut bytes, mut decoder) = (Vec::new(), Decoder::new(self.format));
        for frames in self.frames.chunks(FRAMES_AT_ONCE) {
            bytes.clear();
            for frame in frames {
                bytes.extend(decoder.decode_narrow(frame).iter().flat_map(|sample| sample.to_le_bytes()));
            }
            file.append(&bytes)?;
        }
        file.tell()?;
        let (voiced_seconds, loudness) = self.loudness();
        Ok(Recorded { path, seconds: seconds(self.frames.len()), voiced_seconds, loudness })
    }

    /// Seconds of sound, and its level in dBFS.
    fn loudness(&self) -> (f64, Option<f64>) {
        let (mut voiced, mut sum) = (0, 0.0);
        let mut decoder = Decoder::new(self.format);
        for frame in &self.frames {
            let square = |sample: &i16| f64::from(*sample).powi(2);
            let mean = decoder.decode_narrow(frame).iter().map(square).sum::<f64>() / count(NARROW);
            if mean >= VOICED_MEAN_SQUARE {
                voiced += 1;
                sum += mean;
            }
        }
        let level = (voiced > 0).then(|| 10.0 * (sum / count(voiced) / 32_768.0 / 32_768.0).log10());
        (seconds(voiced), level)
    }
}

fn seconds(frames: usize) -> f64 {
    count(frames) * FRAME.as_secs_f64()
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}

#[cfg(test)]
mod tests {
    use media::g711;

    use super::*;

    #[test]
    fn the_level_is_that_of_the_sound_and_not_of_the_silence_around_it() {
        for format in [AudioFormat::Pcmu, AudioFormat::Pcma] {
            let mut tape = Tape::new(format);
            let square = [g711::encode(format, 8_192); FRAME_BYTES];
            for beat in 0..100 {
                tape.hear((beat % 4 == 0).then_some(&square));
            }
            let (voiced, level) = tape.loudness();
            assert!((voiced - 0.5).abs() < 0.001, "{voiced}");
            assert!((level.unwrap() + 12.0).abs() < 0.3, "{level:?}");
        }
    }

    #[test]
    fn silence_has_no_level() {
        let mut tape = Tape::new(AudioFormat::Pcma);
        tape.hear(None);
        assert_eq!(tape.loudness(), (0.0, None));
    }

    #[test]
    fn a_change_of_law_keeps_what_was_heard() {
        let mut tape = Tape::new(AudioFormat::Pcmu);
        tape.hear(Some(&[g711::encode(AudioFormat::Pcmu, 8_192); FRAME_BYTES]));
        tape.switch(AudioFormat::Pcma);
        tape.hear(Some(&[g711::encode(AudioFormat::Pcma, 8_192); FRAME_BYTES]));
        let folder = tempfile::tempdir().unwrap();
        let recorded = tape.save(folder.path(), "7").unwrap();
        assert!((recorded.seconds - 0.04).abs() < 1e-9);
        let samples = media::wav::read_samples(&recorded.path).unwrap();
        assert!(samples.iter().all(|sample| (7_900..8_500).contains(sample)));
    }
}
