#![expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "signals are made in floating point"
)]

use std::f64::consts::TAU;

use proptest::prelude::*;

use super::*;

const ALL: [AudioFormat; 3] = [AudioFormat::G722, AudioFormat::Pcmu, AudioFormat::Pcma];

/// A second of a tone at 8,000 samples a second.
fn tone(hertz: f64, level: f64) -> Vec<i16> {
    (0..8_000).map(|at| (level * (TAU * hertz * f64::from(at) / 8_000.0).sin()) as i16).collect()
}

fn there_and_back(format: AudioFormat, samples: &[i16]) -> Vec<i16> {
    let frames = Encoder::new(format).encode_all(samples);
    let mut decoder = Decoder::of_ours(format);
    frames.iter().flat_map(|frame| decoder.decode_narrow(frame)).collect()
}

/// How far the noise lies below the signal, in dB, at the delay that fits best.
fn clearness(sent: &[i16], heard: &[i16]) -> f64 {
    let power = |samples: &mut dyn Iterator<Item = f64>| samples.map(|sample| sample * sample).sum::<f64>();
    (0..80)
        .map(|delay| {
            let pairs = || sent.iter().zip(&heard[delay..]).skip(800).take(6_000);
            let signal = power(&mut pairs().map(|(sent, _)| f64::from(*sent)));
            let noise = power(&mut pairs().map(|(sent, heard)| f64::from(*sent) - f64::from(*heard)));
            10.0 * (signal / noise).log10()
        })
        .fold(f64::MIN, f64::max)
}

#[test]
fn what_is_encoded_is_decoded_clearly_in_every_format() {
    for format in ALL {
        for hertz in [300.0, 1_010.0, 2_030.0] {
            let sent = tone(hertz, 8_000.0);
            let clear = clearness(&sent, &there_and_back(format, &sent));
            assert!(clear > 24.0, "{format:?} at {hertz} Hz: {clear:.1} dB");
        }
    }
}

#[test]
fn wideband_carries_what_a_narrow_line_cannot() {
    let mut encoder = G722Encoder::new();
    let sent: Vec<i16> =
        (0..16_000).map(|at| (8_000.0 * (TAU * 6_000.0 * f64::from(at) / 16_000.0).sin()) as i16).collect();
    let mut decoder = Decoder::new(AudioFormat::G722);
    let mut heard = Vec::new();
    for chunk in sent.chunks(WIDE) {
        let mut frame = [0; FRAME_BYTES];
        assert_eq!(encoder.encode_into(chunk, &mut frame).unwrap(), FRAME_BYTES);
        let mut space = [0; WIDE];
        heard.extend_from_slice(decoder.decode(&frame, &mut space));
    }
    let loudest = heard.iter().skip(1_000).map(|sample| sample.unsigned_abs()).max().unwrap();
    assert!((7_000..9_500).contains(&loudest), "{loudest}");
    let mut narrow = Decoder::new(AudioFormat::G722);
    let mut encoder = G722Encoder::new();
    let folded = sent.chunks(WIDE).skip(1).flat_map(|chunk| {
        let mut frame = [0; FRAME_BYTES];
        let _ = encoder.encode_into(chunk, &mut frame);
        narrow.decode_narrow(&frame)
    });
    let loudest = folded.skip(800).map(i16::unsigned_abs).max().unwrap();
    assert!(loudest < 200, "nothing folds back into the narrow band: {loudest}");
}

#[test]
fn silence_is_silent_from_the_start_and_after_loud_sound() {
    for format in ALL {
        let mut decoder = Decoder::new(format);
        let silence = silent_frame(format);
        let loudest = |samples: &[i16]| samples.iter().map(|sample| sample.unsigned_abs()).max().unwrap();
        let cold = loudest(&decoder.decode_narrow(&silence));
        assert!(cold <= 60, "{format:?}: {cold}");
        for frame in Encoder::new(format).encode_all(&tone(1_000.0, 20_000.0)) {
            decoder.decode_narrow(&frame);
        }
        decoder.decode_narrow(&silence);
        decoder.decode_narrow(&silence);
        // Two frames later, what is left is below −50 dB of full scale.
        assert!(loudest(&decoder.decode_narrow(&silence)) <= 100, "{format:?}");
    }
}

#[test]
fn a_lost_frame_heals() {
    let sent = tone(700.0, 8_000.0);
    let frames = Encoder::new(AudioFormat::G722).encode_all(&sent);
    let (mut whole, mut broken) = (Decoder::new(AudioFormat::G722), Decoder::new(AudioFormat::G722));
    for (at, frame) in frames.iter().enumerate() {
        let right = whole.decode_narrow(frame);
        if at == 10 {
            continue;
        }
        let heard = broken.decode_narrow(frame);
        if at > 30 {
            let worst = right.iter().zip(&heard).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
            assert!(worst < 600, "frame {at} is off by {worst}");
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_decoded(frames in proptest::collection::vec(any::<[u8; 32]>(), 1..20)) {
        for format in ALL {
            let mut decoder = Decoder::new(format);
            for part in &frames {
                let mut frame = [0; FRAME_BYTES];
                for (byte, given) in frame.iter_mut().zip(part.iter().cycle()) {
                    *byte = *given;
                }
                decoder.decode_narrow(&frame);
            }
        }
    }
}

/// The level of each frame, as root mean square.
fn levels(decoder: &mut Decoder, frames: &[Frame]) -> Vec<f64> {
    let level = |samples: &[i16]| {
        let sum: f64 = samples.iter().map(|sample| f64::from(*sample).powi(2)).sum();
        (sum / 160.0).sqrt()
    };
    frames.iter().map(|frame| level(&decoder.decode_narrow(frame))).collect()
}

#[test]
fn silence_and_lines_follow_each_other_without_a_crack() {
    for (first, second) in [(250.0, 250.0), (250.0, 1_700.0), (900.0, 400.0), (3_000.0, 700.0)] {
        let silence = vec![silent_frame(AudioFormat::G722); 25];
        let mut line = tone(first, 11_585.0);
        line.extend([0; 1_600]);
        let first = Encoder::new(AudioFormat::G722).encode_all(&line);
        let second = Encoder::new(AudioFormat::G722).encode_all(&tone(second, 11_585.0));
        // A line after silence, cut short and gone on with (which may swell by 4 dB for a frame), another
        // right after its end.
        let (begin, end) = first.split_at(20);
        let played: Vec<Frame> = [&silence[..], begin, &silence, end, &second[..30], &silence].concat();
        let told = levels(&mut Decoder::new(AudioFormat::G722), &played);
        let loudest = told.iter().copied().fold(0.0, f64::max);
        assert!(loudest < 8_192.0 * 1.6, "{loudest}: {told:.0?}");
        assert!(
            told[..25].iter().chain(&told[told.len() - 23..]).all(|level| *level < 60.0),
            "silence is silent"
        );
    }
}
