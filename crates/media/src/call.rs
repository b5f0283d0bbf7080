//! A call's media from the first agreement on: one beat, both streams, and RTCP.

use std::collections::VecDeque;
use std::io;
use std::mem;
use std::net::{SocketAddr, UdpSocket as StdSocket};
use std::task::{Context, Poll};
use std::time::Duration;

use domain::audio::{Digit, FRAME, FRAME_BYTES, Frame};
use domain::ports::HeardFrame;
use tokio::io::ReadBuf;
use tokio::net::UdpSocket;

use crate::beat::Beat;
use crate::listening::{Judgement, Listening};
use crate::packet::HEADER_BYTES;
use crate::receiver::Receiver;
use crate::report::Reporter;
use crate::rtcp::MOST_BYTES;
use crate::secure::Secure;
use crate::sender::Sender;
use crate::srtp::{MOST_ADDED, Stream};
use crate::{Lateness, Negotiated, Seeds, Stats};

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

/// One call's media, apart from its sockets and its timer.
#[derive(Debug)]
pub(crate) struct Call {
    beat: Beat,
    beats: u32,
    /// Beats that were told but not played yet, and the deadline of the newest.
    owed: u32,
    deadline: Duration,
    sender: Sender,
    receiver: Receiver,
    reporter: Reporter,
    listening: Listening,
    secure: Option<Box<Secure>>,
    keys: VecDeque<Digit>,
    timed_out: bool,
    sent: u64,
    unsent: u64,
    skipped: u64,
    unsent_keys: u64,
    lateness: Lateness,
}

impl Call {
    pub(crate) fn new(seeds: &Seeds, negotiated: Negotiated, now: Duration) -> Self {
        Self {
            beat: Beat::new(now),
            beats: 0,
            owed: 0,
            deadline: now,
            sender: Sender::new(seeds),
            reporter: Reporter::new(seeds.cname.clone(), seeds.ssrc, now),
            listening: Listening::new(negotiated.detects),
            secure: Secure::of(&negotiated),
            receiver: Receiver::new(negotiated, now),
            keys: VecDeque::with_capacity(MOST_KEYS),
            timed_out: false,
            sent: 0,
            unsent: 0,
            skipped: 0,
            unsent_keys: 0,
            lateness: Lateness::default(),
        }
    }

    /// Goes on with other terms.
    pub(crate) fn renegotiate(&mut self, negotiated: Negotiated, now: Duration) {
        self.listening.change(negotiated.detects);
        self.secure = Secure::turned_to(self.secure.take(), &negotiated);
        self.receiver.renegotiate(negotiated, now);
        self.timed_out = false;
    }

    /// When the next beat is due.
    pub(crate) fn next_deadline(&self) -> Duration {
        self.beat.deadline()
    }

    /// A key that was heard and not told yet.
    pub(crate) fn next_key(&mut self) -> Option<Digit> {
        self.keys.pop_front()
    }

    /// Whether to tell that nothing will come any more; once.
    pub(crate) fn gives_up(&mut self) -> bool {
        !mem::replace(&mut self.timed_out, true)
    }

    /// Queues a key to be pressed.
    pub(crate) fn press(&mut self, digit: Digit, length: Duration) {
        let agreed = self.receiver.terms().telephone_event.is_some();
        if !agreed || !self.sender.press(digit, length) {
            self.unsent_keys += 1;
        }
    }

    /// Reads what has come.
    pub(crate) fn drain(&mut self, socket: &UdpSocket, now: Duration, cx: &mut Context<'_>) {
        let mut space = [0; DATAGRAM];
        for _ in 0..AT_ONCE {
            let mut datagram = ReadBuf::new(&mut space);
            match socket.poll_recv_from(cx, &mut datagram) {
                Poll::Ready(Ok(from)) => {
                    let plain = match &mut self.secure {
                        None => Some(datagram.filled()),
                        Some(secure) => secure.theirs.open(datagram.filled_mut()),
                    };
                    let Some(plain) = plain else {
                        self.receiver.refuse(from);
                        continue;
                    };
                    let key = self.receiver.receive(plain, from, now);
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

    /// Whether to tell that nothing came for this long; once in a silence.
    pub(crate) fn times_out(&mut self, timeout: Duration, now: Duration) -> bool {
        let silent = self.receiver.silent_for(now) >= timeout;
        let told = mem::replace(&mut self.timed_out, silent);
        silent && !told
    }

    /// Takes the beat that is due, if any.
    pub(crate) fn next_beat(&mut self, rtcp: &StdSocket, now: Duration) -> Option<HeardFrame> {
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
        let Judgement { speech, tone } = self.listening.hear(format, audio.as_ref());
        Some(HeardFrame { audio, speech, tone })
    }

    /// Sends the packet of the oldest beat that was told.
    pub(crate) fn play(&mut self, socket: &UdpSocket, frame: Option<&Frame>, now: Duration) {
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
        let mut space = [0; HEADER_BYTES + FRAME_BYTES + MOST_ADDED];
        let datagram = match &mut self.secure {
            None => datagram,
            Some(secure) => secure.seal(datagram, &mut space, Stream::protect),
        };
        match socket.try_send_to(datagram, to) {
            Ok(_) => self.sent += 1,
            Err(_) => self.unsent += 1,
        }
        self.lateness.record(now.saturating_sub(deadline));
    }

    fn look_at_rtcp(&mut self, rtcp: &StdSocket, now: Duration) {
        let mut space = [0; DATAGRAM];
        for _ in 0..AT_ONCE {
            match rtcp.recv_from(&mut space) {
                Ok((length, from)) => {
                    let Some(ssrc) = self.receiver.reported_ssrc(from) else { continue };
                    let datagram = space.get_mut(..length).unwrap_or_default();
                    let plain = match &mut self.secure {
                        None => Some(&*datagram),
                        Some(secure) => secure.theirs.open_rtcp(datagram),
                    };
                    let Some(datagram) = plain else { continue };
                    self.reporter.hear(datagram, ssrc, now);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => {}
            }
        }
        if self.reporter.is_due(now) {
            self.report(rtcp, now, false);
        }
    }

    /// Sends a report to the port above the one for RTP (RFC 3550 §11).
    pub(crate) fn report(&mut self, rtcp: &StdSocket, now: Duration, goodbye: bool) {
        let to = self.receiver.destination().and_then(|to| {
            let port = to.port().checked_add(1)?;
            Some(SocketAddr::new(to.ip(), port))
        });
        let report = self.reporter.report(&self.sender, &mut self.receiver, now, goodbye);
        if let (Some(to), Some(report)) = (to, report) {
            let mut space = [0; MOST_BYTES + MOST_ADDED];
            let report = match &mut self.secure {
                None => report,
                Some(secure) => secure.seal(report, &mut space, Stream::protect_rtcp),
            };
            // A lost report is made up for by the next one.
            let _ = rtcp.send_to(report, to);
        }
    }

    /// Datagrams that came from addresses that are not accepted.
    pub(crate) fn foreign(&self) -> u64 {
        self.receiver.foreign()
    }

    /// What was counted so far.
    pub(crate) fn stats(&self) -> Stats {
        let counts = self.receiver.counts;
        Stats {
            sent: self.sent,
            unsent: self.unsent,
            received: counts.received,
            lost: self.receiver.lost().into(),
            late: counts.late,
            duplicated: counts.duplicated,
            ignored: counts.ignored,
            foreign: self.foreign(),
            jitter: Duration::from_micros(u64::from(self.receiver.jitter()) * 125),
            skipped: self.skipped,
            unsent_keys: self.unsent_keys,
            lateness: self.lateness.clone(),
        }
    }
}
