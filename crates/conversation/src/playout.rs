//! The playout: what the assistant is saying, frame by frame, held while the callee speaks.

use std::sync::Arc;
use std::time::Duration;

use domain::audio::{FRAME, Frame};

use crate::lines::LineId;
use crate::moment::Millis;

/// How long speech holds a line that it cannot interrupt, or that has not begun.
pub(crate) const LONGEST_HOLD: Duration = Duration::from_secs(5);

/// What a line is said for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It is the script's turn.
    Script,
    /// The callee is asked again.
    Reprompt,
}

/// A line that was said, wholly or in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Played {
    pub(crate) line: LineId,
    pub(crate) purpose: Purpose,
    /// When its first frame was played.
    pub(crate) began: Millis,
    /// Frames played, and frames in all.
    pub(crate) frames: usize,
    pub(crate) of: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Playout {
    clip: Option<Clip>,
}

#[derive(Debug)]
struct Clip {
    line: LineId,
    purpose: Purpose,
    began: Millis,
    audio: Arc<[Frame]>,
    position: usize,
    hold: Hold,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    Free,
    Held {
        since: Millis,
    },
    /// Held for long enough: it goes on, whoever speaks.
    Exhausted,
}

impl Playout {
    /// Begins a line; one that was being said must have been taken before.
    pub(crate) fn begin(&mut self, now: Millis, line: LineId, purpose: Purpose, audio: Arc<[Frame]>) {
        self.clip = Some(Clip { line, purpose, began: now, audio, position: 0, hold: Hold::Free });
    }

    /// The frame of this beat, if something is being said and not held.
    pub(crate) fn next_frame(&mut self, now: Millis) -> Option<Frame> {
        let clip = self.clip.as_mut()?;
        match clip.hold {
            Hold::Held { since } if now.since(since) < LONGEST_HOLD => return None,
            Hold::Held { .. } => clip.hold = Hold::Exhausted,
            Hold::Free | Hold::Exhausted => {}
        }
        let frame = clip.audio.get(clip.position).copied()?;
        clip.position += 1;
        Some(frame)
    }

    /// Stops between two frames until it is released, or has been held for too long.
    pub(crate) fn hold(&mut self, now: Millis) {
        if let Some(clip) = self.clip.as_mut().filter(|clip| clip.hold == Hold::Free) {
            clip.hold = Hold::Held { since: now };
        }
    }

    /// Lets a held line go on.
    pub(crate) fn release(&mut self) {
        if let Some(clip) = self.clip.as_mut().filter(|clip| clip.hold != Hold::Exhausted) {
            clip.hold = Hold::Free;
        }
    }

    /// The line that is being said or held.
    pub(crate) fn line(&self) -> Option<LineId> {
        self.clip.as_ref().map(|clip| clip.line)
    }

    /// Whether a line is being said or held.
    pub(crate) fn is_busy(&self) -> bool {
        self.clip.is_some()
    }

    /// How much of the line is still to be played.
    pub(crate) fn rest(&self) -> Duration {
        let left = self.clip.as_ref().map_or(0, |clip| clip.audio.len().saturating_sub(clip.position));
        FRAME * u32::try_from(left).unwrap_or(u32::MAX)
    }

    /// The line whose last frame was played in an earlier beat.
    pub(crate) fn take_finished(&mut self) -> Option<Played> {
        self.clip.take_if(|clip| clip.position >= clip.audio.len()).map(|clip| clip.played())
    }

    /// Drops what is being said.
    pub(crate) fn flush(&mut self) -> Option<Played> {
        self.clip.take().map(|clip| clip.played())
    }
}

impl Clip {
    fn played(&self) -> Played {
        Played {
            line: self.line,
            purpose: self.purpose,
            began: self.began,
            frames: self.position,
            of: self.audio.len(),
        }
    }
}
