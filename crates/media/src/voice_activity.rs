//! Whether somebody speaks: an energy gate, then earshot's detector.

use std::fmt;

use earshot::Detector;

use crate::codec::WIDE;

/// What the detector takes at once: 16 ms at 16 kHz.
const WINDOW: usize = 256;
/// Mean square below which nobody speaks: an RMS of 60, −55 dB of full scale. Quiet lines lie
/// below, the softest words above.
const GATE: u64 = 60 * 60;
/// Score from which a window counts as speech, as earshot advises.
const SPEECH: f32 = 0.5;
/// So many lost frames in a row keep the last judgement.
const BRIDGED: u8 = 3;

/// Judges one stream, frame by frame.
pub(crate) struct VoiceActivity {
    detector: Box<Detector>,
    window: [i16; WINDOW],
    filled: usize,
    /// The last three samples, for interpolation across frames.
    tail: [i16; 3],
    speaks: bool,
    gap: u8,
}

impl VoiceActivity {
    /// Nobody has spoken yet.
    pub(crate) fn new() -> Self {
        Self {
            detector: Detector::default_boxed(),
            window: [0; WINDOW],
            filled: 0,
            tail: [0; 3],
            speaks: false,
            gap: 0,
        }
    }

    /// Judges the next frame; none is one that never came.
    pub(crate) fn hear(&mut self, samples: Option<&[i16]>) -> bool {
        let Some(samples) = samples else {
            self.gap = self.gap.saturating_add(1);
            self.speaks &= self.gap <= BRIDGED;
            return self.speaks;
        };
        self.gap = 0;
        if energy(samples) < GATE {
            self.speaks = false;
            return false;
        }
        let mut best = None;
        for sample in samples {
            let [a, b, c] = self.tail;
            self.tail = [b, c, *sample];
            // Narrow sound is brought to 16 kHz by what lies between.
            let narrow = (samples.len() < WIDE).then(|| between(a, b, c, *sample));
            for sample in std::iter::once(b).chain(narrow) {
                if let Some(score) = self.push(sample) {
                    best = Some(best.map_or(score, |best: f32| best.max(score)));
                }
            }
        }
        if let Some(score) = best {
            self.speaks = score >= SPEECH;
        }
        self.speaks
    }

    fn push(&mut self, sample: i16) -> Option<f32> {
        if let Some(slot) = self.window.get_mut(self.filled) {
            *slot = sample;
        }
        self.filled += 1;
        if self.filled < WINDOW {
            return None;
        }
        self.filled = 0;
        Some(self.detector.predict_i16(&self.window))
    }
}

impl fmt::Debug for VoiceActivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VoiceActivity").field("speaks", &self.speaks).finish_non_exhaustive()
    }
}

/// The sample halfway between `b` and `c`, by cubic interpolation: from 8 kHz to 16 kHz.
fn between(a: i16, b: i16, c: i16, d: i16) -> i16 {
    let [a, b, c, d] = [a, b, c, d].map(i32::from);
    let middle = (9 * (b + c) - (a + d)) / 16;
    let bounded = middle.clamp(i32::from(i16::MIN), i32::from(i16::MAX));
    i16::try_from(bounded).unwrap_or(0)
}

/// Mean square.
fn energy(samples: &[i16]) -> u64 {
    let sum: u64 = samples.iter().map(|sample| u64::from(sample.unsigned_abs()).pow(2)).sum();
    sum / u64::try_from(samples.len()).unwrap_or(1).max(1)
}

#[cfg(test)]
#[path = "voice_activity_tests.rs"]
mod tests;
