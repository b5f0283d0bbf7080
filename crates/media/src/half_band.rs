//! From 16,000 samples a second to 8,000 and back, frame by frame.

use std::f32::consts::{PI, TAU};
use std::sync::LazyLock;

use crate::codec::{NARROW, WIDE};

/// Taps of the low-pass: flat to 3.2 kHz, below −50 dB from 4.4 kHz on.
const TAPS: usize = 63;
/// Where it halves the amplitude, as a part of 16,000.
const CUTOFF: f32 = 3_800.0 / 16_000.0;

/// A sinc under a Hamming window.
static FILTER: LazyLock<[f32; TAPS]> = LazyLock::new(|| {
    let mut filter = [0.0; TAPS];
    let (middle, mut at) = (31.0, 0.0_f32);
    for tap in &mut filter {
        let from_middle = at - middle;
        let sinc = if from_middle.abs() < 0.5 {
            2.0 * CUTOFF
        } else {
            (TAU * CUTOFF * from_middle).sin() / (PI * from_middle)
        };
        *tap = sinc * (0.54 - 0.46 * (TAU * at / 62.0).cos());
        at += 1.0;
    }
    filter
});

/// Halves the rate of one stream; the sound comes out 2 ms later.
#[derive(Clone, Debug)]
pub(crate) struct Halver {
    before: [i16; TAPS - 1],
}

impl Default for Halver {
    fn default() -> Self {
        Self { before: [0; TAPS - 1] }
    }
}

impl Halver {
    pub(crate) fn halve(&mut self, wide: &[i16; WIDE]) -> [i16; NARROW] {
        let mut line = [0; TAPS - 1 + WIDE];
        fill(&mut line, &self.before, wide);
        let mut narrow = [0; NARROW];
        for (sample, window) in narrow.iter_mut().zip(line.windows(TAPS).step_by(2)) {
            *sample = rounded(window.iter().zip(FILTER.iter()).map(|(x, tap)| f32::from(*x) * tap).sum());
        }
        self.before.iter_mut().rev().zip(wide.iter().rev()).for_each(|(kept, last)| *kept = *last);
        narrow
    }
}

/// Doubles the rate of one stream; the sound comes out 2 ms later.
#[derive(Clone, Debug)]
pub(crate) struct Doubler {
    before: [i16; TAPS / 2],
}

impl Default for Doubler {
    fn default() -> Self {
        Self { before: [0; TAPS / 2] }
    }
}

impl Doubler {
    pub(crate) fn double(&mut self, narrow: &[i16; NARROW]) -> [i16; WIDE] {
        let mut line = [0; TAPS / 2 + NARROW];
        fill(&mut line, &self.before, narrow);
        let mut wide = [0; WIDE];
        // Between two samples lies a zero, so every other tap meets nothing.
        for (pair, window) in wide.chunks_exact_mut(2).zip(line.windows(TAPS / 2 + 1)) {
            for (at, sample) in pair.iter_mut().enumerate() {
                let taps = FILTER.iter().skip(at).step_by(2);
                let sum: f32 = window.iter().rev().zip(taps).map(|(x, tap)| f32::from(*x) * tap).sum();
                *sample = rounded(2.0 * sum);
            }
        }
        self.before.iter_mut().rev().zip(narrow.iter().rev()).for_each(|(kept, last)| *kept = *last);
        wide
    }
}

fn fill(line: &mut [i16], before: &[i16], now: &[i16]) {
    line.iter_mut().zip(before.iter().chain(now)).for_each(|(place, sample)| *place = *sample);
}

#[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "a float saturates, as wanted")]
fn rounded(sample: f32) -> i16 {
    sample.round() as i16
}
