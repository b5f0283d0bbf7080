//! Hearing turns in a stream of sound, as `server_vad` does.

use earshot::Detector;

/// What the detector takes at once: 16 ms, at 16,000 samples a second.
const WINDOW: usize = 256;
/// Samples of it at 8,000 a second.
const HALF: usize = WINDOW / 2;
/// Mean square below which nobody speaks.
const GATE: i64 = 60 * 60;
/// So many windows of speech in a row begin a turn: 64 ms.
const BEGIN: usize = 4;
/// Samples of a millisecond.
const MS: usize = 8;

/// What was heard.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// A turn began, at this millisecond of the session's sound.
    Started { at_ms: usize },
    /// It is over, at this millisecond; its sound.
    Stopped { at_ms: usize, samples: Vec<i16> },
}

/// How turns are told from pauses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detection {
    pub(crate) threshold: f32,
    pub(crate) prefix_ms: usize,
    pub(crate) silence_ms: usize,
}

/// Hears one session.
pub(crate) struct Ears {
    detector: Box<Detector>,
    detection: Detection,
    /// The sound that may still become part of a turn.
    samples: Vec<i16>,
    /// How many samples were let go before those.
    gone: usize,
    /// How many of them were judged.
    judged: usize,
    speech: usize,
    /// Where the turn's sound begins; none between turns.
    turn: Option<usize>,
    /// Where speech was heard last.
    last_speech: usize,
}

impl Ears {
    pub(crate) fn new(detection: Detection) -> Self {
        Self {
            detector: Detector::default_boxed(),
            detection,
            samples: Vec::new(),
            gone: 0,
            judged: 0,
            speech: 0,
            turn: None,
            last_speech: 0,
        }
    }

    pub(crate) fn hear(&mut self, samples: &[i16]) -> Vec<Heard> {
        self.samples.extend_from_slice(samples);
        let mut heard = Vec::new();
        while self.judged + HALF <= self.gone + self.samples.len() {
            let from = self.judged - self.gone;
            let window = self.samples[from..from + HALF].to_vec();
            self.judged += HALF;
            heard.extend(self.judge(&window));
        }
        heard
    }

    fn judge(&mut self, window: &[i16]) -> Option<Heard> {
        let speaks = self.speaks(window);
        self.speech = if speaks { self.speech + 1 } else { 0 };
        if speaks {
            self.last_speech = self.judged;
        }
        if let Some(from) = self.turn {
            let over = self.judged - self.last_speech >= self.detection.silence_ms * MS;
            return over.then(|| self.stop(from));
        }
        if self.speech < BEGIN {
            let kept = (self.detection.prefix_ms + 500) * MS;
            let surplus = self.samples.len().saturating_sub(kept).min(self.judged - self.gone);
            self.samples.drain(..surplus);
            self.gone += surplus;
            return None;
        }
        let began = self.judged - self.speech * HALF;
        let from = began.saturating_sub(self.detection.prefix_ms * MS).max(self.gone);
        self.turn = Some(from);
        Some(Heard::Started { at_ms: from / MS })
    }

    fn stop(&mut self, from: usize) -> Heard {
        let samples = self.samples[from - self.gone..self.judged - self.gone].to_vec();
        self.samples.drain(..self.judged - self.gone);
        self.gone = self.judged;
        self.turn = None;
        Heard::Stopped { at_ms: self.judged / MS, samples }
    }

    fn speaks(&mut self, window: &[i16]) -> bool {
        let energy: i64 = window.iter().map(|sample| i64::from(*sample).pow(2)).sum();
        if energy / 128 < GATE {
            return false;
        }
        let mut wide = [0; WINDOW];
        for (index, pair) in wide.chunks_exact_mut(2).enumerate() {
            let (a, b) = (window[index], window.get(index + 1).copied().unwrap_or(window[index]));
            pair[0] = a;
            pair[1] = i16::midpoint(a, b);
        }
        self.detector.predict_i16(&wide) >= self.detection.threshold
    }
}

#[cfg(test)]
mod tests {
    use domain::assistant::Language;

    use super::*;

    #[test]
    fn spoken_lines_are_turns_and_silence_is_none() {
        let mut ears = Ears::new(Detection { threshold: 0.5, prefix_ms: 300, silence_ms: 500 });
        assert!(ears.hear(&vec![0; 16_000]).is_empty());
        let line = crate::say(Language::French, "Bonjour, je voudrais parler à quelqu'un.");
        let mut heard = ears.hear(&line);
        heard.extend(ears.hear(&vec![0; 8_000]));
        let [Heard::Started { at_ms }, Heard::Stopped { at_ms: end, samples }] = &heard[..] else {
            panic!("not one turn: {heard:?}");
        };
        assert!((1_600..2_400).contains(at_ms), "{at_ms}");
        assert_eq!(samples.len() / MS, end - at_ms);
        assert!(samples.len() > line.len() * 3 / 4);
    }
}
