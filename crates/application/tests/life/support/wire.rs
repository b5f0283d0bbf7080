//! A telephone network in the test's hands: the test plays the callee's side of one call.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use domain::audio::{AudioFormat, Digit, Frame};
use domain::ids::TrunkId;
use domain::number::E164;
use domain::ports::{
    Answered, DialIntent, DialPlan, HangUp, HeardFrame, Leg, LegEnd, LegEvent, PreparedLeg, Refused,
    SavedLeg, SendFailed, Telephony, TrunkState,
};
use domain::trunk::Trunk;
use tokio::sync::mpsc;

/// What the service did on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    Sent,
    Acknowledged,
    Played(Option<Frame>),
    Referred(E164),
    HungUp(HangUp),
    Dropped,
    OrphanEnded(SavedLeg),
}

/// The network; what `prepare` answers can be chosen.
pub struct Wire {
    refuse: Mutex<Option<fn() -> Refused>>,
    seen: mpsc::UnboundedSender<Seen>,
    events: Mutex<Option<mpsc::UnboundedReceiver<LegEvent>>>,
    foreign: Arc<AtomicU64>,
}

/// The test's end of it.
pub struct Callee {
    pub wire: Arc<Wire>,
    events: mpsc::UnboundedSender<LegEvent>,
    seen: mpsc::UnboundedReceiver<Seen>,
}

impl Callee {
    pub fn new() -> Self {
        let (sender, seen) = mpsc::unbounded_channel();
        let (events, received) = mpsc::unbounded_channel();
        let wire = Wire {
            refuse: Mutex::new(None),
            seen: sender,
            events: Mutex::new(Some(received)),
            foreign: Arc::default(),
        };
        Self { wire: Arc::new(wire), events, seen }
    }

    pub fn refuse(&self, refused: fn() -> Refused) {
        *self.wire.refuse.lock().unwrap() = Some(refused);
    }

    pub fn does(&self, event: LegEvent) {
        self.events.send(event).unwrap();
    }

    /// Breaks the task that polls the leg.
    pub fn panics(&mut self) {
        self.events = mpsc::unbounded_channel().0;
    }

    pub fn rings(&self) {
        self.does(LegEvent::Ringing { code: 180 });
    }

    pub fn answers(&self) {
        let saved = SavedLeg { remote_tag: Some("callee".into()), ..saved() };
        self.does(LegEvent::Answered(Box::new(Answered { saved, format: AudioFormat::Pcmu })));
    }

    pub fn beats(&self, speech: bool) {
        self.does(LegEvent::Heard(HeardFrame { audio: None, speech, tone: false }));
    }

    pub fn hears_frame(&self, frame: Frame) {
        self.does(LegEvent::Heard(HeardFrame { audio: Some(frame), speech: false, tone: false }));
    }

    /// So many datagrams come from strangers.
    pub fn is_attacked(&self, packets: u64) {
        self.wire.foreign.store(packets, Ordering::Relaxed);
    }

    pub fn ends(&self, end: LegEnd) {
        self.does(LegEvent::Ended(end));
    }

    /// Whether the prepared leg was dropped, and nothing sent.
    pub fn was_never_called(&mut self) -> bool {
        self.events.is_closed() && self.seen.try_recv().is_err()
    }

    /// The next thing that the service does; with paused time, waiting is free.
    pub async fn sees(&mut self) -> Seen {
        tokio::time::timeout(Duration::from_hours(1), self.seen.recv())
            .await
            .expect("nothing happened")
            .unwrap()
    }
}

/// The dialog of every prepared leg.
fn saved() -> SavedLeg {
    let text = |text: &str| text.to_owned();
    SavedLeg {
        intent: DialIntent {
            trunk: TrunkId::parse("00000000-0000-7000-8000-000000000000").unwrap(),
            call_id: text("c@callwright"),
            local_tag: text("ours"),
            branch: text("z9hG4bK1"),
            cseq: 1,
            request_uri: text("sip:+14155550123@sip.example.com"),
            from: text("<sip:+14155550100@sip.example.com>"),
            to: text("<sip:+14155550123@sip.example.com>"),
            transport: text("udp"),
            gateway: text("192.0.2.1:5060"),
        },
        remote_tag: None,
        remote_target: None,
        route_set: Vec::new(),
        local_cseq: 1,
    }
}

#[async_trait]
impl Telephony for Wire {
    async fn prepare(&self, plan: DialPlan) -> Result<Box<dyn PreparedLeg>, Refused> {
        if let Some(refused) = *self.refuse.lock().unwrap() {
            return Err(refused());
        }
        let events = self.events.lock().unwrap().take().expect("one call a test");
        let intent = DialIntent { trunk: plan.trunk.id, ..saved().intent };
        Ok(Box::new(Prepared { intent, events, seen: self.seen.clone(), foreign: self.foreign.clone() }))
    }

    async fn end_orphan(&self, _trunk: Trunk, leg: SavedLeg) {
        self.seen.send(Seen::OrphanEnded(leg)).unwrap();
    }

    async fn watch(&self, _trunks: Vec<Trunk>) {}

    async fn probe(&self, _trunk: &Trunk) -> TrunkState {
        TrunkState::default()
    }
}

struct Prepared {
    intent: DialIntent,
    events: mpsc::UnboundedReceiver<LegEvent>,
    seen: mpsc::UnboundedSender<Seen>,
    foreign: Arc<AtomicU64>,
}

#[async_trait]
impl PreparedLeg for Prepared {
    fn intent(&self) -> &DialIntent {
        &self.intent
    }

    async fn send(self: Box<Self>) -> Result<Box<dyn Leg>, SendFailed> {
        let _ = self.seen.send(Seen::Sent);
        Ok(Box::new(Line { events: self.events, seen: self.seen, foreign: self.foreign }))
    }
}

struct Line {
    events: mpsc::UnboundedReceiver<LegEvent>,
    seen: mpsc::UnboundedSender<Seen>,
    foreign: Arc<AtomicU64>,
}

impl Leg for Line {
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<LegEvent> {
        self.events.poll_recv(cx).map(|event| event.expect("the test let the callee go"))
    }

    fn foreign_packets(&self) -> u64 {
        self.foreign.load(Ordering::Relaxed)
    }

    fn acknowledge(&mut self) {
        let _ = self.seen.send(Seen::Acknowledged);
    }

    fn play(&mut self, frame: Option<&Frame>) {
        let _ = self.seen.send(Seen::Played(frame.copied()));
    }

    fn press(&mut self, _digit: Digit, _length: Duration) {}

    fn refer(&mut self, target: &E164) {
        let _ = self.seen.send(Seen::Referred(target.clone()));
    }

    fn hang_up(&mut self, cause: HangUp) {
        let _ = self.seen.send(Seen::HungUp(cause));
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let _ = self.seen.send(Seen::Dropped);
    }
}
