//! Keeping our registration with a trunk fresh, and taking it back at the end (RFC 3261 §10.2).

use std::sync::Arc;
use std::time::Duration;

use domain::ports::NoAnswer;
use domain::trunk::Trunk;
use rsipstack::platform::CancellationToken;
use rsipstack::sip::{Header, Method, Response};

use super::health::{Health, Registration};
use super::with_trunk;
use crate::core::Core;
use crate::dialog::Dialog;
use crate::exchange::{Outcome, exchange};
use crate::gateways::unknown;
use crate::headers;
use crate::login::Login;
use crate::stack::Flow;

/// A registrar that grants less is asked again no sooner than this.
const SHORTEST_PAUSE: Duration = Duration::from_millis(500);

/// The registration of one trunk: every REGISTER has the same Call-ID (RFC 3261 §10.2.4).
struct Binding {
    core: Arc<Core>,
    trunk: Trunk,
    username: String,
    dialog: Option<Dialog>,
    lifetime: Duration,
}

/// Registers and refreshes until `stop`, then takes the registration back.
pub(super) async fn keep(core: Arc<Core>, trunk: Trunk, health: Arc<Health>, stop: CancellationToken) {
    let Some(username) = trunk.credentials.as_ref().map(|credentials| credentials.username.clone()) else {
        // Without a user there is no address of record to register.
        health.registered(Registration::Unanswered(NoAnswer::NoConnection));
        return;
    };
    let lifetime = core.timers.registration;
    let mut binding = Binding { core, trunk, username, dialog: None, lifetime };
    let mut failures = 0_u32;
    let mut standing = false;
    while !stop.is_cancelled() {
        let granted = tokio::select! {
            granted = binding.register() => granted,
            () = stop.cancelled() => break,
        };
        standing = granted.is_ok();
        let pause = match granted {
            Ok(granted) => {
                failures = 0;
                health.registered(Registration::standing(granted));
                (granted.mul_f64(0.8)).min(granted.saturating_sub(Duration::from_secs(10)).max(granted / 2))
            }
            Err(refused) => {
                health.registered(refused);
                let base = binding.core.timers.registration_retry;
                let pause = base * 2_u32.pow(failures.min(5));
                failures = failures.saturating_add(1);
                pause + binding.core.tokens.part_of(base / 4)
            }
        };
        tokio::select! {
            () = tokio::time::sleep(pause.max(SHORTEST_PAUSE)) => {}
            () = stop.cancelled() => break,
        }
    }
    if standing {
        let limit = binding.core.timers.orphan;
        let _ = tokio::time::timeout(limit, binding.send(Duration::ZERO)).await;
    }
}

impl Binding {
    /// Registers once; the lifetime that was granted, or how the registration stands without.
    async fn register(&mut self) -> Result<Duration, Registration> {
        let mut refused = Registration::Pending;
        for _ in 0..2 {
            let wanted = self.lifetime;
            let (outcome, contact) = self.send(wanted).await.map_err(Registration::Unanswered)?;
            let Outcome::Final(response) = outcome else {
                return Err(Registration::Unanswered(NoAnswer::Silent));
            };
            let code = response.status_code.code();
            if (200..300).contains(&code) {
                return Ok(granted(&response, &contact).unwrap_or(wanted));
            }
            // The registrar wants fewer refreshes (RFC 3261 §10.2.8).
            let minimum = headers::seconds(&response.headers, "Min-Expires").filter(|_| code == 423);
            let Some(minimum) = minimum else {
                tracing::warn!(trunk = %self.trunk.name, code, "the registration was refused");
                return Err(Registration::Refused(headers::final_answer(&response)));
            };
            self.lifetime = self.lifetime.max(minimum);
            refused = Registration::Refused(headers::final_answer(&response));
        }
        Err(refused)
    }

    async fn send(&mut self, lifetime: Duration) -> Result<(Outcome, String), NoAnswer> {
        let flow = self.flow().await?;
        let (core, trunk) = (&self.core, &self.trunk);
        let domain = crate::prepared::from_domain(trunk);
        let dialog = self.dialog.get_or_insert_with(|| {
            let mut dialog = with_trunk(core, trunk, &flow, &self.username, format!("sip:{domain}"));
            // Both name the address of record.
            dialog.to.clone_from(&dialog.from);
            dialog
        });
        let contact = dialog.contact();
        let extra = [
            Header::Contact(contact.clone().into()),
            Header::Expires(lifetime.as_secs().to_string().into()),
            Header::Allow(crate::dialog::ALLOW.into()),
        ];
        let login = Login::of(trunk, [flow.peer]);
        let outcome = exchange(core, &flow, dialog, login.as_ref(), Method::Register, &extra).await;
        Ok((outcome, contact))
    }

    async fn flow(&self) -> Result<Flow, NoAnswer> {
        let Trunk { address, transport, .. } = &self.trunk;
        let gateways = self.core.gateways(&self.trunk).await.map_err(|error| unknown(&error))?;
        let limit = self.core.timers.ping_answer;
        for gateway in gateways {
            // Whoever waits for the same stream waits for this: a handshake that hangs must end.
            let opening = self.core.stack.flow(*transport, gateway, &address.host);
            if let Ok(Ok(flow)) = tokio::time::timeout(limit, opening).await {
                return Ok(flow);
            }
        }
        Err(NoAnswer::NoConnection)
    }
}

/// The lifetime of our contact in a 2xx: its own, or that of all (RFC 3261 §10.2.1.1). One of more
/// than a day counts as a day: it is refreshed sooner than it has to be.
fn granted(response: &Response, contact: &str) -> Option<Duration> {
    let ours = headers::address_uri(contact);
    let listed = headers::list(&response.headers, "Contact");
    let own = listed.iter().find(|listed| headers::address_uri(listed) == ours);
    let own = own.and_then(|listed| headers::delta_seconds(headers::parameter(listed, "expires")?));
    own.or_else(|| headers::seconds(&response.headers, "Expires"))
}
