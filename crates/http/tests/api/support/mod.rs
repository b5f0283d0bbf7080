//! A whole service for one test.

pub(crate) mod contract;
pub(crate) mod log;
pub(crate) mod organization;
pub(crate) mod store;
pub(crate) mod telephone;
pub(crate) mod valid;
pub(crate) mod wire;

use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ::artifacts::LocalArtifacts;
use application::authenticate::Authenticate;
use application::conclude_call::ConcludeCall;
use application::create_organization::CreateOrganization;
use application::deliver_callbacks::DeliverCallbacks;
use application::in_flight::InFlight;
use application::keep_node::{KeepNode, NodeLease};
use application::keys;
use application::place_call::PlaceCall;
use application::replace_metadata::ReplaceMetadata;
use application::run_call::RunCall;
use application::supervisor::CallSupervisor;
use application::take_over::TakeOver;
use domain::access::{ApiKey, KeyLevel, Permission};
use domain::ids::{KeyId, NewId};
use domain::network::{AddressPolicy, Network};
use domain::ports::{Access, Artifacts, Clock, Entropy, FixedKeys, SignedFiles};
use domain::scope::Scope;
use domain::testing::deed;
use futures_util::FutureExt;
use http_api::{
    Front, Gate, Listen, MemoryWindow, Pages, Readiness, SMALLEST_LIMIT, Service, Stopper, TrustedProxies,
    serve,
};
use json_schema::JsonSchemaJudge;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tempfile::TempDir;
use time::OffsetDateTime;
use tokio::runtime::Handle;
use url::Url;

use store::{BOOT, Nowhere, Store};
use telephone::{FakeSpeech, FakeTelephony, Unanswered};
use wire::Request;

/// A clock that only moves when told.
#[derive(Debug)]
pub(crate) struct TestClock(AtomicI64);

impl TestClock {
    /// 2026-03-01T09:30:00.000Z
    pub(crate) const START_MS: i64 = 1_772_357_400_000;

    pub(crate) fn advance(&self, by: Duration) {
        self.0.fetch_add(i64::try_from(by.as_millis()).unwrap(), Ordering::SeqCst);
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

impl Clock for TestClock {
    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.now_ms()) * 1_000_000).unwrap()
    }

    fn since_boot(&self) -> Duration {
        Duration::from_secs(100)
    }
}

/// Different bytes each time, without chance.
#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Entropy for Counter {
    fn fill(&self, bytes: &mut [u8]) {
        for byte in bytes {
            let count = self.0.fetch_add(1, Ordering::SeqCst) + 1;
            // Fibonacci hashing spreads the count over the high bits.
            *byte = count.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes()[0];
        }
    }
}

/// A service of its own, on a port of its own.
pub(crate) struct App {
    pub(crate) address: SocketAddr,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) store: Arc<Store>,
    pub(crate) telephony: Arc<FakeTelephony>,
    pub(crate) supervisor: Arc<CallSupervisor>,
    pub(crate) readiness: Arc<Mutex<Option<Readiness>>>,
    pub(crate) gate: Arc<Gate>,
    /// The store of artifacts, once the service is open.
    artifacts: OnceLock<Arc<dyn Artifacts>>,
    /// For files of all kinds.
    pub(crate) folder: TempDir,
    chance: Counter,
    key: OnceLock<String>,
    stopper: Stopper,
}

impl App {
    /// An open service with [`Store::furnish`] data.
    pub(crate) async fn start() -> Self {
        let app = Self::start_closed(None);
        app.open().await;
        app
    }

    /// The same with TLS.
    pub(crate) async fn start_tls(tls: rustls::ServerConfig) -> Self {
        let app = Self::start_closed(Some(tls));
        app.open().await;
        app
    }

