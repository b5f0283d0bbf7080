//! What a live call takes from the heap in a beat: sockets and jitter buffer, voice and tone detection,
//! the conversation, the recording, and the session of a Realtime provider, together as a call has them.
//! What is counted is counted by thread: the media thread's, and that of the session's task.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "tests say what they mean"
)]

#[path = "realtime/support/mod.rs"]
mod support;

use std::future::poll_fn;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::mpsc;
use std::task::Poll;
use std::thread;

use allocation_counter::measure;
use conversation::{Conversation, Input, Millis, Opening, Output};
use domain::assistant::filling::Filling;
use domain::assistant::{Agent, Assistant, Brain, CallLimits, Conduct, Engine, Language, Persona};
use domain::audio::AudioFormat;
use domain::ids::{AssistantId, CallId, OrganizationId, TenantId};
use domain::ports::{
    AgentEvent, AgentSession, Detects, Entropy, HeardFrame, Recorder, Recording, VoiceAgent,
};
use domain::variables::Variables;
use media::{
    Direction, DiskRecorder, MediaEvent, Negotiated, PortRange, RtpSocket, Seeds, Session, SourcePolicy,
};
use test_realtime::{Double, Options};
use time::OffsetDateTime;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use url::Url;
use uuid::Uuid;
use voice::{Engines, Timeouts};

/// Fifteen seconds of speech.
const FIRST: &str = "Hello, this is the office of the lake company. We have a new boat, which is white and \
    rather long, and we would like to know whether you want to see it this week or the week after. It lies in \
    the old harbour, next to the lighthouse, and there is coffee and cake for everyone who comes.";
const FORMAT: AudioFormat = AudioFormat::Pcmu;

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// A provider on a thread of its own.
fn provider() -> Url {
    let (sender, address) = mpsc::channel();
    thread::spawn(move || {
        runtime().block_on(async {
            let double = Double::start(Options::default()).await;
            sender.send(double.url()).unwrap();
            std::future::pending::<()>().await;
        });
    });
    address.recv().unwrap()
}

/// Lets the search for a port begin at the first one.
struct FromTheFirst;

impl Entropy for FromTheFirst {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

fn socket() -> RtpSocket {
    PortRange::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 20_000..=60_999).bind(&FromTheFirst).unwrap()
}

fn leg(socket: RtpSocket, ssrc: u32, remote: SocketAddr) -> Session {
    let mut leg = Session::new(socket, Seeds { ssrc, sequence: 1, timestamp: 1, cname: "leg".to_owned() });
    leg.start(Negotiated {
        format: FORMAT,
        payload_type: 0,
        telephone_event: Some(101),
        remote,
        direction: Direction::SendReceive,
        protection: None,
        sources: SourcePolicy::default(),
        detects: Detects::ALL,
    });
    leg
}

/// A callee who says nothing, on a thread of its own.
fn silent_callee(socket: RtpSocket, remote: SocketAddr) {
    thread::spawn(move || {
        runtime().block_on(async {
            let mut leg = leg(socket, 2, remote);
            loop {
                if let MediaEvent::Heard(_) = poll_fn(|cx| leg.poll_event(cx)).await {
                    leg.play(None);
                }
            }
        });
    });
}

fn assistant(brain: Brain) -> Assistant {
    let persona = Persona {
        instructions: "You sell boats.".into(),
        first_message: Some(FIRST.into()),
        fallback_line: None,
        tools: [].into(),
        transfer_targets: vec![],
    };
    Assistant {
        id: AssistantId::from_uuid(Uuid::nil()),
        tenant: TenantId::from_uuid(Uuid::nil()),
        organization: OrganizationId::from_uuid(Uuid::nil()),
        name: "Boats".into(),
        team: None,
        engine: Engine::Agent(Box::new(Agent { persona, brain })),
        language: Language::EnglishUnitedStates,
        limits: CallLimits::default(),
        conduct: Conduct::default(),
        variables: Variables::new(),
        created_at: OffsetDateTime::UNIX_EPOCH,
    }
}

struct LiveCall {
    leg: Session,
    agent: Box<dyn AgentSession>,
    conversation: Conversation,
    recording: Box<dyn Recording>,
    now: u64,
}

