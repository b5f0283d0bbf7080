//! Running a call: from the INVITE to the last BYE, between its leg, its conversation and its
//! journal.

mod drive;
mod lines;
mod talk;

use std::sync::Arc;
use std::time::Duration;

use domain::assistant::Assistant;
use domain::audio::AudioFormat;
use domain::call::{EndedReason, Live, OutboundCall};
use domain::ports::{Clock, Fence, OutboundCalls, PreparedLeg, Recorder, Speech, VoiceAgent};
use domain::variables::Variables;
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
    pub(crate) fence: Fence,
    pub(crate) leg: Box<dyn PreparedLeg>,
    /// The format that is offered first.
    pub(crate) format: AudioFormat,
    pub(crate) admission: Admission,
}

impl RunCall {
    /// Dials and carries the call to its end, in tasks of its own.
    pub(crate) fn start(self: &Arc<Self>, start: Start) {
        let Start { call, assistant, fence, leg, format, admission } = start;
        let orders = self.supervisor.enter(call.id);
        let (moves, written) = mpsc::channel(MOVES);
        let control = self.supervisor.control();
        let cast = Cast {
            call: fence.call,
            variables: variables_of(&call, &assistant),
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

/// What the assistant's lines may be filled with: the call's variables, else `customerName`, else
/// what the assistant knows.
fn variables_of(call: &OutboundCall, assistant: &Assistant) -> Variables {
    let mut variables = assistant.variables.clone();
    if let Some(name) = &call.customer_name {
        variables.insert("customerName".to_owned(), name.clone());
    }
    variables.extend(call.variables.clone());
    variables
}

#[cfg(test)]
mod tests {
    use domain::testing::{Ground, InMemory, World};
    use domain::variables::fill;

    use super::*;

    #[tokio::test]
    async fn a_calls_own_values_win_over_what_the_assistant_knows() {
        let ground = Ground::lay(&World::new(InMemory::new(), ()), None).await.unwrap();
        let (mut assistant, mut call) = (ground.assistant.clone(), ground.call().unwrap());
        let named = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        assistant.variables = named(&[("clinic", "North"), ("day", "today"), ("customerName", "neighbour")]);
        call.variables = named(&[("day", "Monday")]);
        call.customer_name = Some("Ada".to_owned());
        let said = |call: &OutboundCall| {
            fill("{{customerName}}, {{clinic}}, {{day}}, {{unknown}}.", &variables_of(call, &assistant))
        };
        assert_eq!(said(&call), "Ada, North, Monday, .");
        call.customer_name = None;
        assert_eq!(said(&call), "neighbour, North, Monday, .");
        call.customer_name = Some("Ada".to_owned());
        call.variables = named(&[("customerName", "Dr. Lovelace"), ("clinic", "")]);
        assert_eq!(said(&call), "Dr. Lovelace, , today, .");
    }
}
