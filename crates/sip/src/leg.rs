//! A leg as the application sees it: signalling news and media, polled as one.

use std::task::{Context, Poll};
use std::time::Duration;

use domain::audio::{Digit, Frame};
use domain::number::E164;
use domain::ports::{HangUp, Leg, LegEnd, LegEvent};
use media::{MediaEvent, Session};
use tokio::sync::mpsc;

use crate::call::{Command, Signal};

/// Joins the call's signalling task, wherever it runs, with the media that this poller drives.
pub(crate) struct SipLeg {
    call_id: String,
    signals: mpsc::Receiver<Signal>,
    commands: mpsc::Sender<Command>,
    media: Session,
    connected: bool,
    acknowledged: bool,
    hung_up: bool,
    transfers: Transfers,
}

/// The transfers that were asked for.
#[derive(Default)]
struct Transfers {
    under_way: bool,
    /// Those that could not be ordered and wait to be told.
    refused: u32,
}

impl SipLeg {
    pub(crate) fn new(
        call_id: String,
        signals: mpsc::Receiver<Signal>,
        commands: mpsc::Sender<Command>,
        media: Session,
    ) -> Self {
        Self {
            call_id,
            signals,
            commands,
            media,
            connected: false,
            acknowledged: false,
            hung_up: false,
            transfers: Transfers::default(),
        }
    }

    fn order(&self, command: Command) -> bool {
        // Each kind is ordered once at a time, so the queue has room; a closed one means that it is
        // over.
        self.commands.try_send(command).is_ok()
    }

    fn poll_media(&mut self, cx: &mut Context<'_>) -> Poll<LegEvent> {
        match self.media.poll_event(cx) {
            Poll::Ready(MediaEvent::Heard(frame)) => Poll::Ready(LegEvent::Heard(frame)),
            Poll::Ready(MediaEvent::Pressed(digit)) => Poll::Ready(LegEvent::Pressed(digit)),
            Poll::Ready(MediaEvent::TimedOut) => {
                self.hang_up(HangUp::Forced);
                self.connected = false;
                Poll::Ready(LegEvent::Ended(LegEnd::MediaTimeout))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for SipLeg {
    /// Tells how the media went, for whoever looks into a call's sound.
    fn drop(&mut self) {
        if !self.acknowledged || !tracing::enabled!(tracing::Level::DEBUG) {
            return;
        }
        let stats = self.media.stats();
        let micros =
            |percent| u64::try_from(stats.lateness.percentile(percent).as_micros()).unwrap_or(u64::MAX);
        tracing::debug!(
            call_id = self.call_id,
            sent = stats.sent,
            unsent = stats.unsent,
            skipped = stats.skipped,
            received = stats.received,
            lost = stats.lost,
            late = stats.late,
            foreign = stats.foreign,
            jitter_us = u64::try_from(stats.jitter.as_micros()).unwrap_or(u64::MAX),
            send_late_p50_us = micros(50),
            send_late_p99_us = micros(99),
            send_late_max_us = micros(100),
            "media ended"
        );
    }
}

impl Leg for SipLeg {
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<LegEvent> {
        if let Some(left) = self.transfers.refused.checked_sub(1) {
            self.transfers.refused = left;
            return Poll::Ready(LegEvent::Referred { connected: false });
        }
        loop {
            match self.signals.poll_recv(cx) {
                Poll::Ready(Some(Signal::Ringing(code))) => return Poll::Ready(LegEvent::Ringing { code }),
                Poll::Ready(Some(Signal::Answered(news))) => {
                    let (answered, negotiated) = *news;
                    self.media.start(negotiated);
                    self.connected = true;
                    return Poll::Ready(LegEvent::Answered(Box::new(answered)));
                }
                Poll::Ready(Some(Signal::Media(negotiated))) => self.media.start(*negotiated),
                Poll::Ready(Some(Signal::Referred { connected })) => {
                    self.transfers.under_way = false;
                    return Poll::Ready(LegEvent::Referred { connected });
                }
                Poll::Ready(Some(Signal::Ended(end))) => {
                    self.connected = false;
                    return Poll::Ready(LegEvent::Ended(end));
                }
                // The signalling task never leaves without an end, unless it panicked.
                Poll::Ready(None) => return Poll::Ready(LegEvent::Ended(LegEnd::Broken)),
                Poll::Pending if self.connected => return self.poll_media(cx),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    fn foreign_packets(&self) -> u64 {
        self.media.foreign()
    }

    fn acknowledge(&mut self) {
        if !std::mem::replace(&mut self.acknowledged, true) {
            self.order(Command::Acknowledge);
        }
    }

    fn play(&mut self, frame: Option<&Frame>) {
        self.media.play(frame);
    }

    fn press(&mut self, digit: Digit, length: Duration) {
        self.media.press(digit, length);
    }

    fn refer(&mut self, target: &E164) {
        let free = self.connected && !self.transfers.under_way;
        if free && self.order(Command::Refer(target.clone())) {
            self.transfers.under_way = true;
        } else {
            self.transfers.refused = self.transfers.refused.saturating_add(1);
        }
    }

    fn hang_up(&mut self, cause: HangUp) {
        if !std::mem::replace(&mut self.hung_up, true) {
            self.order(Command::HangUp(cause));
        }
    }
}
