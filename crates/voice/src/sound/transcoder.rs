//! Both directions of a session's sound.

use domain::audio::AudioFormat;

use super::resampler::NoSuchRate;
use super::{Resampler, WireFormat, g711};

/// Samples a second of a call.
const CALL_RATE: u32 = 8_000;

/// The provider's sound cannot be brought to the call's format.
pub(crate) type Unsupported = NoSuchRate;

/// From the callee to the provider.
#[derive(Debug)]
pub(crate) struct ToProvider {
    call: AudioFormat,
    way: ToWay,
}

#[derive(Debug)]
enum ToWay {
    /// Both speak G.711.
    G711(AudioFormat),
    Pcm,
    Resampled(Box<Resampler>),
}

impl ToProvider {
    pub(crate) fn new(call: AudioFormat, provider: WireFormat) -> Result<Self, Unsupported> {
        let way = match provider {
            WireFormat::G711(format) => ToWay::G711(format),
            WireFormat::Pcm { rate: CALL_RATE } => ToWay::Pcm,
            WireFormat::Pcm { rate } => ToWay::Resampled(Box::new(Resampler::new(CALL_RATE, rate)?)),
        };
        Ok(Self { call, way })
    }

    /// Appends what the provider is to hear of `audio`.
    pub(crate) fn push(&mut self, audio: &[u8], out: &mut Vec<u8>) {
        let call = self.call;
        let samples = audio.iter().map(|byte| g711::decode(call, *byte));
        match &mut self.way {
            ToWay::G711(format) if *format == call => out.extend_from_slice(audio),
            ToWay::G711(format) => out.extend(audio.iter().map(|byte| g711::convert(call, *format, *byte))),
            ToWay::Pcm => out.extend(samples.flat_map(i16::to_le_bytes)),
            ToWay::Resampled(resampler) => {
                resampler.push(samples, |sample| out.extend_from_slice(&sample.to_le_bytes()));
            }
        }
    }
}

/// From the provider to the callee.
#[derive(Debug)]
pub(crate) struct FromProvider {
    call: AudioFormat,
    way: FromWay,
    /// The first byte of a sample whose second has not come yet.
    half: Option<u8>,
}

#[derive(Debug)]
enum FromWay {
    G711(AudioFormat),
    Pcm,
    Resampled(Box<Resampler>),
}

impl FromProvider {
    pub(crate) fn new(provider: WireFormat, call: AudioFormat) -> Result<Self, Unsupported> {
        let way = match provider {
            WireFormat::G711(format) => FromWay::G711(format),
            WireFormat::Pcm { rate: CALL_RATE } => FromWay::Pcm,
            WireFormat::Pcm { rate } => FromWay::Resampled(Box::new(Resampler::new(rate, CALL_RATE)?)),
        };
        Ok(Self { call, way, half: None })
    }

    /// What the callee is to hear of `audio`, which is the start of the result where nothing changes.
    pub(crate) fn push(&mut self, mut audio: Vec<u8>) -> Vec<u8> {
        let call = self.call;
        match &mut self.way {
            FromWay::G711(format) => {
                for byte in &mut audio {
                    *byte = g711::convert(*format, call, *byte);
                }
                audio
            }
            FromWay::Pcm => {
                let samples = samples(&mut self.half, &audio);
                samples.map(|sample| g711::encode(call, sample)).collect()
            }
            FromWay::Resampled(resampler) => {
                let mut out = Vec::with_capacity(audio.len() / 2);
                let samples = samples(&mut self.half, &audio);
                resampler.push(samples, |sample| out.push(g711::encode(call, sample)));
                out
            }
        }
    }

    /// The rest of an utterance; what comes next is another.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        self.half = None;
        let mut rest = Vec::new();
        if let FromWay::Resampled(resampler) = &mut self.way {
            let call = self.call;
            resampler.finish(|sample| rest.push(g711::encode(call, sample)));
        }
        rest
    }
}

/// The samples in `bytes`, which may begin and end in the middle of one.
fn samples(half: &mut Option<u8>, bytes: &[u8]) -> impl Iterator<Item = i16> {
    bytes.iter().filter_map(|byte| {
        let Some(low) = half.take() else {
            *half = Some(*byte);
            return None;
        };
        Some(i16::from_le_bytes([low, *byte]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [u8; 4] = [0x00, 0x55, 0xAA, 0xFF];

    #[test]
    fn g711_passes_unchanged_where_both_speak_it() {
        for format in [AudioFormat::Pcmu, AudioFormat::Pcma] {
            let mut out = Vec::new();
            ToProvider::new(format, WireFormat::G711(format)).unwrap().push(&ALL, &mut out);
            assert_eq!(out, ALL);
            let mut from = FromProvider::new(WireFormat::G711(format), format).unwrap();
            assert_eq!(from.push(ALL.to_vec()), ALL);
            assert!(from.finish().is_empty());
        }
    }

    #[test]
    fn the_two_laws_are_converted() {
        let mut out = Vec::new();
        let pcma = WireFormat::G711(AudioFormat::Pcma);
        ToProvider::new(AudioFormat::Pcmu, pcma).unwrap().push(&[0xFF], &mut out);
        assert_eq!(out, [AudioFormat::Pcma.silence()]);
        let mut from = FromProvider::new(pcma, AudioFormat::Pcmu).unwrap();
        let heard = from.push(out);
        assert!(g711::decode(AudioFormat::Pcmu, heard[0]).unsigned_abs() <= 8);
    }

    #[test]
    fn samples_may_be_split_between_two_messages() {
        let rate = WireFormat::Pcm { rate: 8_000 };
        let mut from = FromProvider::new(rate, AudioFormat::Pcma).unwrap();
        let bytes: Vec<u8> = [1_000_i16, -20_000, 3].iter().flat_map(|sample| sample.to_le_bytes()).collect();
        let mut whole = FromProvider::new(rate, AudioFormat::Pcma).unwrap();
        let expected = whole.push(bytes.clone());
        assert_eq!(expected.len(), 3);
        let pieces: Vec<u8> = bytes.iter().flat_map(|byte| from.push(vec![*byte])).collect();
        assert_eq!(pieces, expected);
    }

    #[test]
    fn a_call_comes_back_from_24_khz_as_it_went() {
        let mut to = ToProvider::new(AudioFormat::Pcmu, WireFormat::Pcm { rate: 24_000 }).unwrap();
        let mut from = FromProvider::new(WireFormat::Pcm { rate: 24_000 }, AudioFormat::Pcmu).unwrap();
        // A second of 500 Hz, which has 16 samples a period.
        let wave: Vec<u8> = (0..8_000_u32)
            .map(|n| {
                let angle = std::f64::consts::TAU * f64::from(n % 16) / 16.0;
                #[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "a tone")]
                let sample = (8_000.0 * angle.sin()) as i16;
                g711::encode(AudioFormat::Pcmu, sample)
            })
            .collect();
        let mut wide = Vec::new();
        to.push(&wave, &mut wide);
        assert_eq!(wide.len(), 48_000);
        let mut back = from.push(wide);
        back.extend(from.finish());
        // 20 ms of delay, both ways together: ten periods.
        for (sent, heard) in wave[2_000..6_000].iter().zip(&back[2_160..]) {
            let difference = i32::from(g711::decode(AudioFormat::Pcmu, *sent))
                - i32::from(g711::decode(AudioFormat::Pcmu, *heard));
            assert!(difference.abs() < 600, "{difference}");
        }
    }
}
