//! Whether a frame is part of one steady tone, such as the beep of an answering machine.
//!
//! A bank of Goertzel filters finds the strongest frequency, the turn of its phase within the frame
//! tells it to a hertz, and a frame whose energy is nearly all there is pure. A few pure frames of
//! one frequency are a tone: a voice never holds one so still, and two tones at a time (telephone
//! keys, a dial or ringing tone) or a chord are not one. A machine's tone of a single frequency, of
//! a fax too, is.

use std::f32::consts::TAU;

/// Filters, every 50 Hz from 400 Hz on: each frequency up to 2,500 Hz is within 25 Hz of one.
const FILTERS: usize = 43;
const LOWEST: f32 = 400.0;
const SPACING: f32 = 50.0;
/// Mean square below which there is no tone: an RMS of 328, −40 dB of full scale.
const GATE: f32 = 328.0 * 328.0;
/// The part of a frame's energy that its tone has: noise 6 dB below it is borne.
const PURE: f32 = 0.8;
/// How far two frames of one tone may lie apart, in Hz.
const STILL: f32 = 12.0;
/// So many pure frames in a row are a tone: 80 ms.
const STEADY: u8 = 4;
/// So many lost frames in a row keep the last judgement.
const BRIDGED: u8 = 3;

/// Follows one stream, frame by frame.
#[derive(Debug)]
pub(crate) struct ToneDetector {
    /// Samples a second, and the coefficient of each filter at that rate.
    rate: f32,
    filters: [f32; FILTERS],
    /// The last pure frame's frequency in Hz, and how many frames have had it.
    frequency: f32,
    steady: u8,
    gap: u8,
}

impl ToneDetector {
    /// Nothing was heard yet.
    pub(crate) fn new() -> Self {
        Self { rate: 0.0, filters: [0.0; FILTERS], frequency: 0.0, steady: 0, gap: 0 }
    }

    /// Judges the next 20 ms; none never came.
    pub(crate) fn hear(&mut self, samples: Option<&[i16]>, rate: u16) -> bool {
        let Some(samples) = samples else {
            self.gap = self.gap.saturating_add(1);
            if self.gap > BRIDGED {
                self.steady = 0;
            }
            return self.steady >= STEADY;
        };
        self.gap = 0;
        self.tune(f32::from(rate));
        self.steady = match self.pure(samples) {
            Some(frequency) => {
                let still = (frequency - self.frequency).abs() <= STILL;
                self.frequency = frequency;
                if still { self.steady.saturating_add(1) } else { 1 }
            }
            None => 0,
        };
        self.steady >= STEADY
    }

    fn tune(&mut self, rate: f32) {
        // Rates are whole numbers: a difference is one of thousands.
        if (self.rate - rate).abs() < 1.0 {
            return;
        }
        self.rate = rate;
        let mut frequency = LOWEST;
        for filter in &mut self.filters {
            *filter = 2.0 * (TAU * frequency / rate).cos();
            frequency += SPACING;
        }
    }

    /// The frame's frequency in Hz, when it is pure and loud enough.
    fn pure(&self, samples: &[i16]) -> Option<f32> {
        let count = f32::from(u16::try_from(samples.len()).ok()?);
        let energy: f32 = samples.iter().map(|sample| f32::from(*sample).powi(2)).sum();
        if energy < GATE * count {
            return None;
        }
        let near = self.strongest(samples);
        let (first, second) = samples.split_at(samples.len() / 2);
        let turn = TAU * near / self.rate;
        let [first, second] = [project(first, turn, 0), project(second, turn, first.len())];
        // What the phase turns by from one half to the other is how far the filter is off.
        let off = first.phase_to(second) * 2.0 / count;
        let turn = turn + off;
        let whole = project(samples, turn, 0);
        let share = 2.0 * (whole.real.powi(2) + whole.imaginary.powi(2)) / (count * energy);
        let frequency = turn * self.rate / TAU;
        let heard = LOWEST - SPACING / 2.0..LOWEST + SPACING * 43.0;
        (share >= PURE && heard.contains(&frequency)).then_some(frequency)
    }

    /// The frequency of the filter that resounds most (Goertzel, 1958), all of them side by side.
    fn strongest(&self, samples: &[i16]) -> f32 {
        let (mut last, mut before) = ([0.0_f32; FILTERS], [0.0_f32; FILTERS]);
        for sample in samples {
            let sample = f32::from(*sample);
            for ((last, before), filter) in last.iter_mut().zip(&mut before).zip(&self.filters) {
                let next = sample + filter * *last - *before;
                (*before, *last) = (*last, next);
            }
        }
        let (mut best, mut most, mut frequency) = (LOWEST, 0.0, LOWEST);
        for ((last, before), filter) in last.iter().zip(&before).zip(&self.filters) {
            let power = last * last + before * before - filter * last * before;
            if power > most {
                (best, most) = (frequency, power);
            }
            frequency += SPACING;
        }
        best
    }
}

/// The part of a signal that goes along with one frequency.
#[derive(Clone, Copy)]
struct Projection {
    real: f32,
    imaginary: f32,
}

impl Projection {
    /// The angle from this one to `later`, within half a turn.
    fn phase_to(self, later: Self) -> f32 {
        let real = self.real * later.real + self.imaginary * later.imaginary;
        let imaginary = self.real * later.imaginary - self.imaginary * later.real;
        imaginary.atan2(real)
    }
}

/// Projects samples, the first of which is the `from`-th, on a frequency of `turn` radians a sample.
fn project(samples: &[i16], turn: f32, from: usize) -> Projection {
    let begin = turn * f32::from(u16::try_from(from).unwrap_or(0));
    let (step_imaginary, step_real) = (-turn).sin_cos();
    let (mut imaginary, mut real) = (-begin).sin_cos();
    let mut sum = Projection { real: 0.0, imaginary: 0.0 };
    for sample in samples {
        let sample = f32::from(*sample);
        sum.real += sample * real;
        sum.imaginary += sample * imaginary;
        (real, imaginary) =
            (real * step_real - imaginary * step_imaginary, real * step_imaginary + imaginary * step_real);
    }
    sum
}

#[cfg(test)]
#[path = "tone_tests.rs"]
mod tests;
