//! When the other side speaks, from the media's judgement of each 20 ms.

use domain::audio::FRAME;

/// Frames of speech in a row that count as speaking: 60 ms, so that a click is none.
const TO_START: u32 = 3;
/// Frames without speech that count as having stopped: 500 ms.
const TO_STOP: u32 = 25;

/// A change in what is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Speech began, so many milliseconds into the audio.
    Started(u64),
    /// Speech ended, so many milliseconds into the audio.
    Stopped(u64),
}

/// Follows one call's audio.
#[derive(Debug, Default)]
pub(crate) struct Hearing {
    frames: u64,
    speech: u32,
    quiet: u32,
    talking: bool,
}

impl Hearing {
    /// Takes the judgement of the next frame.
    pub(crate) fn frame(&mut self, speech: bool) -> Option<Turn> {
        self.frames += 1;
        if speech {
            self.speech += 1;
            self.quiet = 0;
        } else {
            self.quiet = self.quiet.saturating_add(1);
            self.speech = 0;
        }
        if !self.talking && self.speech == TO_START {
            self.talking = true;
            return Some(Turn::Started(self.ms_before(TO_START)));
        }
        if self.talking && self.quiet == TO_STOP {
            self.talking = false;
            return Some(Turn::Stopped(self.ms_before(TO_STOP)));
        }
        None
    }

    /// Whether speech is being heard in this very frame.
    pub(crate) fn in_speech(&self) -> bool {
        self.speech >= TO_START
    }

    /// How many frames it has been quiet for.
    pub(crate) fn quiet(&self) -> u32 {
        self.quiet
    }

    fn ms_before(&self, frames: u32) -> u64 {
        let frame_ms = u64::try_from(FRAME.as_millis()).unwrap_or(u64::MAX);
        self.frames.saturating_sub(u64::from(frames)) * frame_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(pattern: &[(bool, u32)]) -> Vec<Turn> {
        let mut hearing = Hearing::default();
        let frames = pattern.iter().flat_map(|(speech, times)| (0..*times).map(move |_| *speech));
        frames.filter_map(|speech| hearing.frame(speech)).collect()
    }

    #[test]
    fn speech_starts_and_stops_at_its_own_edges() {
        let heard = turns(&[(false, 10), (true, 50), (false, 40)]);
        assert_eq!(heard, [Turn::Started(200), Turn::Stopped(1_200)]);
    }

    #[test]
    fn clicks_and_short_pauses_change_nothing() {
        assert_eq!(turns(&[(true, 2), (false, 100), (true, 2)]), []);
        let heard = turns(&[(true, 20), (false, 24), (true, 20)]);
        assert_eq!(heard, [Turn::Started(0)]);
    }
}
