//! Both ends of a call under test: a caller that is the telephony port, and peers that misbehave.
pub mod line;
pub mod lines;
pub mod message;
pub mod peer;
pub mod servers;
pub mod sipp;

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use domain::audio::AudioFormat;
use domain::ids::{CallId, TenantId, TrunkId};
use domain::number::E164;
use domain::ports::{Detects, DialPlan, Entropy, Refused, Telephony};
use domain::secret::Secret;
use domain::trunk::{Credentials, Transport, Trunk, TrunkAddress};
use line::Line;
use sip::{Settings, SipTelephony, Timers, TransactionTimers};
use time::OffsetDateTime;

/// No wait in a test is longer.
pub const PATIENCE: Duration = Duration::from_secs(10);

pub const BOTH: [AudioFormat; 2] = [AudioFormat::Pcmu, AudioFormat::Pcma];

/// The operating system's randomness.
pub struct Random;

impl Entropy for Random {
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).unwrap();
    }
}

/// The true limits, ten times faster: 64 × T1 is 3.2 s.
pub fn fast() -> Timers {
    Timers {
        transaction: TransactionTimers {
            t1: Duration::from_millis(50),
            t2: Duration::from_millis(400),
            t4: Duration::from_millis(500),
        },
        cancelled: Duration::from_millis(500),
        late: Duration::from_millis(1_200),
        bye: Duration::from_millis(500),
        transfer: Duration::from_millis(800),
        orphan: Duration::from_secs(1),
        ping: Duration::from_millis(100),
        ping_down: Duration::from_millis(50),
        ping_answer: Duration::from_millis(300),
        registration_retry: Duration::from_millis(100),
        ..Timers::default()
    }
}

/// Media ports that no other test of this program uses.
pub fn media_ports() -> RangeInclusive<u16> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Test programs run side by side: each begins elsewhere.
    let base = 20_000 + u16::try_from(std::process::id() % 5).unwrap() * 2_400;
    let first = base + NEXT.fetch_add(1, Ordering::Relaxed) % 100 * 24;
    first..=first + 23
}

pub fn settings() -> Settings {
    Settings { timers: fast(), ..Settings::new((Ipv4Addr::LOCALHOST, 0).into(), media_ports()) }
}

/// The calling side.
pub struct Caller {
    pub telephony: Arc<SipTelephony>,
}

impl Caller {
    pub async fn start() -> Self {
        Self::with(settings()).await
    }

    pub async fn with(settings: Settings) -> Self {
        Self { telephony: SipTelephony::start(settings, Arc::new(Random)).await.unwrap() }
    }

    pub async fn dial(&self, trunk: &Trunk) -> Line {
        self.try_dial(trunk).await.unwrap()
    }

    pub async fn try_dial(&self, trunk: &Trunk) -> Result<Line, Refused> {
        let prepared = self.telephony.prepare(plan(trunk)).await?;
        let intent = prepared.intent().clone();
        Ok(Line::start(prepared.send().await.unwrap(), intent))
    }

    /// Waits until no dialog is kept any more.
    pub async fn forgets_all(&self) {
        let empty = async {
            while self.telephony.dialogs() > 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, empty).await.expect("dialogs are left over");
    }
}

pub fn plan(trunk: &Trunk) -> DialPlan {
    DialPlan {
        call: CallId::parse("01890000-0000-7000-8000-00000000000c").unwrap(),
        trunk: trunk.clone(),
        from: E164::parse("+14155550100").unwrap(),
        to: E164::parse("+14155550199").unwrap(),
        formats: BOTH.to_vec(),
        detects: Detects::ALL,
    }
}

/// A trunk to one address.
pub fn trunk(peer: SocketAddr) -> Trunk {
    Trunk {
        id: TrunkId::parse("01890000-0000-7000-8000-000000000001").unwrap(),
        tenant: TenantId::parse("01890000-0000-7000-8000-000000000002").unwrap(),
        name: "test".to_owned(),
        address: TrunkAddress { host: peer.ip().to_string(), port: Some(peer.port()) },
        transport: Transport::Udp,
        credentials: None,
        register: false,
        from_domain: None,
        default_country: None,
        wideband: false,
        srtp: domain::trunk::Srtp::Off,
        guarded: false,
        nat: false,
        media_networks: Vec::new(),
        inbound_from: Vec::new(),
        realms: Vec::new(),
        max_calls: None,
        calls_per_second: None,
        created_at: OffsetDateTime::UNIX_EPOCH,
    }
}

/// The same trunk with user `alice`, password `secret`.
pub fn with_credentials(trunk: Trunk) -> Trunk {
    let credentials =
        Credentials { username: "alice".to_owned(), password: Secret::new("secret".to_owned()) };
    Trunk { credentials: Some(credentials), ..trunk }
}

/// Waits until some program has bound this UDP port.
pub async fn until_bound(address: SocketAddr) {
    let bound = async {
        while !test_ports::is_bound(address.port()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(2 * PATIENCE, bound).await.expect("nobody binds the port");
}
