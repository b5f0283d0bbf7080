//! The telephone itself: it listens, and gives each call a task.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};

use domain::audio::AudioFormat;
use domain::ids::{TenantId, TrunkId};
use domain::ports::{Entropy, Speech};
use domain::secret::Secret;
use domain::trunk::{Credentials, Transport, Trunk, TrunkAddress};
use media::PortRange;
use sip::edge::Heard;
use sip::stack::StackSettings;
use sip::timers::{Timers, TransactionTimers};
use sip::uas::{IncomingCall, Registered, Uas};
use time::OffsetDateTime;
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::call;
use crate::event::Events;
use crate::house::{Cast, House, ringback};
use crate::script::Scripts;
use crate::sound::Unsayable;

/// Calls that may wait for their task; it is given at once.
const BACKLOG: usize = 64;
/// Events that a reader may be behind.
const EVENTS: usize = 4_096;

/// How a phone is set up.
#[derive(Clone)]
pub struct PhoneSettings {
    /// Where it listens for SIP, on UDP and TCP alike; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The UDP ports for RTP and RTCP, two a call.
    pub media_ports: RangeInclusive<u16>,
    /// The formats that it understands, best first for callers that let it choose.
    pub formats: Vec<AudioFormat>,
    /// Where it registers; nowhere when absent.
    pub register: Option<Registration>,
    /// What says words; without it, scripts may not.
    pub speech: Option<Arc<dyn Speech>>,
    /// Whether the sounds of a script are only made ready when it is called first.
    pub lazy: bool,
    /// The only address that it hears SIP from, over UDP alone; anybody when absent.
    pub only_from: Option<SocketAddr>,
    /// The SIP timers; tests shorten them.
    pub timers: TransactionTimers,
    /// Where random values come from.
    pub entropy: Arc<dyn Entropy>,
}

impl PhoneSettings {
    /// A mute phone with both laws and ports 40000–49999 for media.
    pub fn new(listen: SocketAddr, entropy: Arc<dyn Entropy>) -> Self {
        let formats = vec![AudioFormat::Pcmu, AudioFormat::Pcma];
        Self {
            listen,
            media_ports: 40_000..=49_999,
            formats,
            register: None,
            speech: None,
            lazy: false,
            only_from: None,
            timers: TransactionTimers::default(),
            entropy,
        }
    }
}

/// Where a phone makes itself known, so that calls to its user find it (RFC 3261 §10).
#[derive(Clone, Debug)]
pub struct Registration {
    /// The registrar.
    pub registrar: TrunkAddress,
    /// How REGISTER travels.
    pub transport: Transport,
    /// The user to register, also the digest user name.
    pub user: String,
    /// The digest password.
    pub password: Secret<String>,
    /// The domain of the address of record; the registrar's host when absent.
    pub domain: Option<String>,
}

/// The phone did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address is taken or not ours.
    #[error(transparent)]
    Listen(#[from] sip::stack::StartError),
    /// Something in a script cannot be said.
    #[error(transparent)]
    Unsayable(#[from] Unsayable),
}

/// A running telephone.
pub struct Phone {
    uas: Uas,
    registered: Option<Registered>,
    house: Arc<House>,
    tasks: TaskTracker,
    from_the_start: Mutex<Option<Events>>,
}

impl Phone {
    /// Makes every sound of the scripts ready, unless it is to be lazy, then takes calls on the current runtime.
    pub async fn start(settings: PhoneSettings, scripts: impl Into<Scripts>) -> Result<Self, StartError> {
        let formats: Arc<[AudioFormat]> = settings.formats.into();
        let cast = Cast::new(scripts.into(), formats.clone(), settings.speech);
        if !settings.lazy {
            cast.rehearse().await?;
        }
        let stack = StackSettings {
            listen: settings.listen,
            public_address: None,
            tls: None,
            heard: settings.only_from.map_or(Heard::Everybody, Heard::Only),
            timers: settings.timers,
        };
        let (uas, calls) = Uas::start(stack, BACKLOG).await?;
        let registered = settings.register.map(|registration| {
            let timers = Timers { transaction: settings.timers, ..Timers::default() };
            uas.register(registration.into_trunk(), timers, settings.entropy.clone())
        });
        let house = Arc::new(House {
            cast,
            ports: PortRange::new(settings.listen.ip(), settings.media_ports),
            // One that hears a single caller knows where that is.
            nat: settings.only_from.is_none(),
            ringback: ringback(&formats),
            formats,
            entropy: settings.entropy,
            events: broadcast::Sender::new(EVENTS),
            stop: CancellationToken::new(),
        });
        let from_the_start = Mutex::new(Some(Events(house.events.subscribe())));
        let tasks = TaskTracker::new();
        tasks.spawn(take(house.clone(), calls, tasks.clone()));
        Ok(Self { uas, registered, house, tasks, from_the_start })
    }

    /// Where it listens for SIP.
    pub fn local_addr(&self) -> SocketAddr {
        self.uas.local_addr()
    }

    /// How many calls ring or stand.
    pub fn calls(&self) -> usize {
        self.uas.dialogs()
    }

    /// Whether its registration stands; none when it does not register.
    pub fn registered(&self) -> Option<bool> {
        self.registered.as_ref().map(Registered::stands)
    }

    /// What happens: asked for the first time, from the start on; each further time, from now on.
    pub fn events(&self) -> Events {
        let first = self.from_the_start.lock().unwrap_or_else(PoisonError::into_inner).take();
        first.unwrap_or_else(|| Events(self.house.events.subscribe()))
    }

    /// Takes its registration back, hangs up or refuses every call, writes the recordings, and
    /// closes the sockets.
    pub async fn shutdown(self) {
        if let Some(registered) = &self.registered {
            registered.close().await;
        }
        self.house.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        self.uas.shutdown().await;
    }
}

impl Registration {
    /// A registrar is a trunk that one only registers with.
    fn into_trunk(self) -> Trunk {
        let nobody = uuid::Uuid::nil();
        Trunk {
            id: TrunkId::from_uuid(nobody),
            tenant: TenantId::from_uuid(nobody),
            name: format!("registrar {}", self.registrar),
            address: self.registrar,
            transport: self.transport,
            credentials: Some(Credentials { username: self.user, password: self.password }),
            register: true,
            from_domain: self.domain,
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
}

impl Drop for Phone {
    fn drop(&mut self) {
        self.house.stop.cancel();
    }
}

async fn take(house: Arc<House>, mut calls: mpsc::Receiver<IncomingCall>, tasks: TaskTracker) {
    loop {
        tokio::select! {
            () = house.stop.cancelled() => return,
            call = calls.recv() => match call {
                Some(call) => drop(tasks.spawn(call::carry(house.clone(), call))),
                None => return,
            },
        }
    }
}