    /// A server whose service is still being built.
    pub(crate) fn start_closed(tls: Option<rustls::ServerConfig>) -> Self {
        let clock = Arc::new(TestClock(AtomicI64::new(TestClock::START_MS)));
        let readiness = Arc::new(Mutex::new(Some(Readiness::Ready)));
        let told = Arc::clone(&readiness);
        let gate = Gate::new(Front {
            clock: clock.clone(),
            entropy: Arc::new(Counter::default()),
            window: Arc::new(MemoryWindow::new(10_000, SMALLEST_LIMIT)),
            trusted_proxies: TrustedProxies::new(vec![Network::parse("127.0.0.0/8").unwrap()]),
            readiness: Arc::new(move || told.lock().expect("the test wants a panic here")),
        });
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let listen = Listen {
            listeners: vec![listener],
            tls,
            workers: NonZeroUsize::new(1),
            shutdown_limit: Duration::from_secs(10),
        };
        let server = serve(listen, Arc::clone(&gate), Pages::none()).unwrap();
        let stopper = server.stopper();
        tokio::spawn(server.run());
        Self {
            address,
            clock,
            store: Arc::new(Store::empty()),
            telephony: Arc::new(FakeTelephony::default()),
            supervisor: Arc::new(CallSupervisor::new(Handle::current(), vec![Handle::current()])),
            readiness,
            gate,
            artifacts: OnceLock::new(),
            folder: tempfile::tempdir().unwrap(),
            chance: Counter::default(),
            key: OnceLock::new(),
            stopper,
        }
    }

    /// Furnishes the store and builds the service behind the running server.
    pub(crate) async fn open(&self) {
        let base = Url::parse(&format!("http://{}", self.address)).unwrap();
        let folder = self.folder.path().join("artifacts");
        let local = Arc::new(LocalArtifacts::open(folder, &base, Arc::new(FixedKeys::one([7; 32]))).unwrap());
        self.open_with(local.clone(), Some(local)).await;
    }

    /// The same with another store of artifacts.
    pub(crate) async fn open_with(
        &self,
        artifacts: Arc<dyn Artifacts>,
        signed_files: Option<Arc<dyn SignedFiles>>,
    ) {
        let _ = self.artifacts.set(artifacts.clone());
        self.store.furnish().await;
        let (store, clock) = (&self.store, &self.clock);
        let data = Arc::new(store.inner.clone());
        let lease = Arc::new(NodeLease::new(clock.clone()));
        let callbacks = Arc::new(DeliverCallbacks::new(
            data.clone(),
            Arc::new(Nowhere),
            clock.clone(),
            BOOT,
            Handle::current(),
        ));
        let conclude =
            Arc::new(ConcludeCall::new(store.clone(), Arc::new(Nowhere), callbacks, clock.clone()));
        let take_over = TakeOver {
            nodes: data.clone(),
            callbacks: data.clone(),
            analyses: data.clone(),
            telephony: self.telephony.clone(),
            conclude: conclude.clone(),
            clock: clock.clone(),
            boot: BOOT,
        };
        let keep_node = KeepNode::new(
            data.clone(),
            lease.clone(),
            self.supervisor.clone(),
            Arc::new(take_over),
            clock.clone(),
            BOOT,
        );
        keep_node.beat().await.unwrap();
        let run_call = RunCall {
            calls: store.clone(),
            conclude,
            speech: Arc::new(FakeSpeech),
            agents: Arc::new(Unanswered),
            recorder: Arc::new(Unanswered),
            supervisor: self.supervisor.clone(),
            lease: lease.clone(),
            clock: clock.clone(),
            ring_limit: Duration::from_mins(1),
        };
        // One source, or two makers of ids would make the same.
        let entropy: Arc<dyn Entropy> = Arc::new(Counter::default());
        let place_call = PlaceCall {
            directory: store.clone(),
            calls: store.clone(),
            telephony: self.telephony.clone(),
            run_call: Arc::new(run_call),
            supervisor: self.supervisor.clone(),
            lease,
            boot: BOOT,
            clock: clock.clone(),
            entropy: entropy.clone(),
            in_flight: InFlight::default(),
        };
        let opened = self.gate.open(Service {
            control: Handle::current(),
            authenticate: Authenticate::new(data.clone(), clock.clone()),
            place_call: Arc::new(place_call),
            outbound_calls: store.clone(),
            call_records: data.clone(),
            artifacts,
            signed_files,
            organizations: data.clone(),
            create_organization: CreateOrganization { organizations: data.clone(), entropy: entropy.clone() },
            replace_metadata: ReplaceMetadata {
                records: data,
                judge: Arc::new(JsonSchemaJudge::start().unwrap()),
            },
            callback_addresses: AddressPolicy {
                allowed: vec![Network::parse("127.0.0.9").unwrap()],
                own: Vec::new(),
            },
        });
        assert!(opened);
    }

