//! From Pico's 16,000 samples a second to the telephone's 8,000.

/// The first half of a symmetric low-pass of 64 taps (Kaiser window, β = 7, half the amplitude at
/// 3,800 Hz), in units of 2⁻¹⁵: flat to 3.4 kHz (−0.2 dB), below −70 dB from 4.4 kHz on, so that
/// nothing folds back into what a telephone carries.
const TAPS: [i32; 32] = [
    0, 4, 0, -10, -3, 21, 10, -37, -26, 57, 54, -80, -99, 103, 168, -119, -266, 121, 399, -96, -577, 27, 812,
    113, -1132, -379, 1611, 908, -2498, -2271, 5420, 14149,
];

/// Halves the rate; the result is half as long, rounded up.
pub(crate) fn halve(samples: &[i16]) -> Vec<i16> {
    // Silence around the samples puts the filter's middle on each of them.
    let mut padded = vec![0_i16; TAPS.len() - 1];
    padded.extend_from_slice(samples);
    padded.extend([0; TAPS.len()]);
    padded.windows(2 * TAPS.len()).step_by(2).take(samples.len().div_ceil(2)).map(filtered).collect()
}

fn filtered(window: &[i16]) -> i16 {
    let pairs = window.iter().zip(window.iter().rev()).zip(TAPS);
    let sum: i64 = pairs.map(|((a, b), tap)| i64::from(i32::from(*a) + i32::from(*b)) * i64::from(tap)).sum();
    let rounded = ((sum + (1 << 14)) >> 15).clamp(i64::from(i16::MIN), i64::from(i16::MAX));
    i16::try_from(rounded).unwrap_or(0)
}

#[cfg(test)]
#[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "a test makes its own tones")]
mod tests {
    use super::*;

    /// The loudest sample of a tone after halving, against that before, in per cent.
    fn passes(hertz: f64) -> f64 {
        let tone: Vec<i16> = (0..16_000)
            .map(|n| (10_000.0 * (std::f64::consts::TAU * hertz * f64::from(n) / 16_000.0).sin()) as i16)
            .collect();
        let halved = halve(&tone);
        assert_eq!(halved.len(), 8000);
        f64::from(halved[100..7900].iter().map(|sample| sample.abs()).max().unwrap()) / 100.0
    }

    #[test]
    fn the_voice_band_passes_and_what_would_fold_back_does_not() {
        for hertz in [300.0, 1010.0, 2030.0, 3330.0] {
            assert!((97.0..101.0).contains(&passes(hertz)), "{hertz} Hz: {} %", passes(hertz));
        }
        for hertz in [4500.0, 5300.0, 7000.0] {
            assert!(passes(hertz) < 0.2, "{hertz} Hz: {} %", passes(hertz));
        }
    }

    #[test]
    fn the_loudest_samples_do_not_wrap_around() {
        let square: Vec<i16> = (0..1600).map(|n| if n / 16 % 2 == 0 { i16::MAX } else { i16::MIN }).collect();
        let halved = halve(&square);
        let folded = |n: usize| (halved[n] > 0) != (square[2 * n] > 0);
        assert!((0..800).filter(|n| n % 8 > 1 && n % 8 < 6).all(|n| !folded(n)));
        assert_eq!(halve(&[]), [0_i16; 0]);
    }
}
