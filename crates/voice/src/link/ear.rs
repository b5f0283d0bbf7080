//! The callee's audio on its way to a session's task: at most half a second of it waits.

use std::collections::VecDeque;
use std::sync::Arc;

use domain::audio::Frame;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// How many frames wait at most, half a second; then the oldest is dropped, as what was said just now
/// matters more.
pub(crate) const WAITING_FRAMES: usize = 25;

/// Frames in order, never more than [`WAITING_FRAMES`]; it allocates once.
#[derive(Debug)]
struct Ring {
    frames: VecDeque<Frame>,
    dropped: u64,
}

impl Ring {
    fn new() -> Self {
        Self { frames: VecDeque::with_capacity(WAITING_FRAMES), dropped: 0 }
    }

    fn push(&mut self, frame: &Frame) {
        if self.frames.len() == WAITING_FRAMES {
            self.frames.pop_front();
            self.dropped += 1;
        }
        self.frames.push_back(*frame);
    }
}

#[derive(Debug)]
struct Shared {
    ring: Mutex<Ring>,
    heard: Notify,
}

/// The handle's side.
#[derive(Debug)]
pub(crate) struct Mouth {
    shared: Arc<Shared>,
    /// What could not be put into the ring because the task was just emptying it.
    held: Ring,
}

/// The task's side.
#[derive(Debug)]
pub(crate) struct Ear {
    shared: Arc<Shared>,
}

pub(super) fn pair() -> (Mouth, Ear) {
    let shared = Arc::new(Shared { ring: Mutex::new(Ring::new()), heard: Notify::new() });
    (Mouth { shared: Arc::clone(&shared), held: Ring::new() }, Ear { shared })
}

impl Mouth {
    /// Passes a frame on, without waiting and without allocating: a lock that is just taken keeps
    /// the frame here until the next one comes.
    pub(crate) fn speak(&mut self, frame: &Frame) {
        self.held.push(frame);
        if let Some(mut ring) = self.shared.ring.try_lock() {
            while let Some(frame) = self.held.frames.pop_front() {
                ring.push(&frame);
            }
        }
        self.shared.heard.notify_one();
    }
}

impl Ear {
    /// Waits until something was heard since it was last called; it may be woken without.
    pub(crate) async fn heard(&self) {
        self.shared.heard.notified().await;
    }

    /// Appends all that waits to `audio`.
    pub(crate) fn take(&self, audio: &mut Vec<u8>) {
        let mut ring = self.shared.ring.lock();
        while let Some(frame) = ring.frames.pop_front() {
            audio.extend_from_slice(&frame);
        }
    }

    /// How many frames were dropped because nobody took them in time.
    pub(crate) fn dropped(&self) -> u64 {
        self.shared.ring.lock().dropped
    }
}

#[cfg(test)]
mod tests {
    use domain::audio::FRAME_BYTES;

    use super::*;

    fn frame(number: usize) -> Frame {
        [u8::try_from(number).unwrap(); FRAME_BYTES]
    }

    #[test]
    fn half_a_second_waits_and_then_the_oldest_is_dropped() {
        let (mut mouth, ear) = pair();
        for number in 0..30 {
            mouth.speak(&frame(number));
        }
        let mut audio = Vec::new();
        ear.take(&mut audio);
        let heard: Vec<usize> = audio.chunks(FRAME_BYTES).map(|frame| usize::from(frame[0])).collect();
        assert_eq!(heard, (5..30).collect::<Vec<_>>());
        assert_eq!(ear.dropped(), 5);
        ear.take(&mut audio);
        assert_eq!(audio.len(), 25 * FRAME_BYTES, "it is taken once");
    }

    #[tokio::test]
    async fn a_frame_that_met_a_taken_lock_comes_with_the_next_and_in_order() {
        let (mut mouth, ear) = pair();
        mouth.speak(&frame(1));
        let taken = ear.shared.ring.lock();
        mouth.speak(&frame(2));
        drop(taken);
        mouth.speak(&frame(3));
        ear.heard().await;
        let mut audio = Vec::new();
        ear.take(&mut audio);
        assert_eq!(audio, [frame(1), frame(2), frame(3)].concat());
    }

    #[test]
    fn hearing_never_makes_the_ring_grow() {
        let (mut mouth, _ear) = pair();
        let places = mouth.held.frames.capacity();
        let lock = Arc::clone(&mouth.shared);
        let taken = lock.ring.lock();
        for number in 0..100 {
            mouth.speak(&frame(number));
        }
        assert_eq!(mouth.held.frames.capacity(), places);
        drop(taken);
        mouth.speak(&frame(100));
        assert_eq!(lock.ring.lock().frames.capacity(), places);
    }
}
