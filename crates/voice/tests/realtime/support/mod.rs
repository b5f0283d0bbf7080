//! A call's side of a session, as a conversation has it, and the engines under test.

pub mod tls;

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use domain::assistant::tool::{Tool, ToolForm};
use domain::assistant::{
    AllowedTenants, BoundKey, Brain, Credential, CredentialName, Credentials, Dialect, Language, Provider,
    ProviderKey, Realtime,
};
use domain::audio::{AudioFormat, FRAME_BYTES};
use domain::ids::{CallId, TenantId};
use domain::network::{AddressPolicy, Network, Origin};
use domain::ports::{AgentEvent, AgentOrder, AgentSession, AgentSpec, UtteranceId, VoiceAgent};
use domain::secret::Secret;
use test_realtime::Double;
use tokio::runtime::Handle;
use tokio::time::timeout;
use url::Url;
use voice::{Engines, Settings, Timeouts};

/// What is waited for happens within this time, or something is wrong.
pub const PATIENCE: Duration = Duration::from_mins(1);
/// Shorter than in production, long enough for a busy machine.
pub const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(4),
    ready: Duration::from_secs(50),
    stall: Duration::from_secs(50),
    quiet: Duration::from_secs(15),
    between_reconnects: Duration::ZERO,
};

/// Whose assistant speaks.
pub const TENANT: TenantId = TenantId::from_uuid(uuid::Uuid::from_u128(1));

/// The credential `realtime` of [`TENANT`], which may be sent to this endpoint.
pub fn credential(endpoint: &Url) -> Credential {
    Credential {
        name: credential_name(),
        variable: Some("REALTIME_KEY".to_owned()),
        origins: Origin::of(endpoint).into_iter().collect(),
        tenants: AllowedTenants::Only([TENANT].into()),
    }
}

pub fn credential_name() -> CredentialName {
    CredentialName::parse("realtime").unwrap()
}

/// A key that is stored for the endpoint's origin.
pub fn stored(key: &str, endpoint: &Url) -> ProviderKey {
    ProviderKey::Stored(BoundKey::new(Secret::new(key.to_owned()), Origin::of(endpoint).unwrap()))
}

pub fn settings(timeouts: Timeouts) -> Settings {
    let allowed = vec![Network::parse("127.0.0.0/8").unwrap()];
    Settings {
        control: Handle::current(),
        policy: AddressPolicy { allowed, own: Vec::new() },
        tls: tls::trusting_nobody(),
        credentials: Credentials::default(),
        secrets: [(credential_name(), Secret::new("from-the-environment".to_owned()))].into(),
        timeouts,
    }
}

pub fn realtime(endpoint: Url) -> Realtime {
    Realtime {
        provider: Provider { endpoint, model: "gpt-realtime".to_owned(), key: ProviderKey::None },
        dialect: Dialect::OpenAi,
        voice: Some("marin".to_owned()),
        transcription_model: Some("gpt-4o-transcribe".to_owned()),
    }
}

pub fn spec(realtime: Realtime) -> AgentSpec {
    AgentSpec {
        call: CallId::parse("01890a5d-ac96-774b-bcce-b302099a8057").unwrap(),
        tenant: TENANT,
        brain: Brain::Realtime(realtime),
        instructions: "You sell nothing.".to_owned(),
        language: Language::EnglishUnitedStates,
        tools: vec![ToolForm {
            tool: Tool::EndCall,
            description: "Hang up.".to_owned(),
            parameters: serde_json::json!({"type": "object", "properties": {}}),
        }],
    }
}

/// A call in the middle of a session.
pub struct Call {
    pub session: Box<dyn AgentSession>,
    pub format: AudioFormat,
    /// What it told so far.
    pub told: Vec<AgentEvent>,
    /// Which of the double's connections hears it now.
    pub connection: usize,
    /// How many bytes of the double's it has made it hear, by connection.
    sent: [usize; 4],
}

impl Call {
    /// A call that rings.
    pub fn open(engines: &Engines, realtime: Realtime) -> Self {
        Self {
            session: engines.open(spec(realtime)),
            format: AudioFormat::Pcmu,
            told: Vec::new(),
            connection: 0,
            sent: [0; 4],
        }
    }

    /// A call that is answered, with its session ready.
    pub async fn ready(double: &Double) -> Self {
        Self::with(double, TIMEOUTS, |_| {}).await
    }

    pub async fn with(double: &Double, timeouts: Timeouts, change: impl FnOnce(&mut Realtime)) -> Self {
        let mut realtime = realtime(double.url());
        change(&mut realtime);
        let mut settings = settings(timeouts);
        settings.credentials = Credentials::new(vec![credential(&double.url())]);
        let mut call = Self::open(&Engines::new(settings), realtime);
        call.begin(AudioFormat::Pcmu).await;
        call
    }

    pub async fn begin(&mut self, format: AudioFormat) {
        self.format = format;
        self.session.begin(format);
        assert_eq!(self.next().await, AgentEvent::Ready { detects_speech: true });
    }

    pub async fn next(&mut self) -> AgentEvent {
        let next = timeout(PATIENCE, poll_fn(|cx| self.session.poll_event(cx))).await;
        let next = next.unwrap_or_else(|_| panic!("nothing more is told after {:?}", self.words()));
        self.told.push(next.clone());
        next
    }

