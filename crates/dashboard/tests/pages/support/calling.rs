//! What calls are placed with in these tests: a telephone network in which everything rings for ever.

#[path = "../../../../http/tests/api/support/telephone.rs"]
#[allow(dead_code, reason = "the tests of the interface use all of it")]
mod telephone;

use std::sync::Arc;
use std::time::Duration;

use application::conclude_call::ConcludeCall;
use application::deliver_callbacks::DeliverCallbacks;
use application::in_flight::InFlight;
use application::keep_node::{KeepNode, NodeLease};
use application::place_call::PlaceCall;
use application::run_call::RunCall;
use application::set_up_test_line::SetUpTestLine;
use application::supervisor::CallSupervisor;
use application::take_over::TakeOver;
use async_trait::async_trait;
use dashboard::Calling;
use domain::ids::CallId;
use domain::network::AddressPolicy;
use domain::ports::{
    CallbackSender, ClaimedCallback, Clock, Conclusion, Entropy, Spool, SpoolError, TryOutcome,
};
use domain::testing::World;
use telephone::{FakeSpeech, FakeTelephony, Unanswered};
use tokio::runtime::Handle;

use super::fresh;

/// Everything that pages place calls with, over the stores of `world`, on a node that has joined.
pub(super) async fn calling(world: &World, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Calling {
    let (node, boot) = (fresh(clock.now(), entropy.as_ref()), fresh(clock.now(), entropy.as_ref()));
    world.nodes.join(node, boot).await.unwrap();
    let telephony = Arc::new(FakeTelephony::default());
    let lease = Arc::new(NodeLease::new(clock.clone()));
    let supervisor = Arc::new(CallSupervisor::new(Handle::current(), vec![Handle::current()]));
    let nowhere = Arc::new(Nowhere);
    let callbacks = Arc::new(DeliverCallbacks::new(
        world.callbacks.clone(),
        nowhere.clone(),
        clock.clone(),
        boot,
        Handle::current(),
    ));
    let conclude = Arc::new(ConcludeCall::new(world.calls.clone(), nowhere, callbacks, clock.clone()));
    let take_over = Arc::new(TakeOver {
        nodes: world.nodes.clone(),
        callbacks: world.callbacks.clone(),
        analyses: world.analyses.clone(),
        telephony: telephony.clone(),
        conclude: conclude.clone(),
        clock: clock.clone(),
        boot,
    });
    let beats =
        KeepNode::new(world.nodes.clone(), lease.clone(), supervisor.clone(), take_over, clock.clone(), boot);
    beats.beat().await.unwrap();
    let run_call = Arc::new(RunCall {
        calls: world.calls.clone(),
        conclude,
        speech: Arc::new(FakeSpeech),
        agents: Arc::new(Unanswered),
        recorder: Arc::new(Unanswered),
        supervisor: supervisor.clone(),
        lease: lease.clone(),
        clock: clock.clone(),
        ring_limit: Duration::from_mins(1),
    });
    let place_call = PlaceCall {
        directory: world.directory.clone(),
        calls: world.calls.clone(),
        telephony,
        run_call,
        supervisor,
        lease,
        boot,
        clock,
        entropy: entropy.clone(),
        in_flight: InFlight::default(),
    };
    Calling {
        place_call: Arc::new(place_call),
        set_up_test_line: SetUpTestLine { lines: world.test_lines.clone(), entropy },
        built_in_phone: true,
        callback_addresses: AddressPolicy::default(),
        nodes: world.nodes.clone(),
    }
}

/// No call ends in these tests: there is nothing to report, and nothing to keep.
struct Nowhere;

#[async_trait]
impl CallbackSender for Nowhere {
    async fn send(&self, _callback: &ClaimedCallback) -> TryOutcome {
        TryOutcome::Answered(200)
    }
}

#[async_trait]
impl Spool for Nowhere {
    async fn keep(&self, _conclusion: &Conclusion) -> Result<(), SpoolError> {
        Ok(())
    }

    async fn pending(&self) -> Result<Vec<Conclusion>, SpoolError> {
        Ok(Vec::new())
    }

    async fn forget(&self, _call: CallId) -> Result<(), SpoolError> {
        Ok(())
    }
}
