#![expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "signals are made in floating point"
)]

use std::f32::consts::{PI, TAU};

use domain::audio::AudioFormat;

use super::*;
use crate::g711;

const RATE: f32 = 8_000.0;
const FORMAT: AudioFormat = AudioFormat::Pcmu;

/// Two seconds of somebody saying "aiaiai": pulses of a gliding voice through three formants that
/// move between both vowels, four syllables a second.
fn babble(peak: f32) -> Vec<f32> {
    let formants = [(730.0, 270.0, 90.0), (1_090.0, 2_290.0, 110.0), (2_440.0, 3_010.0, 170.0)];
    let mut states = [[0.0; 2]; 3];
    let mut phase = 0.0;
    let signal: Vec<f32> = (0..16_000)
        .map(|at| {
            let time = at as f32 / RATE;
            phase += (120.0 + 25.0 * (TAU * 0.8 * time).sin()) / RATE;
            let pulse = if phase >= 1.0 { 1.0 } else { 0.0 };
            phase %= 1.0;
            let towards_i = 0.5 - 0.5 * (TAU * 2.0 * time).cos();
            let voice: f32 = formants
                .iter()
                .zip(&mut states)
                .map(|((a, i, width), [one, two])| {
                    let frequency = a + (i - a) * towards_i;
                    let radius = (-PI * width / RATE).exp();
                    let pole = 2.0 * radius * (TAU * frequency / RATE).cos();
                    let next = pulse + pole * *one - radius * radius * *two;
                    (*two, *one) = (*one, next);
                    next
                })
                .sum();
            voice * (0.6 + 0.4 * (TAU * 4.0 * time).sin())
        })
        .collect();
    scaled(&signal, peak)
}

/// Two seconds of noise with a flat spectrum.
fn noise(peak: f32) -> Vec<f32> {
    let mut random = 1_u32;
    let signal: Vec<f32> = (0..16_000)
        .map(|_| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) as f32 / 8_388_608.0 - 1.0
        })
        .collect();
    scaled(&signal, peak)
}

fn scaled(signal: &[f32], peak: f32) -> Vec<f32> {
    let loudest = signal.iter().fold(0.0_f32, |loudest, sample| loudest.max(sample.abs()));
    signal.iter().map(|sample| sample / loudest * peak).collect()
}

/// The frames' samples, as they come out of G.711.
fn frames(signal: &[f32]) -> Vec<[i16; 160]> {
    let frame = |samples: &[f32]| {
        let mut frame = [0; 160];
        for (heard, sample) in frame.iter_mut().zip(samples) {
            *heard = g711::decode(FORMAT, g711::encode(FORMAT, *sample as i16));
        }
        frame
    };
    signal.chunks(160).map(frame).collect()
}

/// How many of 100 frames count as speech.
fn speech(signal: &[f32]) -> usize {
    let mut activity = VoiceActivity::new();
    frames(signal).iter().filter(|frame| activity.hear(Some(frame.as_slice()))).count()
}

#[test]
fn a_voice_is_speech_loud_or_soft() {
    for peak in [20_000.0, 6_000.0, 2_000.0] {
        let count = speech(&babble(peak));
        assert!(count >= 80, "{count} of 100 frames at peak {peak}");
    }
}

#[test]
fn noise_and_silence_are_not_speech() {
    for signal in [vec![0.0; 16_000], noise(100.0), noise(2_000.0), babble(60.0)] {
        let count = speech(&signal);
        assert!(count <= 5, "{count} of 100 frames");
    }
}

#[test]
fn speech_ends_with_the_first_quiet_frame() {
    let mut activity = VoiceActivity::new();
    let spoken = frames(&babble(10_000.0)).iter().any(|frame| activity.hear(Some(frame)));
    assert!(spoken);
    assert!(!activity.hear(Some(&[0; 160])));
}

#[test]
fn three_lost_frames_do_not_interrupt_a_speaker_but_more_do() {
    let mut activity = VoiceActivity::new();
    for frame in frames(&babble(10_000.0)) {
        if activity.hear(Some(&frame)) {
            break;
        }
    }
    let lost = [(); 5].map(|()| activity.hear(None));
    assert_eq!(lost, [true, true, true, false, false]);
}

#[test]
fn interpolation_meets_lines_and_stays_in_range() {
    assert_eq!(between(0, 100, 200, 300), 150);
    assert_eq!(between(i16::MIN, i16::MAX, i16::MAX, i16::MIN), i16::MAX);
}
