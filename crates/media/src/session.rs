//! One call's media: a pair of sockets, the 20 ms beat, and what goes over them.

use std::fmt;
use std::future::Future;
use std::mem;
use std::net::UdpSocket as StdSocket;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use domain::audio::{Digit, Frame};
use domain::ports::HeardFrame;
use tokio::net::UdpSocket;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::call::Call;
use crate::{Negotiated, RtpSocket, Seeds, Stats};

/// Silence on the wire that ends a call.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Datagrams that a socket may hold before its session starts; the system's buffer holds fewer.
const MOST_STALE: usize = 4_096;

/// What happens on a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MediaEvent {
    /// The 20 ms beat: what was heard, and the moment to [`Session::play`].
    Heard(HeardFrame),
    /// The other side pressed a key.
    Pressed(Digit),
    /// No RTP came for 30 s though it should have. It is told once, until RTP comes again.
    TimedOut,
}

/// One call's media, polled by one task. Dropping it says BYE in RTCP and frees the ports.
#[derive(Debug)]
pub struct Session {
    wire: Wire,
    rtcp: StdSocket,
    seeds: Seeds,
    timeout: Duration,
    /// Times inside are counted from here.
    epoch: Instant,
    call: Option<Box<Call>>,
}

/// The RTP socket, before and after it is tied to a runtime.
enum Wire {
    Bound(StdSocket),
    Polled { socket: UdpSocket, timer: Pin<Box<Sleep>>, writable: bool },
    Broken,
}

impl Session {
    /// A session that waits for [`Session::start`]. It needs no runtime yet: socket and timer are
    /// tied to the one that polls first.
    pub fn new(socket: RtpSocket, seeds: Seeds) -> Self {
        let RtpSocket { rtp, rtcp, .. } = socket;
        Self { wire: Wire::Bound(rtp), rtcp, seeds, timeout: TIMEOUT, epoch: Instant::now(), call: None }
    }

    /// Changes how long no RTP may come before [`MediaEvent::TimedOut`]; 30 s at first.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Starts the beat, or goes on with new terms after another offer and answer.
    pub fn start(&mut self, negotiated: Negotiated) {
        let now = self.now();
        if let Some(call) = &mut self.call {
            call.renegotiate(negotiated, now);
        } else {
            self.wire.discard();
            self.call = Some(Box::new(Call::new(&self.seeds, negotiated, now)));
        }
    }

    /// The next thing that happens. Before [`Session::start`] that is nothing, and nobody is woken
    /// by it: poll again after it.
    pub fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<MediaEvent> {
        let now = self.now();
        let Some(call) = &mut self.call else {
            return Poll::Pending;
        };
        self.wire.tie();
        let Some((socket, timer, writable)) = self.wire.polled() else {
            // Without a socket nothing will ever come: that is a timeout at once.
            return if call.gives_up() { Poll::Ready(MediaEvent::TimedOut) } else { Poll::Pending };
        };
        if !*writable {
            // Until the runtime has seen the socket once, nothing could be sent.
            *writable = socket.poll_send_ready(cx).is_ready();
            if !*writable {
                return Poll::Pending;
            }
        }
        call.drain(socket, now, cx);
        if let Some(key) = call.next_key() {
            return Poll::Ready(MediaEvent::Pressed(key));
        }
        if call.times_out(self.timeout, now) {
            return Poll::Ready(MediaEvent::TimedOut);
        }
        if let Some(heard) = call.next_beat(&self.rtcp, now) {
            return Poll::Ready(MediaEvent::Heard(heard));
        }
        let deadline = self.epoch + call.next_deadline();
        if timer.deadline() != deadline {
            timer.as_mut().reset(deadline);
        }
        if timer.as_mut().poll(cx).is_ready() {
            cx.waker().wake_by_ref();
        }
        Poll::Pending
    }

    /// Sends 20 ms of audio now; `None` sends silence. Call it once after each
    /// [`MediaEvent::Heard`].
    pub fn play(&mut self, frame: Option<&Frame>) {
        let now = self.now();
        if let (Some(call), Some((socket, ..))) = (&mut self.call, self.wire.polled()) {
            call.play(socket, frame, now);
        }
    }

    /// Presses a key of a started session for `length` (RFC 4733; 40 ms to 8 s, in steps of 20 ms), instead of audio. Up
    /// to 32 keys wait for their turn; one more, or one that the other side has no telephone-event
    /// for, is only counted.
    pub fn press(&mut self, digit: Digit, length: Duration) {
        if let Some(call) = &mut self.call {
            call.press(digit, length);
        }
    }

    /// Datagrams that came from addresses that are not accepted, so far. Nothing of them was heard.
    pub fn foreign(&self) -> u64 {
        self.call.as_ref().map_or(0, |call| call.foreign())
    }

    /// What was counted so far.
    pub fn stats(&self) -> Stats {
        self.call.as_ref().map(|call| call.stats()).unwrap_or_default()
    }

    fn now(&self) -> Duration {
        self.epoch.elapsed()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let now = self.now();
        if let Some(call) = &mut self.call {
            call.report(&self.rtcp, now, true);
        }
    }
}

impl Wire {
    /// Throws away what came before anybody wanted to hear it, or it would be heard late.
    fn discard(&self) {
        if let Self::Bound(socket) = self {
            let mut space = [0; 1];
            let received = (0..MOST_STALE).take_while(|_| socket.recv_from(&mut space).is_ok());
            tracing::trace!(datagrams = received.count(), "early RTP was thrown away");
        }
    }

    /// Ties a bound socket to the runtime that polls.
    fn tie(&mut self) {
        let socket = match mem::replace(self, Self::Broken) {
            Self::Bound(socket) => socket,
            other => {
                *self = other;
                return;
            }
        };
        match UdpSocket::from_std(socket) {
            Ok(socket) => {
                let timer = Box::pin(sleep_until(Instant::now()));
                *self = Self::Polled { socket, timer, writable: false };
            }
            Err(error) => tracing::error!(%error, "an RTP socket could not be used"),
        }
    }

    fn polled(&mut self) -> Option<(&UdpSocket, &mut Pin<Box<Sleep>>, &mut bool)> {
        match self {
            Self::Polled { socket, timer, writable } => Some((socket, timer, writable)),
            Self::Bound(_) | Self::Broken => None,
        }
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bound(_) => "Bound",
            Self::Polled { .. } => "Polled",
            Self::Broken => "Broken",
        })
    }
}