    /// A fresh key with these permissions, and its identity.
    pub(crate) fn issue(&self, scope: Scope, permissions: &[Permission]) -> (String, KeyId) {
        let level = if scope.organization().is_some() { KeyLevel::Organization } else { KeyLevel::Tenant };
        let minted = keys::mint(level, &self.chance);
        let mut random = [0; 10];
        self.chance.fill(&mut random);
        let key = ApiKey {
            id: NewId::at(self.clock.now(), random).into(),
            tenant: scope.tenant(),
            organization: scope.organization(),
            name: "test".into(),
            permissions: permissions.to_vec(),
            created_at: self.clock.now(),
            last_used_at: None,
            revoked_at: None,
        };
        let id = key.id;
        // The store in memory never waits.
        self.store.inner.issue(key, minted.digest, deed(self.clock.now())).now_or_never().unwrap().unwrap();
        (minted.text.reveal().clone(), id)
    }

    /// A fresh key with these permissions.
    pub(crate) fn key_for(&self, scope: Scope, permissions: &[Permission]) -> String {
        self.issue(scope, permissions).0
    }

    /// The usual organization key, which may do everything.
    pub(crate) fn key(&self) -> String {
        self.key.get_or_init(|| self.key_for(store::HOME, &Permission::ALL)).clone()
    }

    /// A fresh tenant key: its level is all that organizations ask for.
    pub(crate) fn tenant_key(&self) -> String {
        self.key_for(Scope::Tenant(store::TENANT), &[])
    }

    /// A request to this service, from the address 198.51.100.1.
    pub(crate) fn request(&self, method: &str, path: &str) -> Request {
        Request::new(self.address, method, path).header("X-Forwarded-For", "198.51.100.1")
    }

    pub(crate) fn get(&self, path: &str) -> Request {
        self.request("GET", path)
    }

    pub(crate) fn post(&self, path: &str) -> Request {
        self.request("POST", path)
    }

    pub(crate) fn put(&self, path: &str) -> Request {
        self.request("PUT", path)
    }

    pub(crate) fn delete(&self, path: &str) -> Request {
        self.request("DELETE", path)
    }

    /// A valid create, with `body` laid over it.
    pub(crate) fn create(&self, body: &Value) -> Request {
        let mut whole = valid_create();
        for (name, value) in body.as_object().unwrap() {
            whole[name] = value.clone();
        }
        self.post("/api/outbound").key(&self.key()).json(&whole)
    }

    /// The store of artifacts.
    pub(crate) fn artifacts(&self) -> Arc<dyn Artifacts> {
        self.artifacts.get().unwrap().clone()
    }

    /// A handle that stops this server.
    pub(crate) fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Places a call and returns its id.
    pub(crate) async fn placed(&self) -> String {
        let answer = self.create(&json!({})).send().await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()["outboundCallId"].as_str().unwrap().to_owned()
    }
}

impl Drop for App {
    fn drop(&mut self) {
        let stopper = self.stopper.clone();
        tokio::spawn(async move { stopper.stop(false).await });
    }
}

/// The smallest body that is accepted.
pub(crate) fn valid_create() -> Value {
    json!({
        "phoneNumber": "+14155550123",
        "assistantId": store::ASSISTANT.to_string(),
        "phoneNumberId": store::NUMBER.to_string(),
    })
}
