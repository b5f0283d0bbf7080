//! An AI in the test's hands, and the record of what was said.

use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use domain::audio::{AudioFormat, Frame};
use domain::call::{Fact, TranscriptEntry};
use domain::ids::CallId;
use domain::ports::{AgentEvent, AgentOrder, AgentSession, AgentSpec, Recorder, Recording, VoiceAgent};
use tokio::sync::mpsc;

/// What an agent got.
#[derive(Clone, Debug, PartialEq)]
pub enum Got {
    Opened { instructions: String },
    Began(AudioFormat),
    Heard(Option<Frame>),
    Order(AgentOrder),
    Dropped,
}

/// The provider: one session a test.
pub struct Provider {
    got: mpsc::UnboundedSender<Got>,
    events: Mutex<Option<mpsc::UnboundedReceiver<AgentEvent>>>,
}

/// The test's end of the session.
pub struct Mind {
    pub provider: Arc<Provider>,
    events: mpsc::UnboundedSender<AgentEvent>,
    got: mpsc::UnboundedReceiver<Got>,
}

impl Mind {
    pub fn new() -> Self {
        let (sender, got) = mpsc::unbounded_channel();
        let (events, told) = mpsc::unbounded_channel();
        let provider = Provider { got: sender, events: Mutex::new(Some(told)) };
        Self { provider: Arc::new(provider), events, got }
    }

    pub fn tells(&self, event: AgentEvent) {
        self.events.send(event).unwrap();
    }

    /// Breaks the task that polls the session.
    pub fn leaves(&mut self) {
        self.events = mpsc::unbounded_channel().0;
    }

    /// The next thing that it gets, beside audio.
    pub async fn gets(&mut self) -> Got {
        loop {
            let got = self.got.recv().await.unwrap();
            if !matches!(got, Got::Heard(_)) {
                return got;
            }
        }
    }

    /// Waits until it hears this frame.
    pub async fn hears(&mut self, frame: Frame) {
        while self.got.recv().await.unwrap() != Got::Heard(Some(frame)) {}
    }
}

impl VoiceAgent for Provider {
    fn open(&self, spec: AgentSpec) -> Box<dyn AgentSession> {
        let events = self.events.lock().unwrap().take().expect("one session a test");
        self.got.send(Got::Opened { instructions: spec.instructions }).unwrap();
        Box::new(Session { events, got: self.got.clone() })
    }
}

struct Session {
    events: mpsc::UnboundedReceiver<AgentEvent>,
    got: mpsc::UnboundedSender<Got>,
}

impl AgentSession for Session {
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<AgentEvent> {
        self.events.poll_recv(cx).map(|event| event.expect("the test let the agent go"))
    }

    fn begin(&mut self, format: AudioFormat) {
        let _ = self.got.send(Got::Began(format));
    }

    fn hear(&mut self, frame: Option<&Frame>) {
        let _ = self.got.send(Got::Heard(frame.copied()));
    }

    fn order(&mut self, order: AgentOrder) {
        let _ = self.got.send(Got::Order(order));
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.got.send(Got::Dropped);
    }
}

/// What was recorded of the test's call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Taped {
    pub call: Option<CallId>,
    pub format: Option<AudioFormat>,
    pub heard: usize,
    pub played: usize,
    pub beats: usize,
    pub transcript: Vec<TranscriptEntry>,
    pub facts: Vec<Fact>,
    pub complete: bool,
}

/// Records in memory.
#[derive(Clone, Default)]
pub struct Tape(Arc<Mutex<Taped>>);

impl Tape {
    pub fn taped(&self) -> Taped {
        self.0.lock().unwrap().clone()
    }
}

impl Recorder for Tape {
    fn begin(&self, call: CallId, sound: Option<AudioFormat>) -> Box<dyn Recording> {
        let mut taped = self.0.lock().unwrap();
        (taped.call, taped.format) = (Some(call), sound);
        Box::new(Running(self.clone()))
    }
}

struct Running(Tape);

impl Recording for Running {
    fn sound(&mut self, heard: Option<&Frame>, played: Option<&Frame>) {
        let mut taped = self.0.0.lock().unwrap();
        taped.beats += 1;
        taped.heard += usize::from(heard.is_some());
        taped.played += usize::from(played.is_some());
    }

    fn turn(&mut self, entry: TranscriptEntry) {
        self.0.0.lock().unwrap().transcript.push(entry);
    }

    fn fact(&mut self, fact: Fact) {
        self.0.0.lock().unwrap().facts.push(fact);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.0.lock().unwrap().complete = true;
    }
}
