//! The actions of a script, played beat by beat: what was heard goes in, what to do comes out.

use std::sync::Arc;
use std::time::Duration;

use domain::audio::{AudioFormat, Digit, Encoded, FRAME, Frame};

use crate::hearing::Hearing;

/// How long a key is held, and how long until the next: twice what RFC 4733 §2.5.1.3 calls short.
pub(crate) const KEY_HELD: Duration = Duration::from_millis(100);
const KEY_EVERY: u32 = 10;

/// An action made ready: times in frames, sounds encoded.
#[derive(Clone, Debug)]
pub(crate) enum Cue {
    Wait(u32),
    Listen { quiet: u32, at_most: u32 },
    Say(Spoken),
    Press(Arc<[Digit]>),
    HangUp,
}

/// A sound in every encoding that the phone understands, shared by every call.
#[derive(Clone, Debug)]
pub(crate) struct Spoken {
    pub(crate) what: Arc<str>,
    pub(crate) encoded: Vec<Encoded>,
}

impl Spoken {
    /// Its frames in a format that a call agreed on; others have none.
    pub(crate) fn frames(&self, format: AudioFormat) -> &[Frame] {
        let found = self.encoded.iter().find(|encoded| encoded.format == format);
        found.map_or(&[], |encoded| &encoded.frames)
    }
}

/// Whole frames that last at least so long.
pub(crate) fn frames_of(length: Duration) -> u32 {
    u32::try_from(length.as_nanos().div_ceil(FRAME.as_nanos())).unwrap_or(u32::MAX)
}

/// What to do in a beat.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Beat<'a> {
    /// Nothing: silence goes out.
    Rest,
    /// Send this frame.
    Play(&'a Frame),
    /// Press this key.
    Press(Digit),
    /// This was said, to its end.
    Said(&'a Arc<str>),
    /// Hang up.
    HangUp,
}

/// The actions of one call in progress.
#[derive(Debug)]
pub(crate) struct Performance {
    cues: Arc<[Cue]>,
    format: AudioFormat,
    current: usize,
    /// Frames spent in the current cue.
    spent: u32,
    /// Whether the current `Listen` has heard somebody.
    heard: bool,
}

impl Performance {
    pub(crate) fn new(cues: Arc<[Cue]>, format: AudioFormat) -> Self {
        Self { cues, format, current: 0, spent: 0, heard: false }
    }

    /// Sounds still to come are taken in this format.
    pub(crate) fn switch(&mut self, format: AudioFormat) {
        self.format = format;
    }

    /// The next beat of 20 ms.
    pub(crate) fn beat(&mut self, hearing: &Hearing) -> Beat<'_> {
        loop {
            let spent = self.spent;
            let over = match self.cues.get(self.current) {
                None => return Beat::Rest,
                Some(Cue::Wait(frames)) => spent >= *frames,
                Some(Cue::Listen { quiet, at_most }) => {
                    self.heard |= hearing.in_speech();
                    spent >= *at_most || (self.heard && hearing.quiet() >= *quiet)
                }
                Some(Cue::Press(keys)) => {
                    usize::try_from(spent / KEY_EVERY).map_or(true, |index| index >= keys.len())
                }
                Some(Cue::Say(_) | Cue::HangUp) => false,
            };
            if !over {
                break;
            }
            self.advance();
        }
        self.spent = self.spent.saturating_add(1);
        self.act(self.spent - 1)
    }

    fn advance(&mut self) {
        self.current += 1;
        self.spent = 0;
        self.heard = false;
    }

    fn act(&mut self, spent: u32) -> Beat<'_> {
        let said = match self.cues.get(self.current) {
            Some(Cue::Say(spoken)) => {
                usize::try_from(spent).ok().is_none_or(|index| index >= spoken.frames(self.format).len())
            }
            _ => false,
        };
        let current = self.current;
        if said {
            self.advance();
        }
        match self.cues.get(current) {
            Some(Cue::Say(spoken)) if said => Beat::Said(&spoken.what),
            Some(Cue::Say(spoken)) => usize::try_from(spent)
                .ok()
                .and_then(|index| spoken.frames(self.format).get(index))
                .map_or(Beat::Rest, Beat::Play),
            Some(Cue::Press(keys)) if spent.is_multiple_of(KEY_EVERY) => usize::try_from(spent / KEY_EVERY)
                .ok()
                .and_then(|index| keys.get(index))
                .map_or(Beat::Rest, |key| Beat::Press(*key)),
            Some(Cue::HangUp) => Beat::HangUp,
            _ => Beat::Rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(frames: usize) -> Cue {
        let frames = |byte| vec![[byte; 160]; frames].into();
        let encoded = [(AudioFormat::Pcmu, 1), (AudioFormat::Pcma, 2)]
            .map(|(format, byte)| Encoded { format, frames: frames(byte) });
        Cue::Say(Spoken { what: "hello".into(), encoded: encoded.into() })
    }

    /// One letter a beat: `.` rest, `p` play, `s` said, `h` hang up, a key as itself.
    fn score(cues: Vec<Cue>, heard: &[(bool, usize)]) -> String {
        let mut performance = Performance::new(cues.into(), AudioFormat::Pcma);
        let mut hearing = Hearing::default();
        let frames = heard.iter().flat_map(|(speech, times)| std::iter::repeat_n(*speech, *times));
        frames
            .map(|speech| {
                hearing.frame(speech);
                match performance.beat(&hearing) {
                    Beat::Rest => '.',
                    Beat::Play(frame) => {
                        assert_eq!(frame[0], 2, "the agreed format");
                        'p'
                    }
                    Beat::Press(digit) => digit.as_char(),
                    Beat::Said(_) => 's',
                    Beat::HangUp => 'h',
                }
            })
            .collect()
    }

    fn keys(keys: &str) -> Cue {
        Cue::Press(keys.chars().filter_map(Digit::from_char).collect())
    }

    #[test]
    fn cues_follow_each_other_without_a_gap() {
        let cues = vec![Cue::Wait(2), spoken(3), Cue::Wait(1), Cue::HangUp];
        assert_eq!(score(cues, &[(false, 8)]), "..ppps.h");
    }

    #[test]
    fn listening_ends_with_the_pause_after_speech_and_not_before_it() {
        let cues = vec![Cue::Listen { quiet: 4, at_most: 100 }, spoken(2)];
        assert_eq!(score(cues, &[(false, 10), (true, 5), (false, 7)]), "..................pps.");
    }

    #[test]
    fn a_short_pause_inside_speech_is_not_its_end() {
        let cues = vec![Cue::Listen { quiet: 4, at_most: 100 }, Cue::HangUp];
        let heard = [(true, 5), (false, 3), (true, 5), (false, 5)];
        assert_eq!(score(cues, &heard), "................hh");
    }

    #[test]
    fn listening_has_an_end_when_nobody_speaks() {
        let cues = vec![Cue::Listen { quiet: 4, at_most: 6 }, Cue::HangUp];
        assert_eq!(score(cues, &[(false, 7)]), "......h");
    }

    #[test]
    fn keys_are_pressed_in_order_and_apart() {
        assert_eq!(score(vec![keys("1#"), spoken(1)], &[(false, 22)]), "1.........#.........ps");
    }

    #[test]
    fn lengths_are_rounded_up_to_whole_frames() {
        for (ms, frames) in [(0, 0), (1, 1), (20, 1), (21, 2), (1_000, 50)] {
            assert_eq!(frames_of(Duration::from_millis(ms)), frames, "{ms} ms");
        }
    }
}
