//! A session with the double, as a call has it.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use audio_codec_algorithms::{decode_ulaw, encode_ulaw};
use domain::assistant::tool::{self, Tool, ToolForm};
use domain::assistant::{
    AllowedTenants, BoundKey, Brain, Cascade, Credential, CredentialName, Credentials, Language, Persona,
    Provider, ProviderKey,
};
use domain::audio::{AudioFormat, FRAME_BYTES, Frame};
use domain::ids::{CallId, TenantId};
use domain::network::{AddressPolicy, Network, Origin};
use domain::ports::{AgentEvent, AgentOrder, AgentSession, AgentSpec, TurnId, UtteranceId, VoiceAgent};
use domain::secret::Secret;
use egress::Resolve;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use test_providers::{Providers, Service, Settings};
use tokio::runtime::Handle;
use tokio::time::timeout;
use url::Url;
use voice::{Engines, Timeouts};

/// Longer than anything here takes.
const PATIENT: Duration = Duration::from_secs(20);
/// How long a provider may be silent in these tests.
pub(crate) const STALL: Duration = Duration::from_secs(1);

/// Engines that may call 127.0.0.1, if `allowed`, and know no name but those that lead there.
pub(crate) fn engines(allowed: bool) -> Engines {
    engines_with(allowed, Timeouts { stall: STALL, ..Timeouts::default() }, Credentials::default())
}

/// The same with the operator's credentials, each of which has the key `sk-credential`.
pub(crate) fn engines_of(credentials: Vec<Credential>) -> Engines {
    engines_with(true, Timeouts { stall: STALL, ..Timeouts::default() }, Credentials::new(credentials))
}

/// The credential `shared`, which this tenant's assistants may have sent to this endpoint.
pub(crate) fn credential(endpoint: &Url, tenant: TenantId) -> Credential {
    Credential {
        name: credential_name(),
        variable: Some("SHARED_KEY".to_owned()),
        origins: Origin::of(endpoint).into_iter().collect(),
        tenants: AllowedTenants::Only([tenant].into()),
    }
}

pub(crate) fn credential_name() -> CredentialName {
    CredentialName::parse("shared").unwrap()
}

/// A key that is stored for the endpoint's origin.
pub(crate) fn stored(key: &str, endpoint: &Url) -> ProviderKey {
    ProviderKey::Stored(BoundKey::new(Secret::new(key.to_owned()), Origin::of(endpoint).unwrap()))
}

fn engines_with(allowed: bool, timeouts: Timeouts, credentials: Credentials) -> Engines {
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    let networks = if allowed { vec![Network::parse("127.0.0.0/8").unwrap()] } else { Vec::new() };
    let settings = voice::Settings {
        control: Handle::current(),
        policy: AddressPolicy { allowed: networks, own: Vec::new() },
        tls: Arc::new(tls),
        credentials,
        secrets: [(credential_name(), Secret::new("sk-credential".to_owned()))].into(),
        timeouts,
    };
    Engines::with_resolver(settings, Arc::new(Home))
}

struct Home;

#[async_trait::async_trait]
impl Resolve for Home {
    async fn resolve(&self, _host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        Ok(vec![SocketAddr::from(([127, 0, 0, 1], port))])
    }
}

/// What a session is told; the tools are the keys and hanging up.
pub(crate) fn spec(endpoint: &Url, key: &ProviderKey) -> AgentSpec {
    spec_of([(); 3].map(|()| (endpoint.clone(), key.clone())))
}

/// Whose assistant speaks.
pub(crate) const TENANT: TenantId = TenantId::from_uuid(uuid::Uuid::from_u128(1));

/// The same with a language model, a recogniser and a voice of its own.
pub(crate) fn spec_of(services: [(Url, ProviderKey); 3]) -> AgentSpec {
    let provider = |(endpoint, key), model: &str| Provider { endpoint, model: model.to_owned(), key };
    let [chat, transcription, speech] = services;
    AgentSpec {
        call: CallId::parse("0198d0a0-7c00-7000-8000-00000000002a").unwrap(),
        tenant: TENANT,
        brain: Brain::Cascade(Cascade {
            chat: provider(chat, "thinker"),
            transcription: provider(transcription, "listener"),
            speech: provider(speech, "speaker"),
            voice: "nova".to_owned(),
        }),
        instructions: "Be kind.".to_owned(),
        language: Language::EnglishUnitedStates,
        tools: tools(),
    }
}

fn tools() -> Vec<ToolForm> {
    let persona = Persona {
        instructions: String::new(),
        first_message: None,
        fallback_line: None,
        tools: [Tool::EndCall, Tool::SendDtmf].into(),
        transfer_targets: Vec::new(),
    };
    tool::forms(&persona, &[])
}

/// A call in µ-law that has been answered.
pub(crate) struct Call {
    pub(crate) providers: Providers,
    session: Box<dyn AgentSession>,
}

impl Call {
    pub(crate) async fn with(settings: Settings) -> Self {
        Self::over(settings, engines(true)).await
    }

    /// With the patience of production.
    pub(crate) async fn patient(settings: Settings) -> Self {
        Self::over(settings, engines_with(true, Timeouts::default(), Credentials::default())).await
    }

    async fn over(settings: Settings, engines: Engines) -> Self {
        let key = settings.key.clone();
        let providers = Providers::start(settings).await;
        let key = key.map_or(ProviderKey::None, |key| stored(&key, &providers.endpoint()));
        let session = engines.open(spec(&providers.endpoint(), &key));
        let mut call = Self { providers, session };
        call.session.begin(AudioFormat::Pcmu);
        assert_eq!(call.event().await, AgentEvent::Ready { detects_speech: false });
        call
    }

