//! One call's media: a pair of sockets, the 20 ms beat, and what goes over them.

use std::task::{Context, Poll};
use std::time::Duration;

use domain::audio::{Digit, Frame};
use domain::ports::HeardFrame;

use crate::{Negotiated, RtpSocket, Seeds, Stats};

/// What happens on a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MediaEvent {
    /// The 20 ms beat: what was heard, and the moment to [`Session::play`].
    Heard(HeardFrame),
    /// The other side pressed a key.
    Pressed(Digit),
    /// No RTP came for 30 s though it should have; told once until RTP comes again.
    TimedOut,
}

/// One call's media.
#[derive(Debug)]
pub struct Session {
    #[expect(dead_code, reason = "the beat follows in the next commit")]
    socket: RtpSocket,
    #[expect(dead_code, reason = "the beat follows in the next commit")]
    seeds: Seeds,
    negotiated: Option<Negotiated>,
    stats: Stats,
}

impl Session {
    /// A session that waits for [`Session::start`]. It needs no runtime yet: the sockets and the
    /// timer belong to the runtime that polls first.
    pub fn new(socket: RtpSocket, seeds: Seeds) -> Self {
        Self { socket, seeds, negotiated: None, stats: Stats::default() }
    }

    /// Starts the beat, or goes on with new terms after another offer and answer.
    pub fn start(&mut self, negotiated: Negotiated) {
        self.negotiated = Some(negotiated);
    }

    /// The next thing that happens; nothing before [`Session::start`].
    pub fn poll_event(&mut self, _cx: &mut Context<'_>) -> Poll<MediaEvent> {
        Poll::Pending
    }

    /// Sends 20 ms of audio now; `None` sends silence. Call it once after each
    /// [`MediaEvent::Heard`].
    pub fn play(&mut self, _frame: Option<&Frame>) {}

    /// Presses a key for `length` (RFC 4733), instead of audio; a few wait in a queue.
    pub fn press(&mut self, _digit: Digit, _length: Duration) {}

    /// What was counted so far.
    pub fn stats(&self) -> Stats {
        self.stats.clone()
    }
}
