//! A whole node in memory, whose network, voice, receivers and time are in the test's hands.

mod agent;
mod blind;
mod brittle;
mod held;
mod ports;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use application::conclude_call::ConcludeCall;
use application::deliver_callbacks::DeliverCallbacks;
use application::in_flight::InFlight;
use application::keep_node::{KeepNode, NodeLease};
use application::place_call::{CallRequest, PlaceCall, PlaceError, Placed};
use application::run_call::RunCall;
use application::supervisor::CallSupervisor;
use application::take_over::TakeOver;
use domain::call::{CallStatus, Ended, EndedReason, OutboundStatus};
use domain::callback::{CallbackDraft, CallbackUrl};
use domain::idempotency::Once;
use domain::ids::{BootId, CallId, NumberId, TrunkId};
use domain::number::{Destination, E164};
use domain::ports::{Accepted, ClaimedCallback, Clock, Conclusion, OutboundCalls, TryOutcome};
use domain::testing::{Ground, InMemory, World};
use domain::trunk::{Number, Trunk};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

pub use agent::{Got, Mind, Tape};
use blind::Blind;
pub use brittle::Brittle;
pub use held::HeldNodes;
pub use ports::{Counter, MemorySpool, Receivers, SimulatedClock, Voice};
pub use wire::{Callee, Seen};

/// How long a callee is rung.
pub const RING_LIMIT: Duration = Duration::from_secs(20);

/// Everything that a running server has, but threads.
pub struct Node {
    pub store: InMemory,
    pub world: World,
    pub ground: Ground,
    pub callee: Callee,
    pub clock: Arc<dyn Clock>,
    pub spool: Arc<MemorySpool>,
    pub supervisor: Arc<CallSupervisor>,
    pub nodes: Arc<HeldNodes>,
    pub beats: Arc<KeepNode>,
    pub take_over: Arc<TakeOver>,
    pub conclude: Arc<ConcludeCall>,
    pub deliver: Arc<DeliverCallbacks>,
    pub tries: mpsc::UnboundedReceiver<ClaimedCallback>,
    pub mind: Mind,
    pub tape: Tape,
    pub voice: Arc<Voice>,
    place_call: PlaceCall,
}

/// What a test may want otherwise.
#[allow(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
pub struct Wishes {
    pub broken_voice: bool,
    /// Earlier requests are seen only when it is too late.
    pub blind: bool,
    pub outcome: fn(u16) -> TryOutcome,
    /// The assistant is an AI.
    pub agent: bool,
    /// The trunk is offered wideband sound.
    pub wideband: bool,
    /// Where the store breaks, once.
    pub breaks: Option<Brittle>,
}

impl Default for Wishes {
    fn default() -> Self {
        let outcome = |_| TryOutcome::Answered(200);
        Self { broken_voice: false, blind: false, outcome, agent: false, wideband: true, breaks: None }
    }
}

impl Node {
    pub async fn new(wishes: Wishes) -> Self {
        let store = InMemory::new();
        let mut world = World::new(store.clone(), ());
        if let Some(breaks) = wishes.breaks {
            world.calls = breaks.over(Arc::clone(&world.calls));
        }
        let mut ground = Ground::lay(&world, None).await.unwrap();
        if wishes.agent {
            ground.assistant = ground.cascade().unwrap();
            world.add_assistant(ground.assistant.clone()).await.unwrap();
        }
        if !wishes.wideband {
            ground.number = add_narrow_number(&world, &ground).await;
        }
        let voice = Arc::new(Voice { broken: wishes.broken_voice, ..Voice::default() });
        let (mind, tape) = (Mind::new(), Tape::default());
        let clock: Arc<dyn Clock> = SimulatedClock::new();
        let callee = Callee::new();
        let spool = Arc::new(MemorySpool::default());
        let supervisor = Arc::new(CallSupervisor::new(Handle::current(), vec![Handle::current()]));
        let lease = Arc::new(NodeLease::new(Arc::clone(&clock)));
        let (sender, tries) = mpsc::unbounded_channel();
        let deliver = Arc::new(DeliverCallbacks::new(
            Arc::clone(&world.callbacks),
            Arc::new(Receivers { outcome: wishes.outcome, tries: sender }),
            Arc::clone(&clock),
            ground.boot,
            Handle::current(),
        ));
        let conclude = Arc::new(ConcludeCall::new(
            Arc::clone(&world.calls),
            spool.clone(),
            Arc::clone(&deliver),
            Arc::clone(&clock),
        ));
        let nodes = HeldNodes::new(Arc::clone(&world.nodes));
        let take_over = Arc::new(TakeOver {
            nodes: nodes.clone(),
            callbacks: Arc::clone(&world.callbacks),
            analyses: Arc::clone(&world.analyses),
            telephony: callee.wire.clone(),
            conclude: Arc::clone(&conclude),
            clock: Arc::clone(&clock),
            boot: ground.boot,
        });
        let keep_node = Arc::new(KeepNode::new(
            nodes.clone(),
            Arc::clone(&lease),
            Arc::clone(&supervisor),
            Arc::clone(&take_over),
            Arc::clone(&clock),
            ground.boot,
        ));
        keep_node.beat().await.unwrap();
        let run_call = Arc::new(RunCall {
            calls: Arc::clone(&world.calls),
            conclude: Arc::clone(&conclude),
            speech: voice.clone(),
            agents: mind.provider.clone(),
            recorder: Arc::new(tape.clone()),
            supervisor: Arc::clone(&supervisor),
            lease: Arc::clone(&lease),
            clock: Arc::clone(&clock),
            ring_limit: RING_LIMIT,
        });
        let calls: Arc<dyn OutboundCalls> = Arc::clone(&world.calls);
        let place_call = PlaceCall {
            directory: Arc::clone(&world.directory),
            calls: if wishes.blind { Arc::new(Blind(calls)) } else { calls },
            telephony: callee.wire.clone(),
            run_call,
            supervisor: Arc::clone(&supervisor),
            lease,
            boot: ground.boot,
            clock: Arc::clone(&clock),
            entropy: Arc::new(Counter::default()),
            in_flight: InFlight::default(),
        };
        Self {
            store,
            world,
            ground,
            callee,
            clock,
            spool,
            supervisor,
            nodes,
            beats: keep_node,
            take_over,
            conclude,
            deliver,
            tries,
            mind,
            tape,
            voice,
            place_call,
        }
    }