    pub(crate) async fn event(&mut self) -> AgentEvent {
        next(&mut *self.session).await
    }

    pub(crate) fn order(&mut self, order: AgentOrder) {
        self.session.order(order);
    }

    /// The callee makes a sound of `frames` times 20 ms, each sample of which is `level`. It takes as
    /// long as it lasts, so that nothing is dropped.
    pub(crate) async fn hears(&mut self, level: i16, frames: usize) {
        let frame: Frame = [encode_ulaw(level); FRAME_BYTES];
        let mut beat = tokio::time::interval(Duration::from_millis(20));
        for _ in 0..frames {
            beat.tick().await;
            self.session.hear(Some(&frame));
        }
    }

    /// The callee says this, in 8,000 samples a second; it takes as long as it lasts.
    pub(crate) async fn hears_samples(&mut self, samples: &[i16]) {
        let mut beat = tokio::time::interval(Duration::from_millis(20));
        for samples in samples.chunks_exact(FRAME_BYTES) {
            beat.tick().await;
            let mut frame: Frame = [0; FRAME_BYTES];
            frame.iter_mut().zip(samples).for_each(|(byte, sample)| *byte = encode_ulaw(*sample));
            self.session.hear(Some(&frame));
        }
    }

    /// A turn of 0.2 s, which is answered.
    pub(crate) async fn turn(&mut self, turn: u64) {
        self.order(AgentOrder::TurnBegan(TurnId(turn)));
        self.hears(1000, 10).await;
        self.order(AgentOrder::TurnEnded(TurnId(turn)));
        self.order(AgentOrder::Answer);
    }

    /// All events up to `Answered`, or to the session's end.
    pub(crate) async fn answer(&mut self) -> Told {
        let mut told = Told::default();
        self.listen(&mut told, |_| false).await;
        told
    }

    /// More events, until that is enough, or all.
    pub(crate) async fn listen(&mut self, told: &mut Told, enough: impl Fn(&Told) -> bool) {
        while !enough(told) {
            match self.event().await {
                AgentEvent::Answered => return,
                AgentEvent::Broken { cause } => {
                    told.broken = Some(cause.to_string());
                    return;
                }
                event => told.take(event),
            }
        }
    }

    /// The callee is gone; the double remains.
    pub(crate) fn hang_up(self) -> Providers {
        self.providers
    }

    /// What the messages of a request to the model are, without the task.
    pub(crate) fn messages(&self, request: usize) -> Vec<serde_json::Value> {
        let seen = self.providers.seen(Service::Chat);
        seen[request].body["messages"].as_array().unwrap()[1..].to_vec()
    }

    /// Waits until the double was asked so often.
    pub(crate) async fn asked(&self, service: Service, times: usize) {
        let asked = async {
            while self.providers.seen(service).len() < times {
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENT, asked).await.expect("the double is asked");
    }
}

pub(crate) async fn next(session: &mut dyn AgentSession) -> AgentEvent {
    timeout(PATIENT, poll_fn(|cx| session.poll_event(cx))).await.expect("an event")
}

/// What came of an order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) recognised: Vec<(TurnId, String)>,
    pub(crate) utterance: Option<UtteranceId>,
    pub(crate) words: String,
    pub(crate) audio: Vec<u8>,
    pub(crate) tools: Vec<(String, String, String)>,
    pub(crate) ended: bool,
    pub(crate) broken: Option<String>,
}

impl Told {
    fn take(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::Recognised { turn, text } => self.recognised.push((turn, text)),
            AgentEvent::Words { utterance, text } => {
                self.is(utterance);
                self.words.push_str(&text);
            }
            AgentEvent::Audio { utterance, audio } => {
                self.is(utterance);
                assert!(!self.words.is_empty() && !audio.is_empty());
                self.audio.extend(audio);
            }
            AgentEvent::UtteranceEnded(utterance) => {
                self.is(utterance);
                self.ended = true;
            }
            AgentEvent::ToolCalled { id, name, arguments } => self.tools.push((id, name, arguments)),
            other => panic!("{other:?}"),
        }
    }

    /// There is one utterance, and nothing comes after its end.
    fn is(&mut self, utterance: UtteranceId) {
        assert!(!self.ended);
        assert_eq!(*self.utterance.get_or_insert(utterance), utterance);
    }

    /// What the callee hears.
    pub(crate) fn samples(&self) -> Vec<i16> {
        self.audio.iter().map(|byte| decode_ulaw(*byte)).collect()
    }

    /// The loudest tone of each piece of `text`, as its sound has it, by counting its waves.
    pub(crate) fn pitches(&self, sentences: &[&str]) -> Vec<u32> {
        let samples = self.samples();
        let mut at = 0;
        sentences
            .iter()
            .map(|sentence| {
                let length = sentence.chars().count() * 80;
                // Not near the borders, where the filter mixes neighbours.
                let middle = &samples[at + length / 4..at + length * 3 / 4];
                at += length;
                let rising = middle.windows(2).filter(|pair| pair[0] < 0 && pair[1] >= 0).count();
                let hertz = rising as f64 * 8_000.0 / middle.len() as f64;
                (hertz / 100.0).round() as u32 * 100
            })
            .collect()
    }
}
