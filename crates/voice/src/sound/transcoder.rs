//! Both directions of a session's sound.

use domain::audio::AudioFormat;

use super::codec::{Decoder, Encoder, other_law, rate};
use super::resampler::NoSuchRate;
use super::{Resampler, WireFormat};

/// The provider's sound cannot be brought to the call's format.
pub(crate) type Unsupported = NoSuchRate;

/// From one rate to another, where they differ.
fn between(from: u32, to: u32) -> Result<Option<Box<Resampler>>, Unsupported> {
    (from != to).then(|| Resampler::new(from, to).map(Box::new)).transpose()
}

/// From the callee to the provider.
#[derive(Debug)]
pub(crate) struct ToProvider {
    call: AudioFormat,
    way: ToWay,
}

#[derive(Debug)]
enum ToWay {
    Same,
    /// Both speak G.711.
    OtherLaw,
    /// As G.711 again, or as plain samples when there is no encoder.
    Samples(Decoder, Option<Box<Resampler>>, Option<Encoder>),
}

impl ToProvider {
    pub(crate) fn new(call: AudioFormat, provider: WireFormat) -> Result<Self, Unsupported> {
        let way = match provider {
            WireFormat::G711(format) if format == call => ToWay::Same,
            WireFormat::G711(_) if call != AudioFormat::G722 => ToWay::OtherLaw,
            WireFormat::G711(format) => {
                let between = between(rate(call), rate(format))?;
                ToWay::Samples(Decoder::new(call), between, Some(Encoder::new(format)))
            }
            WireFormat::Pcm { rate: wanted } => {
                ToWay::Samples(Decoder::new(call), between(rate(call), wanted)?, None)
            }
        };
        Ok(Self { call, way })
    }

    /// Appends what the provider is to hear of `audio`.
    pub(crate) fn push(&mut self, audio: &[u8], out: &mut Vec<u8>) {
        match &mut self.way {
            ToWay::Same => out.extend_from_slice(audio),
            ToWay::OtherLaw => out.extend(audio.iter().map(|byte| other_law(self.call, *byte))),
            ToWay::Samples(decoder, resampler, encoder) => {
                let mut write = |sample: i16| match encoder {
                    Some(encoder) => encoder.push(sample, out),
                    None => out.extend_from_slice(&sample.to_le_bytes()),
                };
                decoder.push(audio, |sample| match resampler {
                    Some(resampler) => resampler.push([sample], &mut write),
                    None => write(sample),
                });
            }
        }
    }
}

/// From the provider to the callee.
#[derive(Debug)]
pub(crate) struct FromProvider {
    way: FromWay,
    /// The first byte of a sample whose second has not come yet.
    half: Option<u8>,
}

#[derive(Debug)]
enum FromWay {
    Same,
    /// Both speak G.711.
    OtherLaw(AudioFormat),
    /// From G.711, or from plain samples when there is no decoder.
    Samples(Option<Decoder>, Option<Box<Resampler>>, Encoder),
}

impl FromProvider {
    pub(crate) fn new(provider: WireFormat, call: AudioFormat) -> Result<Self, Unsupported> {
        let way = match provider {
            WireFormat::G711(format) if format == call => FromWay::Same,
            WireFormat::G711(format) if call != AudioFormat::G722 => FromWay::OtherLaw(format),
            WireFormat::G711(format) => {
                let between = between(rate(format), rate(call))?;
                FromWay::Samples(Some(Decoder::new(format)), between, Encoder::new(call))
            }
            WireFormat::Pcm { rate: given } => {
                FromWay::Samples(None, between(given, rate(call))?, Encoder::new(call))
            }
        };
        Ok(Self { way, half: None })
    }

    /// What the callee is to hear of `audio`, which is the start of the result where nothing changes.
    pub(crate) fn push(&mut self, mut audio: Vec<u8>) -> Vec<u8> {
        match &mut self.way {
            FromWay::Same => audio,
            FromWay::OtherLaw(format) => {
                for byte in &mut audio {
                    *byte = other_law(*format, *byte);
                }
                audio
            }
            FromWay::Samples(decoder, resampler, encoder) => {
                let mut out = Vec::with_capacity(audio.len());
                let mut write = |sample: i16| encoder.push(sample, &mut out);
                let mut take = |sample: i16| match resampler {
                    Some(resampler) => resampler.push([sample], &mut write),
                    None => write(sample),
                };
                match decoder {
                    Some(decoder) => decoder.push(&audio, take),
                    None => samples(&mut self.half, &audio).for_each(&mut take),
                }
                out
            }
        }
    }

