//! G.711: between encoded bytes and 16-bit samples.

use audio_codec_algorithms::{
    convert_alaw_to_ulaw, convert_ulaw_to_alaw, decode_alaw, decode_ulaw, encode_alaw, encode_ulaw,
};
use domain::audio::AudioFormat;

/// One byte as a sample.
pub(super) fn decode(format: AudioFormat, byte: u8) -> i16 {
    match format {
        AudioFormat::Pcmu => decode_ulaw(byte),
        AudioFormat::Pcma => decode_alaw(byte),
    }
}

/// One sample as a byte.
pub(super) fn encode(format: AudioFormat, sample: i16) -> u8 {
    match format {
        AudioFormat::Pcmu => encode_ulaw(sample),
        AudioFormat::Pcma => encode_alaw(sample),
    }
}

/// One byte in another encoding (G.711 tables 3 and 4).
pub(super) fn convert(from: AudioFormat, to: AudioFormat, byte: u8) -> u8 {
    match (from, to) {
        (AudioFormat::Pcmu, AudioFormat::Pcma) => convert_ulaw_to_alaw(byte),
        (AudioFormat::Pcma, AudioFormat::Pcmu) => convert_alaw_to_ulaw(byte),
        (AudioFormat::Pcmu, AudioFormat::Pcmu) | (AudioFormat::Pcma, AudioFormat::Pcma) => byte,
    }
}
