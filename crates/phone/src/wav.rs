//! WAV files of telephone quality: mono, 8,000 samples a second, 16 bits.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use hound::{SampleFormat, WavReader, WavSpec, WavWriter};

use crate::sound::SAMPLE_RATE;

const SPEC: WavSpec =
    WavSpec { channels: 1, sample_rate: SAMPLE_RATE, bits_per_sample: 16, sample_format: SampleFormat::Int };

/// A WAV file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WavError {
    /// It cannot be read or written.
    #[error(transparent)]
    Wav(#[from] hound::Error),
    /// It is not of telephone quality.
    #[error(
        "mono with 8,000 samples a second of 16 bits is needed, this has {channels} channel(s), {rate}, {bits}"
    )]
    Unfit {
        /// Channels.
        channels: u16,
        /// Samples a second.
        rate: u32,
        /// Bits a sample.
        bits: u16,
    },
}

impl From<io::Error> for WavError {
    fn from(cause: io::Error) -> Self {
        Self::Wav(hound::Error::IoError(cause))
    }
}

/// Reads all samples.
pub(crate) fn read(path: &Path) -> Result<Vec<i16>, WavError> {
    let reader = WavReader::open(path)?;
    let spec = reader.spec();
    if spec != SPEC {
        return Err(WavError::Unfit {
            channels: spec.channels,
            rate: spec.sample_rate,
            bits: spec.bits_per_sample,
        });
    }
    Ok(reader.into_samples().collect::<Result<_, _>>()?)
}

/// Writes a new file for a call to `number`. A `target` that ends in `.wav` names the file, anything
/// else the folder; when the name is taken, `-2`, `-3` … is added.
pub(crate) fn write(
    target: &Path,
    number: &str,
    samples: impl Iterator<Item = i16>,
) -> Result<PathBuf, WavError> {
    let (path, file) = create(target, number)?;
    let mut writer = WavWriter::new(BufWriter::new(file), SPEC)?;
    for sample in samples {
        writer.write_sample(sample)?;
    }
    writer.finalize()?;
    Ok(path)
}

fn create(target: &Path, number: &str) -> io::Result<(PathBuf, File)> {
    let names_file = target.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wav"));
    let (folder, stem) = if names_file {
        let stem = target.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        (target.parent().unwrap_or(Path::new("")), stem.unwrap_or_default())
    } else {
        // The number comes from the caller: it must not lead out of the folder.
        let safe: String = number.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '+').collect();
        (target, if safe.is_empty() { "call".to_owned() } else { safe })
    };
    if !folder.as_os_str().is_empty() {
        std::fs::create_dir_all(folder)?;
    }
    let mut count = 1_u32;
    loop {
        let name = if count == 1 { format!("{stem}.wav") } else { format!("{stem}-{count}.wav") };
        let path = folder.join(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => count += 1,
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let first = write(folder.path(), "+1555", [1, -2, 3].into_iter()).unwrap();
        let second = write(folder.path(), "+1555", [4].into_iter()).unwrap();
        assert_eq!(first, folder.path().join("+1555.wav"));
        assert_eq!(second, folder.path().join("+1555-2.wav"));
        assert_eq!(read(&first).unwrap(), [1, -2, 3]);
    }

    #[test]
    fn a_number_cannot_lead_out_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = write(folder.path(), "../../etc/x", [0].into_iter()).unwrap();
        assert_eq!(path, folder.path().join("etcx.wav"));
    }

    #[test]
    fn a_target_with_the_ending_wav_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = write(&folder.path().join("new/heard.wav"), "1", [0].into_iter()).unwrap();
        assert_eq!(path, folder.path().join("new/heard.wav"));
    }

    #[test]
    fn other_qualities_are_refused_with_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hifi.wav");
        let spec = WavSpec { channels: 2, sample_rate: 44_100, ..SPEC };
        WavWriter::create(&path, spec).unwrap().finalize().unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("44100"));
    }
}
