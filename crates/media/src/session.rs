//! One call's media: a pair of sockets, the 20 ms beat, and what goes over them.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::io;
use std::mem;
use std::net::SocketAddr;
use std::net::UdpSocket as StdSocket;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use domain::audio::{Digit, FRAME, Frame};
use domain::ports::HeardFrame;
use tokio::io::ReadBuf;
use tokio::net::UdpSocket;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::beat::Beat;
use crate::receiver::Receiver;
use crate::report::Reporter;
use crate::sender::Sender;
use crate::voice_activity::VoiceActivity;
use crate::{Lateness, Negotiated, RtpSocket, Seeds, Stats};

/// Silence on the wire that ends a call.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Room for a datagram; RTP of a call is far smaller, and what is cut off is no audio of ours.
const DATAGRAM: usize = 2_048;
/// Datagrams read at once before others get their turn.
const AT_ONCE: usize = 32;
/// Keys that wait to be told.
const MOST_KEYS: usize = 32;
/// Beats between two looks at the RTCP socket: 200 ms.
const LOOK_AT_RTCP: u32 = 10;
/// Beats whose audio may still be sent.
const MOST_OWED: u32 = 3;

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

/// What there is from the first agreement on.
#[derive(Debug)]
struct Call {
    beat: Beat,
    beats: u32,
    /// Beats that were told but not played yet, and the deadline of the newest.
    owed: u32,
    deadline: Duration,
    sender: Sender,
    receiver: Receiver,
    reporter: Reporter,
    voice: Option<VoiceActivity>,
    keys: VecDeque<Digit>,
    timed_out: bool,
    sent: u64,
    unsent: u64,
    skipped: u64,
    unsent_keys: u64,
    lateness: Lateness,
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
        let detect = negotiated.detect_speech;
        let call = match &mut self.call {
            Some(call) => {
                call.receiver.renegotiate(negotiated, now);
                call.timed_out = false;
                call
            }
            None => self.call.insert(Box::new(Call::new(&self.seeds, negotiated, now))),
        };
        if call.voice.is_some() != detect {
            call.voice = detect.then(VoiceActivity::new);
        }
    }

    /// The next thing that happens; nothing before [`Session::start`].
    pub fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<MediaEvent> {
        let now = self.now();
        let Some(call) = &mut self.call else {
            return Poll::Pending;
        };
        if let Some(key) = call.keys.pop_front() {
            return Poll::Ready(MediaEvent::Pressed(key));
        }
        self.wire.tie();
        let Some((socket, timer, writable)) = self.wire.polled() else {
            // Without a socket nothing will ever come: that is a timeout at once.
            return if mem::replace(&mut call.timed_out, true) {
                Poll::Pending
            } else {
                Poll::Ready(MediaEvent::TimedOut)
            };
        };
        if !*writable {
            // Until the runtime has seen the socket once, nothing could be sent.
            *writable = socket.poll_send_ready(cx).is_ready();
            if !*writable {
                return Poll::Pending;
            }
        }
        call.drain(socket, now, cx);
        if let Some(key) = call.keys.pop_front() {
            return Poll::Ready(MediaEvent::Pressed(key));
        }
        if call.times_out(self.timeout, now) {
            return Poll::Ready(MediaEvent::TimedOut);
        }
        if let Some(heard) = call.next_beat(&self.rtcp, now) {
            return Poll::Ready(MediaEvent::Heard(heard));
        }
        let deadline = self.epoch + call.beat.deadline();
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

    /// Presses a key for `length` (RFC 4733; 40 ms to 8 s, in steps of 20 ms), instead of audio. Up
    /// to 32 keys wait for their turn; one more, or one that the other side has no telephone-event
    /// for, is only counted.
    pub fn press(&mut self, digit: Digit, length: Duration) {
        if let Some(call) = &mut self.call {
            let agreed = call.receiver.terms().telephone_event.is_some();
            if !agreed || !call.sender.press(digit, length) {
                call.unsent_keys += 1;
            }
        }
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

impl Call {
    fn new(seeds: &Seeds, negotiated: Negotiated, now: Duration) -> Self {
        Self {
            beat: Beat::new(now),
            beats: 0,
            owed: 0,
            deadline: now,
            sender: Sender::new(seeds),
            receiver: Receiver::new(negotiated, now),
            reporter: Reporter::new(seeds.cname.clone(), seeds.ssrc, now),
            voice: None,
            keys: VecDeque::with_capacity(MOST_KEYS),
            timed_out: false,
            sent: 0,
            unsent: 0,
            skipped: 0,
            unsent_keys: 0,
            lateness: Lateness::default(),
        }
    }

    /// Reads what has come.
    fn drain(&mut self, socket: &UdpSocket, now: Duration, cx: &mut Context<'_>) {
        let mut space = [0; DATAGRAM];
        for _ in 0..AT_ONCE {
            let mut datagram = ReadBuf::new(&mut space);
            match socket.poll_recv_from(cx, &mut datagram) {
                Poll::Ready(Ok(from)) => {
                    let key = self.receiver.receive(datagram.filled(), from, now);
                    if let Some(key) = key.filter(|_| self.keys.len() < MOST_KEYS) {
                        self.keys.push_back(key);
                    }
                }
                // An error of one datagram, such as a port that refused ours, says nothing of the
                // next.
                Poll::Ready(Err(_)) => {}
                Poll::Pending => return,
            }
        }
        // More may be there, and nobody will tell: come back after the others.
        cx.waker().wake_by_ref();
    }

    fn times_out(&mut self, timeout: Duration, now: Duration) -> bool {
        let silent = self.receiver.silent_for(now) >= timeout;
        let told = mem::replace(&mut self.timed_out, silent);
        silent && !told
    }

    fn next_beat(&mut self, rtcp: &StdSocket, now: Duration) -> Option<HeardFrame> {
        let due = self.beat.take(now)?;
        // What was not played in time is left out, so that our time line stays in step.
        let unplayed = (self.owed + 1).saturating_sub(MOST_OWED);
        let left_out = due.skipped + unplayed;
        if left_out > 0 {
            self.sender.skip(left_out);
            self.skipped += u64::from(left_out);
        }
        self.owed = self.owed + 1 - unplayed;
        self.deadline = due.deadline;
        self.beats = self.beats.wrapping_add(1);
        if self.beats.is_multiple_of(LOOK_AT_RTCP) {
            self.look_at_rtcp(rtcp, now);
        }
        let audio = self.receiver.take();
        let format = self.receiver.terms().format;
        let speech = self.voice.as_mut().is_some_and(|voice| voice.hear(format, audio.as_ref()));
        Some(HeardFrame { audio, speech })
    }

    fn play(&mut self, socket: &UdpSocket, frame: Option<&Frame>, now: Duration) {
        if self.owed == 0 {
            return;
        }
        self.owed -= 1;
        let deadline = self.deadline.saturating_sub(FRAME * self.owed);
        let Some(datagram) = self.sender.beat(self.receiver.terms(), frame) else {
            return;
        };
        let Some(to) = self.receiver.destination() else {
            return;
        };
        match socket.try_send_to(datagram, to) {
            Ok(_) => self.sent += 1,
            Err(_) => self.unsent += 1,
        }
        self.lateness.record(now.saturating_sub(deadline));
    }

    fn look_at_rtcp(&mut self, rtcp: &StdSocket, now: Duration) {
        let mut space = [0; DATAGRAM];
        let peer = self.receiver.source();
        for _ in 0..AT_ONCE {
            match rtcp.recv_from(&mut space) {
                Ok((length, from)) if peer.is_some_and(|(address, _)| address.ip() == from.ip()) => {
                    let datagram = space.get(..length).unwrap_or_default();
                    self.reporter.hear(datagram, peer.map(|(_, ssrc)| ssrc), now);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Ok(_) | Err(_) => {}
            }
        }
        if self.reporter.is_due(now) {
            self.report(rtcp, now, false);
        }
    }

    /// Sends a report to the port above the one for RTP (RFC 3550 §11).
    fn report(&mut self, rtcp: &StdSocket, now: Duration, goodbye: bool) {
        let to = self.receiver.destination().and_then(|to| {
            let port = to.port().checked_add(1)?;
            Some(SocketAddr::new(to.ip(), port))
        });
        let report = self.reporter.report(&self.sender, &mut self.receiver, now, goodbye);
        if let (Some(to), Some(report)) = (to, report) {
            // A lost report is made up for by the next one.
            let _ = rtcp.send_to(report, to);
        }
    }

    fn stats(&self) -> Stats {
        let counts = self.receiver.counts;
        Stats {
            sent: self.sent,
            unsent: self.unsent,
            received: counts.received,
            lost: self.receiver.lost().into(),
            late: counts.late,
            duplicated: counts.duplicated,
            ignored: counts.ignored,
            jitter: Duration::from_micros(u64::from(self.receiver.jitter()) * 125),
            skipped: self.skipped,
            unsent_keys: self.unsent_keys,
            lateness: self.lateness.clone(),
        }
    }
}

impl Wire {
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
