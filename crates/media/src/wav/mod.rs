//! WAV files of telephone sound: 16-bit samples at 8 kHz.

mod read;
mod write;

use std::io;

pub use read::{read_frames, read_samples};
pub use write::WavFile;

/// Samples a second, of every file written and read.
const RATE: u32 = 8_000;

/// How many sides a recording keeps apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    /// One side.
    Mono,
    /// Two sides, left and right.
    Stereo,
}

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

impl From<io::Error> for WavError {
    fn from(error: io::Error) -> Self {
        Self::File(hound::Error::IoError(error))
    }
}
