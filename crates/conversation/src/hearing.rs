//! Turn-taking: from beats with or without speech to someone speaking and someone's turn ended.

use std::time::Duration;

use domain::audio::FRAME;

use crate::moment::Millis;

/// So much speech is someone speaking; less is a noise.
const SPEAKING: Duration = Duration::from_millis(200);
/// So much speech is more than a word in passing.
pub(crate) const INSISTING: Duration = Duration::from_millis(600);
/// So much silence makes a noise forgotten.
const NOISE_OVER: Duration = Duration::from_millis(200);
/// So much silence ends a turn.
pub(crate) const TURN_OVER: Duration = Duration::from_millis(500);

/// What became clear in a beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noticed {
    /// Someone speaks, since this moment.
    Speaking(Millis),
    /// He goes on speaking.
    Insisting(Millis),
    /// His turn is over.
    Stopped(Utterance),
}

/// A turn of the callee's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Utterance {
    /// The first word's beginning.
    pub(crate) from: Millis,
    /// The last word's end.
    pub(crate) to: Millis,
}

/// Listens to the callee.
#[derive(Debug, Default)]
pub(crate) struct Hearing {
    sound: Option<Sound>,
}

#[derive(Clone, Copy, Debug)]
struct Sound {
    span: Utterance,
    /// How much of the span was speech.
    voiced: Duration,
}

impl Sound {
    fn is_speech(&self) -> bool {
        self.voiced >= SPEAKING
    }
}

impl Hearing {
    /// Takes the beat that ends now.
    pub(crate) fn hear(&mut self, now: Millis, speech: bool) -> Option<Noticed> {
        match (&mut self.sound, speech) {
            (None, false) => None,
            (None, true) => {
                let span = Utterance { from: now.before(FRAME), to: now };
                self.sound = Some(Sound { span, voiced: FRAME });
                None
            }
            (Some(sound), true) => {
                let before = sound.voiced;
                sound.voiced += FRAME;
                sound.span.to = now;
                let reached = |mark| before < mark && sound.voiced >= mark;
                if reached(SPEAKING) {
                    Some(Noticed::Speaking(sound.span.from))
                } else if reached(INSISTING) {
                    Some(Noticed::Insisting(sound.span.from))
                } else {
                    None
                }
            }
            (Some(sound), false) => {
                let gap = now.since(sound.span.to);
                if sound.is_speech() && gap >= TURN_OVER {
                    self.stop().map(Noticed::Stopped)
                } else {
                    if !sound.is_speech() && gap >= NOISE_OVER {
                        self.sound = None;
                    }
                    None
                }
            }
        }
    }

    /// Whether someone speaks, or paused too briefly for an end of turn.
    pub(crate) fn is_speaking(&self) -> bool {
        self.sound.is_some_and(|sound| sound.is_speech())
    }

    /// The turn under way, as far as it is known.
    pub(crate) fn speaking(&self) -> Option<Utterance> {
        self.sound.filter(Sound::is_speech).map(|sound| sound.span)
    }

    /// Whether anything is heard that may become speech.
    pub(crate) fn is_sounding(&self) -> bool {
        self.sound.is_some()
    }

    /// Ends a turn under way; a noise is forgotten.
    pub(crate) fn stop(&mut self) -> Option<Utterance> {
        self.sound.take().filter(Sound::is_speech).map(|sound| sound.span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hears runs of beats with (`#`) or without (`.`) speech and tells what was noticed when.
    fn notice(beats: &[(char, u64)]) -> Vec<(u64, Noticed)> {
        let (mut hearing, mut now, mut noticed) = (Hearing::default(), Millis::ANSWER, Vec::new());
        for (kind, count) in beats {
            for _ in 0..*count {
                now = now + FRAME;
                noticed.extend(hearing.hear(now, *kind == '#').map(|what| (now.0, what)));
            }
        }
        noticed
    }

    #[test]
    fn speech_is_noticed_after_200_ms_and_its_end_after_500_ms_of_silence() {
        let turn = Utterance { from: Millis(100), to: Millis(500) };
        assert_eq!(
            notice(&[('.', 5), ('#', 20), ('.', 40)]),
            [(300, Noticed::Speaking(Millis(100))), (1000, Noticed::Stopped(turn))]
        );
    }

    #[test]
    fn a_noise_is_nothing_and_does_not_add_up_with_the_next() {
        assert_eq!(notice(&[('#', 9), ('.', 10), ('#', 9), ('.', 100)]), []);
    }

    #[test]
    fn a_breath_does_not_end_a_turn() {
        let turn = Utterance { from: Millis(0), to: Millis(1080) };
        assert_eq!(
            notice(&[('#', 15), ('.', 24), ('#', 15), ('.', 25)]),
            [
                (200, Noticed::Speaking(Millis(0))),
                (1080, Noticed::Insisting(Millis(0))),
                (1580, Noticed::Stopped(turn)),
            ]
        );
    }
}
