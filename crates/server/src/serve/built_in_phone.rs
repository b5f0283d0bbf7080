//! The telephone inside the service: it starts when it is called first, and stops when nobody has
//! called it for a while, so that it costs nothing in between.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use async_trait::async_trait;
use domain::ports::{Entropy, Speech};
use domain::trunk::{BUILT_IN_PHONE, Transport, TrunkAddress};
use phone::{Phone, PhoneSettings, Scripts};
use sip::{KnownHost, Resolve};
use tokio::sync::Mutex;
use tokio::time::Instant;

/// Without a call for so long it stops.
const REST_AFTER: Duration = Duration::from_mins(3);

/// The phone, running or not.
pub(super) struct BuiltInPhone {
    /// None when the operator switched it off.
    parts: Option<Parts>,
    /// Where our own calls come from: nobody else is heard.
    callers: OnceLock<SocketAddr>,
    running: Mutex<Option<Running>>,
}

struct Parts {
    loopback: IpAddr,
    speech: Arc<dyn Speech>,
    entropy: Arc<dyn Entropy>,
}

struct Running {
    phone: Phone,
    wanted: Instant,
}

impl BuiltInPhone {
    /// A phone for calls from `sip`, the address that the service listens on.
    pub(super) fn new(
        sip: SocketAddr,
        speech: Arc<dyn Speech>,
        entropy: Arc<dyn Entropy>,
        switched_on: bool,
    ) -> Arc<Self> {
        // Calls stay within one address family.
        let loopback =
            if sip.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { IpAddr::from(Ipv6Addr::LOCALHOST) };
        let parts = switched_on.then_some(Parts { loopback, speech, entropy });
        Arc::new(Self { parts, callers: OnceLock::new(), running: Mutex::new(None) })
    }

    /// Its reserved name, for the telephony adapter.
    pub(super) fn known_host(self: &Arc<Self>) -> KnownHost {
        KnownHost { name: BUILT_IN_PHONE.to_owned(), resolver: Arc::new(Handle(self.clone())) }
    }

    /// Lets the calls of this service in, which come from where its SIP is bound.
    pub(super) fn admit(&self, bound: SocketAddr) {
        let loopback = self.parts.as_ref().map(|parts| parts.loopback);
        let from = loopback.filter(|_| bound.ip().is_unspecified()).unwrap_or(bound.ip());
        // Set once, by the one start.
        let _ = self.callers.set(SocketAddr::new(from, bound.port()));
    }

    /// Hangs up and stops.
    pub(super) async fn close(&self) {
        let running = self.running.lock().await.take();
        if let Some(Running { phone, .. }) = running {
            phone.shutdown().await;
        }
    }

    async fn address(self: &Arc<Self>) -> io::Result<SocketAddr> {
        let unavailable = |why| io::Error::new(io::ErrorKind::NotFound, why);
        let parts = self.parts.as_ref().ok_or_else(|| unavailable("the built-in phone is switched off"))?;
        let callers = *self.callers.get().ok_or_else(|| unavailable("the service is still starting"))?;
        let mut running = self.running.lock().await;
        if let Some(running) = running.as_mut() {
            running.wanted = Instant::now();
            return Ok(running.phone.local_addr());
        }
        let phone = parts.start(callers).await.map_err(io::Error::other)?;
        let address = phone.local_addr();
        *running = Some(Running { phone, wanted: Instant::now() });
        tokio::spawn(rest(Arc::downgrade(self)));
        tracing::debug!(%address, "the built-in phone started");
        Ok(address)
    }
}

impl Parts {
    /// Sockets of the loopback interface reach no other machine, nor are they reached from one.
    async fn start(&self, callers: SocketAddr) -> Result<Phone, phone::StartError> {
        let settings = PhoneSettings {
            speech: Some(self.speech.clone()),
            lazy: true,
            only_from: Some(callers),
            ..PhoneSettings::new(SocketAddr::new(self.loopback, 0), self.entropy.clone())
        };
        Phone::start(settings, Scripts::built_in()).await
    }
}

/// Stops the phone once it has not been wanted for a while.
async fn rest(built_in: Weak<BuiltInPhone>) {
    loop {
        tokio::time::sleep(REST_AFTER).await;
        let Some(built_in) = built_in.upgrade() else { return };
        let mut running = built_in.running.lock().await;
        let Some(Running { phone, wanted }) = running.as_ref() else { return };
        if phone.calls() == 0 && wanted.elapsed() >= REST_AFTER {
            let idle = running.take();
            drop(running);
            if let Some(Running { phone, .. }) = idle {
                phone.shutdown().await;
                tracing::debug!("the built-in phone stopped");
            }
            return;
        }
    }
}

/// The way to the phone, as the telephony adapter asks for it.
struct Handle(Arc<BuiltInPhone>);

#[async_trait]
impl Resolve for Handle {
    async fn targets(&self, _: &TrunkAddress, _: Transport) -> io::Result<Vec<SocketAddr>> {
        Ok(vec![self.0.address().await?])
    }
}
