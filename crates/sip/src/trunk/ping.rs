//! One OPTIONS to each gateway of a trunk (RFC 3261 §11).

use std::net::SocketAddr;
use std::sync::Arc;

use domain::trunk::Trunk;
use rsipstack::sip::{Header, Method};
use tokio::task::JoinSet;

use super::with_trunk;
use crate::core::Core;
use crate::exchange::{Outcome, exchange};
use crate::headers;

/// Why a ping failed that was sent, as far as we know, and never answered.
const SILENT: &str = "no answer";

/// What a round of pings showed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pinged {
    /// Whether any gateway gave a final answer, whichever.
    pub(crate) alive: bool,
    /// Whether every gateway could be sent to, and none said anything.
    pub(crate) silent: bool,
    /// What the best gateway answered, or why none did.
    pub(crate) said: String,
    /// The gateways that gave none.
    pub(crate) dead: Vec<SocketAddr>,
}

/// Asks every gateway of a trunk at once.
pub(crate) async fn ping(core: &Arc<Core>, trunk: &Trunk) -> Pinged {
    let limit = core.timers.ping_answer;
    let resolved = tokio::time::timeout(limit, core.resolver.targets(&trunk.address, trunk.transport));
    let gateways = match resolved.await {
        Ok(Ok(gateways)) => gateways,
        Ok(Err(error)) => return Pinged { said: error.to_string(), ..Pinged::default() },
        Err(_) => {
            return Pinged { said: "the name was not resolved in time".to_owned(), ..Pinged::default() };
        }
    };
    let mut asked = JoinSet::new();
    for (place, gateway) in gateways.into_iter().enumerate() {
        let (core, trunk) = (core.clone(), trunk.clone());
        asked.spawn(async move {
            let answer = tokio::time::timeout(limit, ask(&core, &trunk, gateway)).await;
            (place, gateway, answer.unwrap_or_else(|_| Err(SILENT.to_owned())))
        });
    }
    let mut all: Vec<_> = asked.join_all().await;
    all.sort_by_key(|(place, _, answer)| (answer.is_err(), *place));
    let dead = all.iter().filter(|(_, _, answer)| answer.is_err()).map(|(_, gateway, _)| *gateway).collect();
    let silent = all.iter().all(|(_, _, answer)| answer.as_ref().is_err_and(|why| why == SILENT));
    let best = all.into_iter().next();
    let (alive, said) = match best {
        Some((_, _, Ok(said))) => (true, said),
        Some((_, _, Err(why))) => (false, why),
        None => (false, "no gateway".to_owned()),
    };
    Pinged { alive, silent, said, dead }
}

async fn ask(core: &Core, trunk: &Trunk, gateway: SocketAddr) -> Result<String, String> {
    let flow = core.stack.flow(trunk.transport, gateway, &trunk.address.host).await;
    let flow = flow.map_err(|error| error.to_string())?;
    let mut dialog = with_trunk(core, trunk, &flow, "callwright", format!("sip:{}", trunk.address));
    let extra = [Header::Contact(dialog.contact().into()), Header::Accept(crate::dialog::SDP.into())];
    let credentials = trunk.credentials.as_ref();
    match exchange(core, &flow, &mut dialog, credentials, Method::Options, &extra).await {
        Outcome::Final(response) => {
            let answer = headers::final_answer(&response);
            Ok(format!("{} {}", answer.code, answer.phrase))
        }
        Outcome::Silent => Err(SILENT.to_owned()),
    }
}