    /// What is told until something is, that with it.
    pub async fn until(&mut self, mut wanted: impl FnMut(&AgentEvent) -> bool) -> Vec<AgentEvent> {
        let from = self.told.len();
        while !wanted(&self.next().await) {}
        self.told[from..].to_vec()
    }

    pub async fn answered(&mut self) -> Vec<AgentEvent> {
        self.until(|event| *event == AgentEvent::Answered).await
    }

    /// Why the session broke.
    pub async fn broken(&mut self) -> String {
        match self.until(|event| matches!(event, AgentEvent::Broken { .. })).await.pop() {
            Some(AgentEvent::Broken { cause }) => cause.to_string(),
            other => panic!("not broken: {other:?}"),
        }
    }

    pub fn order(&mut self, order: AgentOrder) {
        self.session.order(order);
    }

    pub fn say(&mut self, text: &str) {
        self.order(AgentOrder::Say { text: text.to_owned() });
    }

    pub fn interrupt(&mut self, utterance: u64, heard_ms: u64, text: &str) {
        self.order(AgentOrder::Interrupt {
            utterance: UtteranceId(utterance),
            heard: Duration::from_millis(heard_ms),
            text: text.to_owned(),
        });
    }

    /// The callee makes this sound; it goes on when the double has heard it.
    pub async fn speak(&mut self, double: &Double, bytes: &[u8], sent_as: usize) {
        let connection = self.connection;
        for frames in bytes.chunks(10 * FRAME_BYTES) {
            for frame in frames.chunks_exact(FRAME_BYTES) {
                self.session.hear(Some(frame.try_into().unwrap()));
            }
            self.sent[connection] += frames.len() / FRAME_BYTES * FRAME_BYTES * sent_as;
            let sent = self.sent[connection];
            let heard = |record: &test_realtime::Record| {
                record.sound.get(connection).is_some_and(|sound| sound.len() >= sent)
            };
            double.until("hearing", heard).await;
        }
    }

    /// The callee says a line in a German voice, and pauses for a second.
    pub async fn say_aloud(&mut self, double: &Double, text: &str) {
        let mut sound = encoded(self.format, &test_realtime::say(Language::German, text));
        sound.resize(sound.len().div_ceil(FRAME_BYTES) * FRAME_BYTES + 8_000, self.format.silence());
        self.speak(double, &sound, 1).await;
    }

    /// The bytes of an utterance.
    pub fn audio(&self, of: u64) -> Vec<u8> {
        let audio = self.told.iter().filter_map(|event| match event {
            AgentEvent::Audio { utterance: UtteranceId(id), audio } if *id == of => Some(&audio[..]),
            _ => None,
        });
        audio.collect::<Vec<_>>().concat()
    }

    /// All that was told but sound, as words for people.
    pub fn words(&self) -> Vec<String> {
        words(&self.told)
    }
}

/// All that was told but sound; words of one utterance are joined.
pub fn words(told: &[AgentEvent]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut joined = false;
    for event in told {
        match event {
            AgentEvent::Audio { .. } => continue,
            AgentEvent::Words { utterance, text } => {
                match lines.last_mut().filter(|_| joined) {
                    Some(line) => line.push_str(text),
                    None => lines.push(format!("{}: {text}", utterance.0)),
                }
                joined = true;
                continue;
            }
            AgentEvent::UtteranceEnded(utterance) => lines.push(format!("{} ended", utterance.0)),
            AgentEvent::SpeechStarted(turn) => lines.push(format!("turn {} began", turn.0)),
            AgentEvent::SpeechStopped(turn) => lines.push(format!("turn {} ended", turn.0)),
            AgentEvent::Recognised { turn, text } => lines.push(format!("turn {}: {text}", turn.0)),
            AgentEvent::ToolCalled { name, arguments, .. } => lines.push(format!("{name} {arguments}")),
            other => lines.push(format!("{other:?}")),
        }
        joined = false;
    }
    lines
}

pub fn encoded(format: AudioFormat, samples: &[i16]) -> Vec<u8> {
    samples.iter().map(|sample| media::g711::encode(format, *sample)).collect()
}

pub fn decoded(format: AudioFormat, bytes: &[u8]) -> Vec<i16> {
    bytes.iter().map(|byte| media::g711::decode(format, *byte)).collect()
}

/// How alike two sounds are, 1 being the same, when one is moved against the other by up to 60 ms.
pub fn likeness(a: &[i16], b: &[i16]) -> f64 {
    let alike = |a: &[i16], b: &[i16]| {
        let dot = |x: &[i16], y: &[i16]| -> f64 {
            x.iter().zip(y).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
        };
        let length = a.len().min(b.len());
        let (a, b) = (&a[..length], &b[..length]);
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt().max(1.0)
    };
    let moved = (0..480).flat_map(|by| {
        [alike(a.get(by..).unwrap_or_default(), b), alike(a, b.get(by..).unwrap_or_default())]
    });
    moved.fold(0.0, f64::max)
}

pub fn engines(timeouts: Timeouts) -> Arc<Engines> {
    Arc::new(Engines::new(settings(timeouts)))
}
