//! The signalling of one outbound call: a task of its own, from the INVITE to the last late answer.

mod dial;
mod dialled;
mod hang_up;
mod refresh;
mod requests;
mod session_timer;
mod talk;
mod transfer;

#[cfg(feature = "fuzzing")]
pub(crate) use session_timer::read_timers;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use domain::audio::AudioFormat;
use domain::number::E164;
use domain::ports::{Answered, Detects, DialIntent, HangUp, LegEnd};
use domain::trunk::Trunk;
use futures_util::FutureExt;
use media::{Negotiated, SourcePolicy};
use rsipstack::sip::{Header, Request};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::core::Core;
use crate::dialog::{ALLOW, Dialog, SDP};
use crate::login::Login;
use crate::sdp::{self, Agreed};
use crate::stack::Flow;
use crate::table::Registration;

/// News for the leg that may wait until it is polled.
pub(crate) const WAITING_SIGNALS: usize = 16;

/// Places among them that only an answer, a transfer's outcome and the end may take.
const RESERVED_SIGNALS: usize = 3;

/// Orders of the leg that may wait; it gives each kind once at a time.
pub(crate) const WAITING_COMMANDS: usize = 4;

/// What the leg is told.
pub(crate) enum Signal {
    /// See [`domain::ports::LegEvent::Ringing`].
    Ringing(u16),
    /// See [`domain::ports::LegEvent::Answered`]; the media starts on these terms.
    Answered(Box<(Answered, Negotiated)>),
    /// The media goes on under new terms.
    Media(Box<Negotiated>),
    /// See [`domain::ports::LegEvent::Referred`].
    Referred { connected: bool },
    /// Nothing follows.
    Ended(LegEnd),
}

/// What the leg orders; a closed channel means that it was dropped, and hangs up.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    Acknowledge,
    Refer(E164),
    HangUp(HangUp),
}

/// One outbound call.
pub(crate) struct Call {
    pub(crate) core: Arc<Core>,
    pub(crate) trunk: Trunk,
    pub(crate) login: Option<Login>,
    pub(crate) formats: Vec<AudioFormat>,
    pub(crate) detects: Detects,
    pub(crate) intent: DialIntent,
    /// Extra headers of every INVITE: who calls.
    pub(crate) identity: Vec<Header>,
    pub(crate) dialog: Dialog,
    pub(crate) local: sdp::Local,
    pub(crate) flow: Flow,
    /// Gateways to try after a 503.
    pub(crate) further: VecDeque<SocketAddr>,
    pub(crate) registration: Registration,
    /// None once the leg was told its end.
    pub(crate) signals: Option<mpsc::Sender<Signal>>,
    pub(crate) commands: mpsc::Receiver<Command>,
    pub(crate) state: State,
}

/// What changes on the way.
#[derive(Default)]
pub(crate) struct State {
    /// The leg hung up, or was dropped.
    hung_up: bool,
    /// Why, for the Reason of our CANCEL or BYE.
    cause: Option<HangUp>,
    /// Every 2xx that was met: its tag, its INVITE's number, and its ACK once that was sent.
    accepted: Vec<Accepted>,
    /// When late 2xx can no longer come.
    late_until: Option<Instant>,
    /// Held once by each answer to a re-INVITE that waits for its ACK.
    answering: Arc<()>,
    /// The INVITE whose 2xx made the dialog.
    answered: Option<Request>,
    /// The way of that INVITE, wherever a Contact leads since.
    gateway: Option<Flow>,
}

struct Accepted {
    tag: String,
    cseq: u32,
    ack: Option<Request>,
    flow: Flow,
}

impl Call {
    /// Carries the call to its end and stays for what comes late. Whatever breaks on the way, a
    /// telephone that was picked up is hung up.
    pub(crate) async fn run(mut self: Box<Self>) {
        // Each phase has its own memory, so that waiting for what comes late costs little.
        let end = match AssertUnwindSafe(Box::pin(self.dial())).catch_unwind().await {
            Ok(dialled::Dialled::Answered(answer)) => {
                self.state.answered = Some(answer.invite.clone());
                let talked = AssertUnwindSafe(Box::pin(self.talk(*answer))).catch_unwind().await;
                if talked.is_err() {
                    tracing::error!(call_id = %self.intent.call_id, "the signalling of an answered call broke");
                    Box::pin(self.abandon()).await;
                }
                talked.unwrap_or(LegEnd::Broken)
            }
            Ok(dialled::Dialled::Over(end)) => end,
            Err(_) => LegEnd::Broken,
        };
        self.end(end);
        self.linger().await;
    }

    /// Tells the leg its end, the first time only; nothing can follow.
    fn end(&mut self, end: LegEnd) {
        if let Some(signals) = self.signals.take() {
            tracing::debug!(call_id = %self.intent.call_id, ?end, "leg ended");
            self.registration.ended();
            let _ = signals.try_send(Signal::Ended(end));
        }
    }

    /// The leg's last order.
    fn on_hang_up_order(&mut self, cause: Option<HangUp>) {
        self.state.hung_up = true;
        self.state.cause = cause;
    }

    /// Why we hang up, as the telephone network says it (RFC 3326, ITU-T Q.850).
    fn reason(&self) -> Header {
        let cause = match self.state.cause {
            Some(HangUp::Normal) => "16;text=\"Normal call clearing\"",
            Some(HangUp::RingLimit) => "19;text=\"No answer from user\"",
            Some(HangUp::Forced) | None => "31;text=\"Normal, unspecified\"",
        };
        Header::Reason(format!("Q.850;cause={cause}").into())
    }

    /// The way of the INVITE that was answered, or of the one that is pending.
    fn gateway(&self) -> &Flow {
        self.state.gateway.as_ref().unwrap_or(&self.flow)
    }

    /// Tells the leg something that it may miss when it does not poll.
    fn tell(&self, signal: Signal) {
        if let Some(signals) = self.signals.as_ref().filter(|signals| signals.capacity() > RESERVED_SIGNALS) {
            let _ = signals.try_send(signal);
        }
    }

    /// The terms of the media, from what the descriptions agreed on.
    fn negotiated(&self, agreed: &Agreed) -> Negotiated {
        Negotiated {
            format: agreed.format,
            payload_type: agreed.payload_type,
            telephone_event: agreed.telephone_event,
            remote: agreed.remote,
            direction: match agreed.direction {
                sdp::Direction::SendRecv => media::Direction::SendReceive,
                sdp::Direction::SendOnly => media::Direction::SendOnly,
                sdp::Direction::RecvOnly => media::Direction::ReceiveOnly,
                sdp::Direction::Inactive => media::Direction::Inactive,
            },
            sources: SourcePolicy {
                // A Contact of the other side moves our requests, but not whose audio is trusted.
                signalling: Some(self.gateway().peer.ip()),
                nat: self.trunk.nat,
                networks: self.trunk.media_networks.clone(),
                guard: self.core.bounds(&self.trunk).guard,
            },
            detects: self.detects,
            protection: agreed.protection(&self.local),
        }
    }
}

/// What every INVITE of ours carries besides its session description.
fn invite_headers(dialog: &Dialog) -> Vec<Header> {
    vec![
        Header::Contact(dialog.contact().into()),
        Header::Allow(ALLOW.into()),
        Header::Supported("timer, 100rel".into()),
        Header::ContentType(SDP.into()),
    ]
}
