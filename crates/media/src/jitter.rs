//! The jitter buffer: packets of any length go in as they come, frames of 20 ms come out in order.
//!
//! Samples are kept by their RTP timestamp, which heals reordering, drops duplicates, re-cuts other
//! packet lengths and survives silence suppression, all in one. It allocates only when made.

use domain::audio::{FRAME_BYTES, Frame};

use crate::packet::distance;

/// Slots, one per sample: 512 ms. A power of two, so that timestamps wrap around cleanly.
const SLOTS: u32 = 4_096;
/// The most that is held, in samples: 240 ms. More means that the other side or the network stood
/// still, and the oldest goes.
const BOUND: u32 = 1_920;
/// One frame, in samples.
const STEP: u32 = 160;
/// The least held before playing begins, in samples: 20 ms. Audio that comes evenly waits for the
/// next beat only; a packet that comes after its beat stops the time line for one, which from then
/// on is the room that the network needs.
const LEAST: u32 = STEP;
/// The most held before playing begins, in samples: 120 ms.
const MOST: u32 = 960;
/// So many late packets in a row are a slower network or a new time line, not stragglers.
const LATE_IN_A_ROW: u32 = 5;
/// So many are one in any case, even if that repeats what was heard.
const LATE_FOR_GOOD: u32 = 50;
/// Nothing straggles by more than this, in samples: 1 s.
const FAR: u32 = 8_000;
/// Frames after which a buffer that was always too full gives one up.
const SHRINK_AFTER: u32 = 50;
/// Frames after which one lesson from a late packet is forgotten.
const FORGET_AFTER: u32 = 500;

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Insertion {
    /// It will be played.
    Stored,
    /// It was there already.
    Duplicate,
    /// Its moment is over.
    Late,
    /// It is empty or longer than the buffer.
    Unusable,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing came yet.
    Fresh,
    /// Collecting before the first frame; so many beats went by.
    Filling { waited: u32 },
    /// A frame goes out on every beat.
    Playing,
    /// Played empty: the time line stands still until audio comes.
    Dry,
}

/// Audio of one stream, waiting for its moment.
#[derive(Debug)]
pub(crate) struct JitterBuffer {
    slots: Box<[Option<u8>]>,
    silence: u8,
    state: State,
    /// The next timestamp to play.
    next: u32,
    /// One past the newest timestamp that is stored.
    end: u32,
    /// Nothing before it may be played any more; none before the first frame.
    floor: Option<u32>,
    /// One past the newest timestamp that was truly heard.
    played: Option<u32>,
    longest_packet: u32,
    /// Samples added to the target by late packets.
    lesson: u32,
    stretch: bool,
    late_in_a_row: u32,
    last_late: u32,
    least_depth: u32,
    taken: u32,
}

impl JitterBuffer {
    /// An empty buffer; `silence` fills up frames of which only a part came.
    pub(crate) fn new(silence: u8) -> Self {
        Self::with(vec![None; usize::try_from(SLOTS).unwrap_or(0)].into_boxed_slice(), silence)
    }

    fn with(slots: Box<[Option<u8>]>, silence: u8) -> Self {
        Self {
            slots,
            silence,
            state: State::Fresh,
            next: 0,
            end: 0,
            floor: None,
            played: None,
            longest_packet: STEP,
            lesson: 0,
            stretch: false,
            late_in_a_row: 0,
            last_late: 0,
            least_depth: u32::MAX,
            taken: 0,
        }
    }

    /// Forgets everything, for a new stream.
    pub(crate) fn reset(&mut self, silence: u8) {
        self.slots.fill(None);
        *self = Self::with(std::mem::take(&mut self.slots), silence);
    }

    /// Puts in one packet's audio.
    pub(crate) fn insert(&mut self, timestamp: u32, audio: &[u8]) -> Insertion {
        let Some(length) = u32::try_from(audio.len()).ok().filter(|length| (1..=BOUND).contains(length))
        else {
            return Insertion::Unusable;
        };
        match self.state {
            State::Fresh => self.begin(timestamp),
            State::Dry if distance(timestamp, self.next) >= 0 => self.begin(timestamp),
            State::Filling { .. } => self.reach_back(timestamp),
            State::Playing | State::Dry => {}
        }
        let end = timestamp.wrapping_add(length);
        if distance(end, self.next) <= 0 {
            if !self.starts_anew(timestamp) {
                return Insertion::Late;
            }
            self.restart(timestamp, timestamp);
        } else if distance(timestamp, self.end) > BOUND.cast_signed() {
            self.restart(timestamp, self.next);
        }
        let first_to_fit = end.wrapping_sub(BOUND);
        if distance(first_to_fit, self.next) > 0 {
            self.skip_to(first_to_fit);
        }
        self.late_in_a_row = 0;
        self.longest_packet = self.longest_packet.max(length);
        self.store(timestamp, end, audio)
    }