    /// What comes next begins with a whole sample, whatever is missing of the last: else all that follows
    /// would be noise.
    pub(crate) const fn align(&mut self) {
        self.half = None;
    }

    /// The rest of an utterance; what comes next is another.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        self.align();
        let mut rest = Vec::new();
        if let FromWay::Samples(_, resampler, encoder) = &mut self.way {
            if let Some(resampler) = resampler {
                resampler.finish(|sample| encoder.push(sample, &mut rest));
            }
            encoder.settle();
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
    use super::super::codec::{Decoder, Encoder};
    use super::*;

    fn decoded(format: AudioFormat, bytes: &[u8]) -> Vec<i16> {
        let mut samples = Vec::new();
        Decoder::new(format).push(bytes, |sample| samples.push(sample));
        samples
    }

    fn encoded(format: AudioFormat, samples: impl Iterator<Item = i16>) -> Vec<u8> {
        let (mut encoder, mut bytes) = (Encoder::new(format), Vec::new());
        samples.for_each(|sample| encoder.push(sample, &mut bytes));
        bytes
    }

    /// The loudest of some samples.
    fn peak(samples: &[i16]) -> u16 {
        samples.iter().map(|sample| sample.unsigned_abs()).max().unwrap()
    }

    #[test]
    fn wideband_calls_are_heard_by_every_provider_and_hear_them() {
        let tone = |rate: u32| {
            (0..rate).map(move |n| {
                let angle = std::f64::consts::TAU * 500.0 * f64::from(n) / f64::from(rate);
                #[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "a tone")]
                let sample = (8_000.0 * angle.sin()) as i16;
                sample
            })
        };
        let call = encoded(AudioFormat::G722, tone(16_000));
        assert_eq!(call.len(), 8_000);
        for provider in [
            WireFormat::Pcm { rate: 24_000 },
            WireFormat::Pcm { rate: 16_000 },
            WireFormat::G711(AudioFormat::Pcmu),
        ] {
            let mut to = ToProvider::new(AudioFormat::G722, provider).unwrap();
            let mut from = FromProvider::new(provider, AudioFormat::G722).unwrap();
            let mut wide = Vec::new();
            to.push(&call, &mut wide);
            let back = decoded(AudioFormat::G722, &from.push(wide));
            assert!((15_600..=16_000).contains(&back.len()), "{provider:?}: {}", back.len());
            let loudest = peak(&back[4_000..12_000]);
            assert!((7_500..8_800).contains(&loudest), "{provider:?}: {loudest}");
        }
    }

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
        assert!(peak(&decoded(AudioFormat::Pcmu, &heard)) <= 8);
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
        from.push(vec![7]);
        from.align();
        assert_eq!(from.push(bytes), expected, "half a sample is none");
    }

    #[test]
    fn a_call_comes_back_from_24_khz_as_it_went() {
        let mut to = ToProvider::new(AudioFormat::Pcmu, WireFormat::Pcm { rate: 24_000 }).unwrap();
        let mut from = FromProvider::new(WireFormat::Pcm { rate: 24_000 }, AudioFormat::Pcmu).unwrap();
        // A second of 500 Hz, which has 16 samples a period.
        let tone = (0..8_000_u32).map(|n| {
            let angle = std::f64::consts::TAU * f64::from(n % 16) / 16.0;
            #[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "a tone")]
            let sample = (8_000.0 * angle.sin()) as i16;
            sample
        });
        let wave = encoded(AudioFormat::Pcmu, tone);
        let mut wide = Vec::new();
        to.push(&wave, &mut wide);
        assert_eq!(wide.len(), 48_000);
        let mut back = from.push(wide);
        back.extend(from.finish());
        // 20 ms of delay, both ways together: ten periods.
        let (sent, heard) = (decoded(AudioFormat::Pcmu, &wave), decoded(AudioFormat::Pcmu, &back));
        for (sent, heard) in sent[2_000..6_000].iter().zip(&heard[2_160..]) {
            let difference = i32::from(*sent) - i32::from(*heard);
            assert!(difference.abs() < 600, "{difference}");
        }
    }
}