    /// Places a call to a receiver at `callback`.
    pub async fn try_place(&self, callback: &str) -> Result<Placed, PlaceError> {
        self.ask(callback, None).await
    }

    /// The same with an idempotency key.
    pub async fn try_place_once(&self, callback: &str, once: Once) -> Result<Placed, PlaceError> {
        self.ask(callback, Some(once)).await
    }

    async fn ask(&self, callback: &str, once: Option<Once>) -> Result<Placed, PlaceError> {
        let request = CallRequest {
            destination: Destination::parse("+14155550123").unwrap(),
            assistant: self.ground.assistant.id,
            number: self.ground.number.id,
            customer_name: None,
            variables: [("name".to_owned(), "Ada".to_owned())].into(),
            callback_url: CallbackUrl::from_stored(callback),
            once,
            by: None,
        };
        self.place_call.place(self.ground.scope(), request).await
    }

    /// Places a call that is accepted, and sees its INVITE go.
    pub async fn place(&mut self) -> CallId {
        let placed = self.try_place("https://receiver.example.com/").await.unwrap();
        assert_eq!((placed.status, placed.reason), (CallStatus::Calling, None));
        assert_eq!(self.callee.sees().await, Seen::Sent);
        placed.call
    }

    /// Where a call stands.
    pub async fn status(&self, call: CallId) -> OutboundStatus {
        self.world.calls.status(self.ground.scope(), call).await.unwrap().unwrap()
    }

    /// Waits for the one callback that reports a call's end, and gives status and reason from it.
    pub async fn end(&mut self, call: CallId) -> (String, String) {
        let tried = tokio::time::timeout(Duration::from_hours(1), self.tries.recv()).await;
        let callback = tried.expect("no callback").unwrap();
        assert_eq!(callback.call, call);
        let body = String::from_utf8(callback.draft.body).unwrap();
        let field = |name: &str| {
            let (_, rest) = body.split_once(&format!("\"{name}\":\"")).unwrap();
            rest.split('"').next().unwrap().to_owned()
        };
        let end = (field("status"), field("endedReason"));
        let status = self.status(call).await;
        assert_eq!(
            (status.status.as_str(), status.details.unwrap().reason.as_str()),
            (end.0.as_str(), end.1.as_str())
        );
        end
    }
}

/// A number on a trunk of its own, which is offered no wideband sound.
async fn add_narrow_number(world: &World, ground: &Ground) -> Number {
    let id = "00000000-0000-7000-8000-000000000711";
    let trunk = TrunkId::parse(id).unwrap();
    let narrow = Trunk { id: trunk, name: "narrow".to_owned(), wideband: false, ..ground.trunk.clone() };
    world.add_trunk(narrow).await.unwrap();
    let number = E164::parse("+14155550711").unwrap();
    let number = Number { id: NumberId::parse(id).unwrap(), trunk, number, ..ground.number.clone() };
    world.add_number(number.clone()).await.unwrap();
    number
}

/// An end as `Node::end` gives it.
pub fn is(status: &str, reason: &str) -> (String, String) {
    (status.to_owned(), reason.to_owned())
}

/// Ends a call of `boot`, which then holds its callback.
pub async fn end_call(node: &Node, boot: BootId, url: &str) -> CallId {
    let mut call = node.ground.call().unwrap();
    call.callback_url = CallbackUrl::from_stored(url);
    let Accepted::Calling(fence) =
        node.world.calls.accept(node.ground.dial(call.clone(), boot)).await.unwrap()
    else {
        panic!("not accepted")
    };
    let ended = Ended { reason: EndedReason::NoAnswer, started_at: None, ended_at: node.clock.now() };
    let callback = CallbackDraft::of(&call, &ended, node.clock.now());
    node.world.calls.conclude(Conclusion { fence, ended, answer: None, callback }).await.unwrap();
    call.id
}
