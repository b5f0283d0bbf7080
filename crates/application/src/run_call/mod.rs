//! Running a call: from the INVITE to the last BYE, between its leg, its conversation and its
//! journal.

mod drive;
mod lines;
mod talk;

use std::sync::Arc;
use std::time::Duration;

use domain::assistant::Assistant;
use domain::assistant::filling::Filling;
use domain::audio::AudioFormat;
use domain::call::{EndedReason, Live, OutboundCall};
use domain::ports::{Clock, Fence, OutboundCalls, PreparedLeg, Recorder, Speech, VoiceAgent};
use tokio::sync::mpsc;

use crate::causes::causes;
use crate::conclude_call::ConcludeCall;
use crate::crash_point::crash_point;
use crate::journal::{Journal, MOVES, Move, Moves};
use crate::keep_node::NodeLease;
use crate::supervisor::{Admission, CallSupervisor, Order};

use drive::{Cast, Drive};
use lines::Lines;

/// Runs accepted calls.
pub struct RunCall {
    /// Takes the moves of calls.
    pub calls: Arc<dyn OutboundCalls>,
    /// Takes their ends.
    pub conclude: Arc<ConcludeCall>,
    /// Speaks the lines of the built-in voice.
    pub speech: Arc<dyn Speech>,
    /// Brings AI assistants.
    pub agents: Arc<dyn VoiceAgent>,
    /// Keeps the record of what is said.
    pub recorder: Arc<dyn Recorder>,
    /// Holds the running calls.
    pub supervisor: Arc<CallSupervisor>,
    /// Knows whether this node may dial.
    pub lease: Arc<NodeLease>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// How long a call may ring.
    pub ring_limit: Duration,
}

/// An accepted call, ready to be dialled.
pub(crate) struct Start {
    pub(crate) call: OutboundCall,
    pub(crate) assistant: Assistant,
    pub(crate) filling: Filling,
    pub(crate) fence: Fence,
    pub(crate) leg: Box<dyn PreparedLeg>,
    /// The format that is offered first.
    pub(crate) format: AudioFormat,
    pub(crate) admission: Admission,
}

impl RunCall {
    /// Dials and carries the call to its end, in tasks of its own.
    pub(crate) fn start(self: &Arc<Self>, start: Start) {
        let Start { call, assistant, filling, fence, leg, format, admission } = start;
        let orders = self.supervisor.enter(call.id);
        let (moves, written) = mpsc::channel(MOVES);
        let control = self.supervisor.control();
        let cast = Cast {
            call: fence.call,
            filling,
            lines: Lines::new(Arc::clone(&self.speech), control.clone(), assistant.language),
            assistant,
            format,
            moves: Moves(moves),
            agents: Arc::clone(&self.agents),
            recorder: Arc::clone(&self.recorder),
            clock: Arc::clone(&self.clock),
            ring_limit: self.ring_limit,
        };
        let journal = Journal {
            call,
            fence,
            calls: Arc::clone(&self.calls),
            conclude: Arc::clone(&self.conclude),
            supervisor: Arc::clone(&self.supervisor),
            clock: Arc::clone(&self.clock),
            admission,
        };
        control.spawn(journal.keep(written));
        let this = Arc::clone(self);
        control.spawn(async move { this.dial(cast, leg, orders).await });
    }

    async fn dial(self: Arc<Self>, cast: Cast, leg: Box<dyn PreparedLeg>, orders: mpsc::Receiver<Order>) {
        let call = cast.call;
        let fail = |reason| {
            let ended = Live::dialling().end(reason, self.clock.now());
            cast.moves.send(Move::Ended { ended, answer: None });
        };
        // One more look: accepting took time, and another node may own the call by now.
        if !self.lease.may_dial() {
            return fail(EndedReason::ServiceInterrupted);
        }
        let leg = match leg.send().await {
            Ok(leg) => leg,
            Err(error) => {
                tracing::warn!(%call, error = causes(&error), "the INVITE could not be sent");
                return fail(EndedReason::TrunkUnreachable);
            }
        };
        crash_point("dialled");
        tracing::info!(%call, "call dialled");
        // From here on it is a media thread's.
        self.supervisor.media().spawn(Drive::new(cast).run(leg, orders));
    }
}
