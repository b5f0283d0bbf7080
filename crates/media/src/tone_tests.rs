#![expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "signals are made in floating point"
)]

use domain::audio::AudioFormat;

use super::*;
use crate::g711;

/// A second of these frequencies together, each with its amplitude, with noise of that amplitude, as
/// G.711 hands it over.
fn sound(tones: &[(f32, f32)], noise: f32, format: AudioFormat) -> Vec<i16> {
    let mut random = 7_u32;
    (0..8_000)
        .map(|at| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = noise * ((random >> 8) as f32 / 8_388_608.0 - 1.0);
            let time = at as f32 / 8_000.0;
            let tones = tones.iter().map(|(hertz, level)| level * (TAU * hertz * time + 0.3).sin());
            g711::decode(format, g711::encode(format, (tones.sum::<f32>() + noise) as i16))
        })
        .collect()
}

/// How many of the 50 frames of a second are told to be a tone.
fn told(samples: &[i16]) -> usize {
    let mut detector = ToneDetector::new();
    samples.chunks(160).filter(|frame| detector.hear(Some(frame), 8_000)).count()
}

#[test]
fn every_frequency_of_a_beep_is_a_tone_loud_or_soft_in_both_laws() {
    for format in [AudioFormat::Pcmu, AudioFormat::Pcma] {
        for hertz in (400..=2_500).step_by(23) {
            for level in [700.0, 6_000.0, 30_000.0] {
                let frames = told(&sound(&[(hertz as f32, level)], 0.0, format));
                assert_eq!(frames, 47, "{hertz} Hz at {level}");
            }
        }
    }
}

#[test]
fn a_beep_is_found_within_noise_but_noise_is_none() {
    for hertz in (400..=2_500).step_by(61) {
        // Noise of this amplitude lies 11 dB below.
        let frames = told(&sound(&[(hertz as f32, 6_000.0)], 2_000.0, AudioFormat::Pcmu));
        assert!(frames >= 45, "{hertz} Hz: {frames}");
    }
    assert_eq!(told(&sound(&[], 8_000.0, AudioFormat::Pcmu)), 0);
    assert_eq!(told(&sound(&[(1_000.0, 300.0)], 0.0, AudioFormat::Pcmu)), 0, "too soft");
    assert_eq!(told(&[0; 8_000]), 0);
}

#[test]
fn a_beep_with_overtones_is_a_tone() {
    let frames =
        told(&sound(&[(800.0, 8_000.0), (1_600.0, 2_000.0), (2_400.0, 2_000.0)], 0.0, AudioFormat::Pcmu));
    assert_eq!(frames, 47);
}

#[test]
fn keys_dial_tones_and_chords_are_not_one_tone() {
    let rows = [697.0, 770.0, 852.0, 941.0];
    let columns = [1_209.0, 1_336.0, 1_477.0, 1_633.0];
    for (row, column) in rows.into_iter().flat_map(|row| columns.map(|column| (row, column))) {
        // The columns may be 4 dB louder (ITU-T Q.24).
        for level in [5_000.0, 8_000.0] {
            assert_eq!(
                told(&sound(&[(row, 5_000.0), (column, level)], 0.0, AudioFormat::Pcmu)),
                0,
                "{row}+{column}"
            );
        }
    }
    for (name, pair) in [("dial", (350.0, 440.0)), ("ringing", (440.0, 480.0)), ("busy", (480.0, 620.0))] {
        let frames = told(&sound(&[(pair.0, 6_000.0), (pair.1, 6_000.0)], 0.0, AudioFormat::Pcmu));
        assert_eq!(frames, 0, "{name}");
    }
    for root in [262.0, 330.0, 440.0, 523.0, 659.0] {
        for (third, fifth) in [(1.26, 1.498), (1.189, 1.498)] {
            let chord = [(root, 5_000.0), (root * third, 5_000.0), (root * fifth, 5_000.0)];
            assert_eq!(told(&sound(&chord, 0.0, AudioFormat::Pcmu)), 0, "{root} Hz");
        }
    }
}

#[test]
fn what_lies_beyond_a_beep_is_none() {
    for hertz in [100.0, 200.0, 300.0, 350.0, 2_700.0, 3_000.0, 3_400.0, 3_900.0] {
        assert_eq!(told(&sound(&[(hertz, 6_000.0)], 0.0, AudioFormat::Pcmu)), 0, "{hertz} Hz");
    }
}

#[test]
fn a_gliding_tone_is_not_steady() {
    let mut phase = 0.0_f32;
    let siren: Vec<i16> = (0..16_000)
        .map(|at| {
            let hertz = 1_000.0 + 500.0 * (TAU * at as f32 / 8_000.0).sin();
            phase += TAU * hertz / 8_000.0;
            (6_000.0 * phase.sin()) as i16
        })
        .collect();
    // It turns around twice a second, where it stands nearly still.
    assert!(told(&siren) <= 16, "{}", told(&siren));
}

#[test]
fn the_first_80_ms_are_waited_for_and_short_losses_are_bridged() {
    let beep = sound(&[(1_000.0, 6_000.0)], 0.0, AudioFormat::Pcmu);
    let frames: Vec<&[i16]> = beep.chunks(160).collect();
    let mut detector = ToneDetector::new();
    let first = [0, 1, 2, 3].map(|at| detector.hear(Some(frames[at]), 8_000));
    assert_eq!(first, [false, false, false, true]);
    assert_eq!([(); 4].map(|()| detector.hear(None, 8_000)), [true, true, true, false]);
    assert!(!detector.hear(Some(frames[9]), 8_000));
}

#[test]
fn wideband_sound_is_judged_alike() {
    let mut detector = ToneDetector::new();
    let tone: Vec<i16> =
        (0..16_000).map(|at| (5_000.0 * (TAU * 1_400.0 * at as f32 / 16_000.0).sin()) as i16).collect();
    let told = tone.chunks(320).filter(|frame| detector.hear(Some(frame), 16_000)).count();
    assert_eq!(told, 47);
}
