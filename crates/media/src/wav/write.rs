//! Writing a WAV file that is whole at any moment, as far as its header tells.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::{Channels, RATE};

/// Bytes before the first sample.
const HEADER: u64 = 44;

/// A file that samples are added to. Nothing is buffered here: every write goes to the file.
#[derive(Debug)]
pub struct WavFile {
    file: File,
    channels: Channels,
    samples: u64,
    told: u64,
}

impl WavFile {
    /// Begins a file that is empty and open for writing.
    pub fn begin(file: File, channels: Channels) -> io::Result<Self> {
        file.write_all_at(&header(channels, 0), 0)?;
        Ok(Self { file, channels, samples: 0, told: 0 })
    }

    /// Takes up a file that was cut off anywhere, open for reading and writing: what was added to it
    /// counts. None when it was not begun here.
    pub fn resume(file: File, channels: Channels) -> io::Result<Option<Self>> {
        let length = file.metadata()?.len();
        let mut found = [0; 44];
        if length < HEADER {
            return Ok(None);
        }
        file.read_exact_at(&mut found, 0)?;
        let same = |(place, (own, found)): (usize, (u8, u8))| own == found || is_length(place);
        if !header(channels, 0).into_iter().zip(found).enumerate().all(same) {
            return Ok(None);
        }
        let block = u64::from(block(channels));
        let samples = (length - HEADER) / block * block;
        file.set_len(HEADER + samples)?;
        // What it tells may be older than its length.
        let mut resumed = Self { file, channels, samples, told: u64::MAX };
        resumed.tell()?;
        Ok(Some(resumed))
    }

    /// Adds samples: 16 bits each, little-endian, the channels in turn, in whole blocks.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, HEADER + self.samples)?;
        self.samples += u64::try_from(bytes.len()).unwrap_or(0);
        Ok(())
    }

    /// Lets the header tell what was added so far: from here on it is a whole file.
    pub fn tell(&mut self) -> io::Result<()> {
        if self.told != self.samples {
            self.file.write_all_at(&header(self.channels, self.samples), 0)?;
            self.told = self.samples;
        }
        Ok(())
    }

    /// Bytes of samples so far.
    pub fn bytes(&self) -> u64 {
        self.samples
    }

    /// Bytes of samples that the header does not tell yet.
    pub fn untold(&self) -> u64 {
        self.samples.saturating_sub(self.told)
    }

    /// Cuts off what a failed write left behind, and tells the rest.
    pub fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(HEADER + self.samples)?;
        self.tell()
    }

    /// Waits until the disk has it all.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

/// Whether a byte of the header depends on the file's length.
fn is_length(place: usize) -> bool {
    (4..8).contains(&place) || (40..44).contains(&place)
}

/// Bytes of one sample of each channel.
const fn block(channels: Channels) -> u16 {
    match channels {
        Channels::Mono => 2,
        Channels::Stereo => 4,
    }
}

/// A RIFF header with format tag 1, PCM, and so many bytes of samples to follow; of more than 4 GiB
/// as many as can be told.
fn header(channels: Channels, samples: u64) -> [u8; 44] {
    let block = block(channels);
    let data = u32::try_from(samples).unwrap_or(u32::MAX - 36).min(u32::MAX - 36);
    let mut header = [0; 44];
    let parts: [&[u8]; 12] = [
        b"RIFF",
        &(data + 36).to_le_bytes(),
        b"WAVEfmt ",
        &16_u32.to_le_bytes(),
        &1_u16.to_le_bytes(),
        &(block / 2).to_le_bytes(),
        &RATE.to_le_bytes(),
        &(RATE * u32::from(block)).to_le_bytes(),
        &block.to_le_bytes(),
        &16_u16.to_le_bytes(),
        b"data",
        &data.to_le_bytes(),
    ];
    for (place, byte) in header.iter_mut().zip(parts.into_iter().flatten()) {
        *place = *byte;
    }
    header
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    fn open(path: &Path) -> File {
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).unwrap()
    }

    fn samples(path: &Path) -> Vec<i16> {
        hound::WavReader::open(path).unwrap().samples().map(Result::unwrap).collect()
    }

    #[test]
    fn what_was_told_is_whole_without_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.wav");
        for (channels, count) in [(Channels::Mono, 1), (Channels::Stereo, 2)] {
            let mut file = WavFile::begin(File::create(&path).unwrap(), channels).unwrap();
            assert!(samples(&path).is_empty());
            file.append(&[1, 0, 2, 0]).unwrap();
            assert_eq!((samples(&path), file.untold()), (Vec::new(), 4));
            file.tell().unwrap();
            file.append(&[3, 0, 255, 255]).unwrap();
            assert_eq!((samples(&path), file.untold()), (vec![1, 2], 4));
            file.tell().unwrap();
            assert_eq!(samples(&path), [1, 2, 3, -1]);
            let spec = hound::WavReader::open(&path).unwrap().spec();
            assert_eq!((spec.channels, spec.sample_rate, spec.bits_per_sample), (count, 8_000, 16));
        }
    }

    proptest! {
        #[test]
        fn a_file_cut_off_anywhere_keeps_every_whole_block(length in 0_u64..400) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.wav");
            let mut file = WavFile::begin(File::create(&path).unwrap(), Channels::Stereo).unwrap();
            let bytes: Vec<u8> = (0..356_u32).map(|byte| u8::try_from(byte % 256).unwrap()).collect();
            file.append(&bytes).unwrap();
            open(&path).set_len(length).unwrap();
            let resumed = WavFile::resume(open(&path), Channels::Stereo).unwrap();
            prop_assert_eq!(resumed.is_some(), length >= 44);
            if let Some(mut resumed) = resumed {
                let whole = usize::try_from((length - 44) / 4 * 4).unwrap();
                let told: Vec<u8> = samples(&path).into_iter().flat_map(i16::to_le_bytes).collect();
                prop_assert_eq!(&told, &bytes[..whole]);
                resumed.append(&[9, 9, 9, 9]).unwrap();
                resumed.tell().unwrap();
                prop_assert_eq!(samples(&path).len(), whole / 2 + 2);
            }
        }
    }

    #[test]
    fn what_was_not_begun_here_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.wav");
        WavFile::begin(File::create(&path).unwrap(), Channels::Mono).unwrap();
        let nothing = [0; 100];
        for bytes in [std::fs::read(&path).unwrap(), nothing.to_vec(), b"RIFF".to_vec()] {
            std::fs::write(&path, &bytes).unwrap();
            assert!(WavFile::resume(open(&path), Channels::Stereo).unwrap().is_none());
            assert_eq!(std::fs::read(&path).unwrap(), bytes);
        }
    }
}
