//! When RTCP goes out, and what it remembers of the other side's.

use std::time::Duration;

use crate::receiver::Receiver;
use crate::rtcp::{self, Block, Compound, MOST_BYTES, Sent};
use crate::sender::Sender;

/// The mean time between two reports (RFC 3550 §6.2).
const INTERVAL: Duration = Duration::from_secs(5);

/// Our side of RTCP.
#[derive(Debug)]
pub(crate) struct Reporter {
    cname: String,
    due: Duration,
    random: u32,
    /// Middle bits of the other side's last sender report, and when it came.
    last: Option<(u32, Duration)>,
    buffer: [u8; MOST_BYTES],
}

impl Reporter {
    /// The first report is due half an interval after `now` (RFC 3550 §6.2).
    pub(crate) fn new(cname: String, random: u32, now: Duration) -> Self {
        // The generator below stands still at zero.
        Self { cname, due: now + INTERVAL / 2, random: random | 1, last: None, buffer: [0; MOST_BYTES] }
    }

    /// Whether a report is due.
    pub(crate) fn is_due(&self, now: Duration) -> bool {
        now >= self.due
    }

    /// Reads what the other side sent.
    pub(crate) fn hear(&mut self, datagram: &[u8], ssrc: u32, now: Duration) {
        if let Some(time) = rtcp::report_time(datagram, ssrc) {
            self.last = Some((time, now));
        }
    }

    /// Builds a report, with a BYE when it is the last.
    pub(crate) fn report(
        &mut self,
        sender: &Sender,
        receiver: &mut Receiver,
        now: Duration,
        goodbye: bool,
    ) -> Option<&[u8]> {
        self.due = now + self.interval();
        let (packets, octets) = sender.totals();
        let last_report = self.last.map(|(time, at)| (time, now.saturating_sub(at)));
        let compound = Compound {
            ssrc: sender.ssrc(),
            cname: &self.cname,
            sent: (packets > 0).then_some(Sent { at: now, timestamp: sender.timestamp(), packets, octets }),
            block: receiver.report().map(|(ssrc, figures)| Block { ssrc, figures, last_report }),
            goodbye,
        };
        compound.write(&mut self.buffer)
    }

    /// Half to one and a half intervals, so that two sides do not fall in step (RFC 3550 §6.3.1).
    fn interval(&mut self) -> Duration {
        // Marsaglia's xorshift: spread is all that is asked of it, not secrecy.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        INTERVAL / 2 + INTERVAL * (self.random % 1_000) / 1_000
    }
}
