//! Receivers, resolvers and callbacks for the tests.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

pub mod decoy;
pub mod receiver;
pub mod tls;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::callback::{CallbackDraft, CallbackUrl, SigningSecrets};
use domain::ids::CallId;
use domain::network::{AddressPolicy, Network};
use domain::ports::{ClaimedCallback, Clock};
use domain::secret::Secret;
use egress::Resolve;
use time::OffsetDateTime;
use webhooks::{CallbackClient, Settings};

pub const CALL: &str = "0198d0a0-7c00-7000-8000-00000000002a";
pub const BODY: &[u8] = br#"{"event":"call.completed","dynamicVariables":{"caf\u00e9":"\ud83d\udcde  x"}}"#;
pub const SECRET: &[u8] = b"twenty-four secret bytes";
/// When the tests' tries take place.
pub const NOW: i64 = 1_767_225_600;

pub struct Noon;

impl Clock for Noon {
    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(NOW).unwrap() + Duration::from_millis(999)
    }

    fn since_boot(&self) -> Duration {
        Duration::ZERO
    }
}

/// A callback as the queue hands it out.
pub fn callback(url: &str) -> ClaimedCallback {
    let prepared_at = OffsetDateTime::from_unix_timestamp(NOW - 36).unwrap();
    ClaimedCallback {
        call: CallId::parse(CALL).unwrap(),
        draft: CallbackDraft {
            url: CallbackUrl::from_stored(url).unwrap_or_else(|| panic!("{url} is a URL")),
            body: BODY.to_vec(),
            prepared_at,
        },
        tries_before: 0,
        secrets: SigningSecrets { current: Secret::new(SECRET.to_vec()), previous: None },
    }
}

pub fn allowing(networks: &[&str]) -> AddressPolicy {
    let allowed = networks.iter().map(|text| Network::parse(text).unwrap()).collect();
    AddressPolicy { allowed, own: Vec::new() }
}

/// A client under test: strict, patient and trusting nobody, until told otherwise.
pub struct Client {
    pub policy: AddressPolicy,
    pub tls: Arc<rustls::ClientConfig>,
    pub try_limit: Duration,
    pub resolver: Arc<dyn Resolve>,
}

impl Default for Client {
    fn default() -> Self {
        Self {
            policy: AddressPolicy::default(),
            tls: tls::trusting_nobody(),
            try_limit: domain::callback::TRY_LIMIT,
            resolver: Arc::new(NoNames),
        }
    }
}

impl Client {
    pub fn build(self) -> CallbackClient {
        let settings = Settings {
            policy: self.policy,
            tls: self.tls,
            user_agent: "Callwright/1.2.3".into(),
            try_limit: self.try_limit,
        };
        CallbackClient::with_resolver(settings, Arc::new(Noon), self.resolver).unwrap()
    }
}

/// Knows no name.
pub struct NoNames;

#[async_trait]
impl Resolve for NoNames {
    async fn resolve(&self, host: &str, _port: u16) -> io::Result<Vec<SocketAddr>> {
        Err(io::Error::other(format!("nobody should have asked for {host}")))
    }
}

/// Answers each lookup with the next list of addresses, and the last one for ever.
pub struct Names {
    answers: Vec<Vec<&'static str>>,
    pub asked: AtomicUsize,
}

impl Names {
    pub fn always(addresses: &[&'static str]) -> Arc<Self> {
        Self::turning(&[addresses])
    }

    pub fn turning(answers: &[&[&'static str]]) -> Arc<Self> {
        let answers = answers.iter().map(|answer| answer.to_vec()).collect();
        Arc::new(Self { answers, asked: AtomicUsize::new(0) })
    }
}

#[async_trait]
impl Resolve for Names {
    async fn resolve(&self, _host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst).min(self.answers.len() - 1);
        Ok(self.answers[turn].iter().map(|text| SocketAddr::new(text.parse().unwrap(), port)).collect())
    }
}