    /// Takes the next 20 ms; none when nothing came for them. Call it once a beat. `jitter` is the
    /// interarrival jitter in samples; the more, the longer audio waits before it is played.
    pub(crate) fn take(&mut self, jitter: u32) -> Option<Frame> {
        let target = self.target(jitter);
        let depth = self.depth();
        match self.state {
            State::Fresh | State::Dry => return None,
            State::Filling { waited } if depth < target && waited * STEP < target => {
                self.state = State::Filling { waited: waited + 1 };
                return None;
            }
            State::Filling { .. } => self.state = State::Playing,
            State::Playing => {}
        }
        if depth == 0 {
            self.state = State::Dry;
            self.floor = Some(self.next);
            return None;
        }
        // A late packet showed that more must be held: stand still once.
        if std::mem::take(&mut self.stretch) && depth < target {
            return None;
        }
        self.shrink(depth, target);
        self.read()
    }

    /// Samples between the next one to play and the newest.
    pub(crate) fn depth(&self) -> u32 {
        u32::try_from(distance(self.end, self.next)).unwrap_or(0)
    }

    fn target(&self, jitter: u32) -> u32 {
        // A packet comes half a beat before it is played, on average.
        let evenly = self.longest_packet.next_multiple_of(STEP) - STEP / 2;
        let wanted = evenly.saturating_add(jitter.saturating_mul(3)).saturating_add(self.lesson);
        let most = MOST.max(self.longest_packet + STEP);
        wanted.min(BOUND).next_multiple_of(STEP).clamp(LEAST, most.min(BOUND - STEP))
    }

    fn begin(&mut self, timestamp: u32) {
        self.next = timestamp;
        self.end = timestamp;
        self.state = State::Filling { waited: 0 };
    }

    /// A packet that overtook the first one must not make that one late.
    fn reach_back(&mut self, timestamp: u32) {
        let played = self.floor.is_some_and(|floor| distance(timestamp, floor) < 0);
        let before = distance(timestamp, self.next) < 0;
        // Half the circle away it is neither before nor after.
        if before && !played && (0..=BOUND.cast_signed()).contains(&distance(self.end, timestamp)) {
            self.next = timestamp;
        }
    }

    /// Counts a late packet; true when the other side's time line has moved for good.
    fn starts_anew(&mut self, timestamp: u32) -> bool {
        if self.late_in_a_row == 0 || distance(timestamp, self.last_late) > 0 {
            self.late_in_a_row += 1;
            self.last_late = timestamp;
        }
        if self.late_in_a_row == 1 {
            self.lesson = (self.lesson + STEP).min(MOST - LEAST);
            self.stretch = true;
        }
        let unheard = self.played.is_none_or(|played| distance(timestamp, played) >= 0);
        let far_behind = distance(self.next, timestamp) > FAR.cast_signed();
        self.late_in_a_row >= LATE_IN_A_ROW && (unheard || far_behind) || self.late_in_a_row >= LATE_FOR_GOOD
    }

    fn restart(&mut self, timestamp: u32, floor: u32) {
        self.slots.fill(None);
        self.floor = Some(floor);
        self.begin(timestamp);
    }

    fn store(&mut self, timestamp: u32, end: u32, audio: &[u8]) -> Insertion {
        let mut fresh = false;
        let mut at = timestamp;
        for sample in audio {
            let played = distance(at, self.next) < 0;
            if let Some(slot) = self.slot(at).filter(|slot| !played && slot.is_none()) {
                *slot = Some(*sample);
                fresh = true;
            }
            at = at.wrapping_add(1);
        }
        if distance(end, self.end) > 0 {
            self.end = end;
        }
        debug_assert!(self.depth() <= BOUND, "the buffer is bounded");
        if fresh { Insertion::Stored } else { Insertion::Duplicate }
    }

    fn shrink(&mut self, depth: u32, target: u32) {
        self.least_depth = self.least_depth.min(depth);
        self.taken = self.taken.wrapping_add(1);
        if self.taken.is_multiple_of(FORGET_AFTER) {
            self.lesson = self.lesson.saturating_sub(STEP);
        }
        if self.taken.is_multiple_of(SHRINK_AFTER) {
            if self.least_depth > target + STEP {
                self.skip_to(self.next.wrapping_add(STEP));
            }
            self.least_depth = u32::MAX;
        }
    }

    fn skip_to(&mut self, timestamp: u32) {
        let skipped = u32::try_from(distance(timestamp, self.next)).unwrap_or(0).min(SLOTS);
        for offset in 0..skipped {
            let at = self.next.wrapping_add(offset);
            if let Some(slot) = self.slot(at) {
                *slot = None;
            }
        }
        self.next = timestamp;
        if distance(self.end, self.next) < 0 {
            self.end = self.next;
        }
    }

    fn read(&mut self) -> Option<Frame> {
        let mut frame = [self.silence; FRAME_BYTES];
        let mut heard = false;
        for byte in &mut frame {
            let at = self.next;
            if let Some(sample) = self.slot(at).and_then(Option::take) {
                *byte = sample;
                heard = true;
            }
            self.next = at.wrapping_add(1);
        }
        // The last frame of a time line may be a part only.
        if distance(self.end, self.next) < 0 {
            self.end = self.next;
        }
        self.floor = Some(self.next);
        if heard {
            self.played = self.floor;
        }
        heard.then_some(frame)
    }

    fn slot(&mut self, timestamp: u32) -> Option<&mut Option<u8>> {
        let index = usize::try_from(timestamp % SLOTS).ok()?;
        self.slots.get_mut(index)
    }
}

#[cfg(test)]
#[path = "jitter_tests.rs"]
mod tests;
