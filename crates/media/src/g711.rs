//! G.711: between encoded bytes and 16-bit samples. G.722 needs the memory of a
//! [`Decoder`](crate::codec::Decoder): here it is silence.

use std::sync::LazyLock;

use audio_codec_algorithms::{
    convert_alaw_to_ulaw, convert_ulaw_to_alaw, decode_alaw, decode_ulaw, encode_alaw, encode_ulaw,
};
use domain::audio::AudioFormat;

/// The sample of each byte.
static PCMU: LazyLock<[i16; 256]> = LazyLock::new(|| table(decode_ulaw));
static PCMA: LazyLock<[i16; 256]> = LazyLock::new(|| table(decode_alaw));

fn table(decode: fn(u8) -> i16) -> [i16; 256] {
    let mut byte = 0_u8;
    [(); 256].map(|()| {
        let sample = decode(byte);
        byte = byte.wrapping_add(1);
        sample
    })
}

/// One byte as a 16-bit sample.
#[inline]
pub fn decode(format: AudioFormat, byte: u8) -> i16 {
    let table = match format {
        AudioFormat::Pcmu => &PCMU,
        AudioFormat::Pcma => &PCMA,
        AudioFormat::G722 => return 0,
    };
    table.get(usize::from(byte)).copied().unwrap_or(0)
}

/// One 16-bit sample as a byte.
#[inline]
pub fn encode(format: AudioFormat, sample: i16) -> u8 {
    match format {
        AudioFormat::Pcmu => encode_ulaw(sample),
        AudioFormat::Pcma => encode_alaw(sample),
        AudioFormat::G722 => format.silence(),
    }
}

/// Decodes as many bytes as both slices hold.
pub fn decode_into(format: AudioFormat, bytes: &[u8], samples: &mut [i16]) {
    for (sample, byte) in samples.iter_mut().zip(bytes) {
        *sample = decode(format, *byte);
    }
}

/// Encodes as many samples as both slices hold.
pub fn encode_into(format: AudioFormat, samples: &[i16], bytes: &mut [u8]) {
    for (byte, sample) in bytes.iter_mut().zip(samples) {
        *byte = encode(format, *sample);
    }
}

/// Changes bytes from one encoding to another in place (G.711 tables 3 and 4).
pub fn convert(from: AudioFormat, to: AudioFormat, bytes: &mut [u8]) {
    let convert = match (from, to) {
        (AudioFormat::Pcmu, AudioFormat::Pcma) => convert_ulaw_to_alaw,
        (AudioFormat::Pcma, AudioFormat::Pcmu) => convert_alaw_to_ulaw,
        // What is no G.711 stays as it is.
        _ => return,
    };
    for byte in bytes {
        *byte = convert(*byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: [AudioFormat; 2] = [AudioFormat::Pcmu, AudioFormat::Pcma];

    #[test]
    fn every_byte_survives_decoding_and_encoding() {
        for format in FORMATS {
            for byte in 0..=255 {
                let again = encode(format, decode(format, byte));
                // µ-law has two zeros, which decode alike.
                assert!(
                    again == byte || (format, byte, again) == (AudioFormat::Pcmu, 0x7F, 0xFF),
                    "{byte:02x}"
                );
            }
        }
    }

    #[test]
    fn known_values_are_right() {
        assert_eq!(decode(AudioFormat::Pcmu, 0x00), -32_124);
        assert_eq!(decode(AudioFormat::Pcmu, 0x80), 32_124);
        assert_eq!(decode(AudioFormat::Pcma, 0x2A), -32_256);
        assert_eq!(decode(AudioFormat::Pcma, 0xAA), 32_256);
    }

    #[test]
    fn the_error_is_within_a_sixteenth_of_the_sample() {
        for format in FORMATS {
            for sample in (i16::MIN..=i16::MAX).step_by(7) {
                let error = i32::from(decode(format, encode(format, sample))) - i32::from(sample);
                let allowed = (i32::from(sample).abs() / 16).max(16) + 8;
                assert!(
                    error.abs() <= allowed || sample.unsigned_abs() > 32_124,
                    "{format:?} {sample}: {error}"
                );
            }
        }
    }

    #[test]
    fn silence_is_silent_and_conversion_goes_both_ways() {
        for format in FORMATS {
            assert!(decode(format, format.silence()).unsigned_abs() <= 8);
        }
        let mut bytes = [encode(AudioFormat::Pcmu, 8_000)];
        convert(AudioFormat::Pcmu, AudioFormat::Pcma, &mut bytes);
        assert!((decode(AudioFormat::Pcma, bytes[0]) - 8_000).abs() < 500);
        convert(AudioFormat::Pcma, AudioFormat::Pcmu, &mut bytes);
        assert!((decode(AudioFormat::Pcmu, bytes[0]) - 8_000).abs() < 500);
    }
}
