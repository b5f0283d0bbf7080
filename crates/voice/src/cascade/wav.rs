//! A turn's sound as a file: one channel of 16-bit samples.

/// The length of the head, in bytes.
const HEAD: u32 = 44;

/// A WAV file (RIFF, PCM) of samples that are written with the low byte first.
pub(crate) fn wav(rate: u32, samples: &[u8]) -> Vec<u8> {
    let length = u32::try_from(samples.len()).unwrap_or(u32::MAX - HEAD);
    let mut file = Vec::with_capacity(samples.len() + 44);
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&(length + HEAD - 8).to_le_bytes());
    file.extend_from_slice(b"WAVEfmt ");
    file.extend_from_slice(&16_u32.to_le_bytes());
    for half in [1_u16, 1] {
        file.extend_from_slice(&half.to_le_bytes());
    }
    file.extend_from_slice(&rate.to_le_bytes());
    file.extend_from_slice(&(rate * 2).to_le_bytes());
    for half in [2_u16, 16] {
        file.extend_from_slice(&half.to_le_bytes());
    }
    file.extend_from_slice(b"data");
    file.extend_from_slice(&length.to_le_bytes());
    file.extend_from_slice(samples);
    file
}
