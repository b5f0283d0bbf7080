//! What a call hands to the disk threads, bounded, so that no disk ever holds up a call.

use domain::audio::Frame;
use parking_lot::Mutex;

use super::line::Line;

/// Beats that wait for the disk: two seconds. More become silence.
pub(super) const MOST_BEATS: usize = 100;
/// Bytes of lines that wait for the disk; what goes beyond is dropped and counted.
const MOST_LINES: usize = 1024 * 1024;

/// 20 ms of both sides; none is silence.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Beat {
    pub(super) heard: Option<Frame>,
    pub(super) played: Option<Frame>,
}

/// What has gathered since the disk last looked.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) beats: Vec<Beat>,
    /// Beats after those, of which there was no room for the sound.
    pub(super) lost_beats: u64,
    pub(super) lines: Vec<Line>,
    pub(super) lost_lines: u32,
    pub(super) ended: bool,
    line_bytes: usize,
}

impl Gathered {
    /// Room for all beats, so that none is ever made while a call is on.
    pub(super) fn with_room() -> Self {
        Self { beats: Vec::with_capacity(MOST_BEATS), ..Self::default() }
    }

    /// Whether somebody waits for the disk.
    fn is_urgent(&self) -> bool {
        self.ended || !self.lines.is_empty()
    }

    fn clear(&mut self) {
        self.beats.clear();
        self.lines.clear();
        (self.lost_beats, self.lost_lines, self.line_bytes) = (0, 0, 0);
        // It may have been another call's.
        self.ended = false;
    }
}

/// Filled on a media thread, emptied on a disk thread. The lock is held for a copy of one frame or
/// a few pointers, never across a write.
#[derive(Debug)]
pub(super) struct Intake(Mutex<Gathered>);

impl Intake {
    pub(super) fn new(gathered: Gathered) -> Self {
        Self(Mutex::new(gathered))
    }

    pub(super) fn beat(&self, heard: Option<&Frame>, played: Option<&Frame>) {
        let mut gathered = self.0.lock();
        // Once one is lost, all are until the disk has looked: they are one gap.
        if gathered.lost_beats > 0 || gathered.beats.len() >= MOST_BEATS {
            gathered.lost_beats += 1;
        } else {
            gathered.beats.push(Beat { heard: heard.copied(), played: played.copied() });
        }
    }

    pub(super) fn line(&self, line: Line) {
        let mut gathered = self.0.lock();
        let size = line.size();
        if gathered.line_bytes + size > MOST_LINES {
            gathered.lost_lines += 1;
        } else {
            gathered.line_bytes += size;
            gathered.lines.push(line);
        }
    }

    pub(super) fn end(&self) {
        self.0.lock().ended = true;
    }

    /// Gives what has gathered for `spare`, which it empties first. While there is no hurry nothing
    /// is taken of a call that only has beats.
    pub(super) fn take(&self, spare: &mut Gathered, hurry: bool) -> bool {
        spare.clear();
        let mut gathered = self.0.lock();
        let taken = hurry || gathered.is_urgent();
        if taken {
            std::mem::swap(&mut *gathered, spare);
            if spare.beats.capacity() < MOST_BEATS {
                // A call without sound has no room for any, and must not take ours.
                std::mem::swap(&mut gathered.beats, &mut spare.beats);
            }
        }
        taken
    }
}
