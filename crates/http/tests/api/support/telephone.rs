//! A telephone network in which everything rings for ever, or is out of order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use domain::audio::{AudioFormat, Digit, Encoded, Frame};
use domain::ids::CallId;
use domain::number::E164;
use domain::ports::{
    AgentSession, AgentSpec, DialIntent, DialPlan, HangUp, Leg, LegEvent, Line, PreparedLeg, Recorder,
    Recording, Refused, SavedLeg, SendFailed, Speech, SpeechError, Telephony, TrunkState, VoiceAgent,
};
use domain::trunk::Trunk;
use parking_lot::Mutex;

/// What the trunk says to a new call.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Mood {
    #[default]
    Takes,
    Unreachable,
    Full,
}

#[derive(Default)]
pub(crate) struct FakeTelephony {
    pub(crate) mood: Mutex<Mood>,
    pub(crate) prepared: AtomicUsize,
}

#[async_trait]
impl Telephony for FakeTelephony {
    async fn prepare(&self, plan: DialPlan) -> Result<Box<dyn PreparedLeg>, Refused> {
        self.prepared.fetch_add(1, Ordering::SeqCst);
        match *self.mood.lock() {
            Mood::Unreachable => Err(Refused::Unreachable(None)),
            Mood::Full => Err(Refused::NoCapacity),
            Mood::Takes => Ok(Box::new(Prepared(DialIntent {
                trunk: plan.trunk.id,
                call_id: plan.call.to_string(),
                local_tag: "tag".into(),
                branch: "z9hG4bK1".into(),
                cseq: 1,
                request_uri: format!("sip:{}@test", plan.to),
                from: format!("<sip:{}@test>", plan.from),
                to: format!("<sip:{}@test>", plan.to),
                transport: "udp".into(),
                gateway: "127.0.0.1:5060".into(),
            }))),
        }
    }

    async fn end_orphan(&self, _trunk: Trunk, _leg: SavedLeg) {}

    async fn watch(&self, _trunks: Vec<Trunk>) {}

    async fn probe(&self, _trunk: &Trunk) -> TrunkState {
        TrunkState::default()
    }
}

struct Prepared(DialIntent);

#[async_trait]
impl PreparedLeg for Prepared {
    fn intent(&self) -> &DialIntent {
        &self.0
    }

    async fn send(self: Box<Self>) -> Result<Box<dyn Leg>, SendFailed> {
        Ok(Box::new(Silent))
    }
}

struct Silent;

impl Leg for Silent {
    fn poll_event(&mut self, _cx: &mut Context<'_>) -> Poll<LegEvent> {
        Poll::Pending
    }

    fn acknowledge(&mut self) {}

    fn play(&mut self, _frame: Option<&Frame>) {}

    fn press(&mut self, _digit: Digit, _length: Duration) {}

    fn refer(&mut self, _target: &E164) {}

    fn hang_up(&mut self, _cause: HangUp) {}
}

pub(crate) struct FakeSpeech;

#[async_trait]
impl Speech for FakeSpeech {
    async fn say(&self, line: Line) -> Result<Encoded, SpeechError> {
        let frame = [line.format.silence(); domain::audio::FRAME_BYTES];
        Ok(Encoded { format: line.format, frames: vec![frame].into() })
    }
}

/// Nobody answers in these tests, so nobody talks, and nothing is recorded.
pub(crate) struct Unanswered;

impl VoiceAgent for Unanswered {
    fn open(&self, _spec: AgentSpec) -> Box<dyn AgentSession> {
        unreachable!("the assistants of these tests follow scripts")
    }
}

impl Recorder for Unanswered {
    fn begin(&self, _call: CallId, _sound: Option<AudioFormat>) -> Box<dyn Recording> {
        unreachable!("nobody answers in these tests")
    }
}
