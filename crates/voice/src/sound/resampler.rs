//! From one rate to another in blocks of 20 ms, with what would fold back filtered out.

use std::fmt;

use rubato::audioadapter_buffers::direct::SequentialSliceOfVecs;
use rubato::{Fft, FixedSync, Resampler as _};

/// Blocks a second.
const BLOCKS: u32 = 50;

/// There is no way from one rate to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("sound cannot be brought from {from} to {to} samples a second")]
pub(crate) struct NoSuchRate {
    from: u32,
    to: u32,
}

/// Resamples one stream. What was pushed comes out some 10 ms of sound later.
pub(crate) struct Resampler {
    filter: Fft<f32>,
    input: [Vec<f32>; 1],
    output: [Vec<f32>; 1],
    block: usize,
    /// Samples of silence that push the rest out.
    tail: usize,
}

impl Resampler {
    /// Makes one for these rates, in samples a second.
    pub(crate) fn new(from: u32, to: u32) -> Result<Self, NoSuchRate> {
        let wrong = NoSuchRate { from, to };
        let size = |rate: u32| usize::try_from(rate).map_err(|_| wrong);
        let filter = Fft::new_custom(
            size(from)?,
            size(to)?,
            size(from / BLOCKS)?,
            1,
            1,
            rubato::WindowFunction::BlackmanHarris2,
            FixedSync::Both,
        )
        .map_err(|_| wrong)?;
        let block = filter.input_frames_next();
        let output = [vec![0.0; filter.output_frames_max()]];
        let tail = block / 2;
        Ok(Self { filter, input: [Vec::with_capacity(block)], output, block, tail })
    }

    /// Takes samples, and hands over those that come out.
    pub(crate) fn push(&mut self, samples: impl IntoIterator<Item = i16>, mut take: impl FnMut(i16)) {
        for sample in samples {
            let [input] = &mut self.input;
            input.push(f32::from(sample));
            if input.len() == self.block {
                self.turn_out(self.output_block(), &mut take);
            }
        }
    }

    /// Hands over what is still inside, and begins anew.
    pub(crate) fn finish(&mut self, mut take: impl FnMut(i16)) {
        let [input] = &mut self.input;
        let mut rest = input.len() + self.tail;
        while rest > 0 {
            let [input] = &mut self.input;
            input.resize(self.block, 0.0);
            let most = rest.min(self.block);
            self.turn_out(most * self.output_block() / self.block, &mut take);
            rest -= most;
        }
        self.filter.reset();
    }

    fn output_block(&self) -> usize {
        self.filter.output_frames_next()
    }

    fn turn_out(&mut self, most: usize, take: &mut impl FnMut(i16)) {
        let made = {
            let input = SequentialSliceOfVecs::new(&self.input, 1, self.block);
            let made = self.filter.output_frames_next();
            let output = SequentialSliceOfVecs::new_mut(&mut self.output, 1, made);
            match (input, output) {
                (Ok(input), Ok(mut output)) => {
                    self.filter.process_into_buffer(&input, &mut output, None).map(|(_, made)| made)
                }
                // Sizes that the filter itself gave always fit.
                _ => Ok(0),
            }
        };
        let [input] = &mut self.input;
        input.clear();
        let [output] = &self.output;
        output.iter().take(made.unwrap_or(0).min(most)).for_each(|sample| take(rounded(*sample)));
    }
}

impl fmt::Debug for Resampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resampler").field("block", &self.block).finish_non_exhaustive()
    }
}

#[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "a float saturates, as wanted")]
fn rounded(sample: f32) -> i16 {
    sample.round() as i16
}

#[cfg(test)]
#[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "a test makes its own tones")]
mod tests {
    use super::*;

    fn tone(hertz: f64, rate: u32) -> Vec<i16> {
        let step = std::f64::consts::TAU * hertz / f64::from(rate);
        (0..rate).map(|n| (10_000.0 * (step * f64::from(n)).sin()) as i16).collect()
    }

    fn resampled(from: u32, to: u32, samples: &[i16]) -> Vec<i16> {
        let mut resampler = Resampler::new(from, to).unwrap();
        let mut out = Vec::new();
        resampler.push(samples.iter().copied(), |sample| out.push(sample));
        resampler.finish(|sample| out.push(sample));
        out
    }

    /// The loudest sample in the middle of a tone after resampling, in per cent of that before.
    fn passes(from: u32, to: u32, hertz: f64) -> f64 {
        let out = resampled(from, to, &tone(hertz, from));
        let middle = &out[out.len() / 4..out.len() * 3 / 4];
        f64::from(middle.iter().map(|sample| sample.abs()).max().unwrap()) / 100.0
    }

    #[test]
    fn the_voice_band_passes_both_ways() {
        for hertz in [300.0, 1010.0, 2030.0, 3200.0] {
            for (from, to) in [(8_000, 24_000), (24_000, 8_000), (16_000, 8_000), (8_000, 16_000)] {
                let per_cent = passes(from, to, hertz);
                assert!((95.0..102.0).contains(&per_cent), "{from} to {to}, {hertz} Hz: {per_cent} %");
            }
        }
    }

    #[test]
    fn what_would_fold_back_into_the_voice_band_does_not() {
        for hertz in [4500.0, 5300.0, 7000.0, 11_000.0] {
            let per_cent = passes(24_000, 8_000, hertz);
            assert!(per_cent < 1.0, "{hertz} Hz: {per_cent} %");
        }
    }

    #[test]
    fn sound_keeps_its_length_but_for_the_delay_and_may_come_in_any_pieces() {
        let samples = tone(440.0, 24_000);
        let whole = resampled(24_000, 8_000, &samples);
        let delay = 8_000 / 50 / 2;
        assert_eq!(whole.len(), 8_000 + delay);
        let mut resampler = Resampler::new(24_000, 8_000).unwrap();
        let mut pieces = Vec::new();
        for piece in samples.chunks(77) {
            resampler.push(piece.iter().copied(), |sample| pieces.push(sample));
        }
        resampler.finish(|sample| pieces.push(sample));
        assert_eq!(pieces, whole);
    }

    #[test]
    fn the_loudest_samples_do_not_wrap_around() {
        let square: Vec<i16> = (0..2400).map(|n| if n / 30 % 2 == 0 { i16::MAX } else { i16::MIN }).collect();
        let out = resampled(24_000, 8_000, &square);
        // After the delay, the middle of each half wave has its sign.
        for half in 2..78 {
            let middle = out[80 + half * 10 + 5];
            assert_eq!(middle > 0, half % 2 == 0, "half wave {half}");
        }
    }

    #[test]
    fn rates_that_make_no_sense_are_refused() {
        assert!(Resampler::new(0, 8_000).is_err());
    }
}