enum Wake {
    Beat(HeardFrame),
    Agent(AgentEvent),
}

impl LiveCall {
    async fn next(&mut self) -> Wake {
        poll_fn(|cx| {
            if let Poll::Ready(MediaEvent::Heard(heard)) = self.leg.poll_event(cx) {
                return Poll::Ready(Wake::Beat(heard));
            }
            self.agent.poll_event(cx).map(Wake::Agent)
        })
        .await
    }

    /// Goes on for so many beats; in how many of them the assistant spoke, and what its provider told.
    async fn beats(&mut self, count: usize) -> (usize, usize) {
        let (mut beats, mut spoken, mut told) = (0, 0, 0);
        while beats < count {
            match self.next().await {
                Wake::Beat(heard) => {
                    beats += 1;
                    self.now += 20;
                    self.agent.hear(heard.audio.as_ref());
                    let input = Input::Heard { speech: heard.speech, tone: heard.tone };
                    self.conversation.handle(Millis(self.now), input);
                    let mut frame = None;
                    self.drain(&mut frame);
                    self.recording.sound(heard.audio.as_ref(), frame.as_ref());
                    self.leg.play(frame.as_ref());
                    spoken += usize::from(frame.is_some());
                }
                Wake::Agent(event) => {
                    told += 1;
                    self.conversation.handle(Millis(self.now), Input::Agent(event));
                    self.drain(&mut None);
                }
            }
        }
        (spoken, told)
    }

    fn drain(&mut self, frame: &mut Option<domain::audio::Frame>) {
        while let Some(output) = self.conversation.next_output() {
            match output {
                Output::Play(next) => *frame = Some(next),
                Output::Agent(order) => self.agent.order(order),
                Output::Fact(fact) => self.recording.fact(fact),
                _ => {}
            }
        }
    }
}

#[test]
fn a_beat_of_a_live_call_takes_nothing_from_the_heap() {
    let endpoint = provider();
    let realtime = support::realtime(endpoint);
    let assistant = assistant(Brain::Realtime(realtime.clone()));
    let (sender, opened) = mpsc::channel();
    let (start, began) = oneshot::channel::<()>();
    let (end, ended) = oneshot::channel::<()>();
    let control = thread::spawn(move || {
        let runtime = runtime();
        runtime.block_on(async {
            let engines = Engines::new(support::settings(Timeouts::default()));
            sender.send(engines.open(support::spec(realtime))).unwrap();
            began.await.unwrap();
        });
        measure(|| runtime.block_on(ended).unwrap()).count_total
    });

    let runtime = runtime();
    let folder = tempfile::tempdir().unwrap();
    let recorder = DiskRecorder::open(folder.path()).unwrap();
    let id = CallId::parse("0199a5c0-0000-7000-8000-00000000000a").unwrap();
    let (here, there) = (socket(), socket());
    let (ours, theirs) = (here.local_addr(), there.local_addr());
    silent_callee(there, ours);
    let mut agent = opened.recv().unwrap();
    agent.begin(FORMAT);
    let filling = Filling::for_call(&assistant, None, &Variables::new()).unwrap();
    let mut call = LiveCall {
        leg: leg(here, 1, theirs),
        agent,
        conversation: Conversation::begin(Opening {
            assistant: &assistant,
            filling: &filling,
            format: FORMAT,
        }),
        recording: recorder.begin(id, Some(FORMAT)),
        now: 0,
    };
    // Until the provider has said all, which is played for long after.
    let (spoken, told) = runtime.block_on(call.beats(200));
    assert!(spoken > 100 && told > 50, "{spoken} frames, {told} events");
    start.send(()).unwrap();
    let mut beats = (0, 0);
    let taken = measure(|| beats = runtime.block_on(call.beats(300))).count_total;
    end.send(()).unwrap();
    let by_session = control.join().unwrap();
    assert_eq!(beats, (300, 0), "frames and events");
    println!("300 beats: {taken} allocations on the media thread, {by_session} in the session's task");
    assert_eq!(taken, 0, "on the media thread");
    // It writes events into one buffer after the other, each of which holds some sixty.
    assert!(by_session <= 15, "{by_session} in the session's task");
}
