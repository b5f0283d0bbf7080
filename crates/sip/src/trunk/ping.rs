//! One OPTIONS to each gateway of a trunk (RFC 3261 §11).

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::call::FinalAnswer;
use domain::ports::NoAnswer;
use domain::trunk::Trunk;
use rsipstack::sip::{Header, Method};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::with_trunk;
use crate::core::Core;
use crate::exchange::{Outcome, exchange};
use crate::gateways::unknown;
use crate::headers;
use crate::login::Login;

/// What a round of pings showed.
#[derive(Clone, Debug)]
pub(crate) struct Pinged {
    /// What the best gateway answered and how fast, or why none did.
    pub(crate) answer: Result<(FinalAnswer, Duration), NoAnswer>,
    /// The same for the log and the command line, with the system's own words.
    pub(crate) said: String,
    /// Whether every gateway could be sent to, and none said anything.
    pub(crate) silent: bool,
    /// The gateways that gave none.
    pub(crate) dead: Vec<SocketAddr>,
}

impl Pinged {
    /// Whether any gateway gave a final answer, whichever.
    pub(crate) const fn alive(&self) -> bool {
        self.answer.is_ok()
    }

    fn nobody(why: NoAnswer, said: String) -> Self {
        Self { answer: Err(why), said, silent: false, dead: Vec::new() }
    }
}

/// Why a gateway did not answer, for people and for the log.
struct Failure {
    why: NoAnswer,
    said: String,
}

impl Failure {
    fn silent() -> Self {
        Self { why: NoAnswer::Silent, said: NoAnswer::Silent.as_str().to_owned() }
    }
}

/// Asks every gateway of a trunk at once.
pub(crate) async fn ping(core: &Arc<Core>, trunk: &Trunk) -> Pinged {
    let limit = core.timers.ping_answer;
    let gateways = match tokio::time::timeout(limit, core.gateways(trunk)).await {
        Ok(Ok(gateways)) => gateways,
        Ok(Err(error)) => return Pinged::nobody(unknown(&error), error.to_string()),
        Err(_) => {
            return Pinged::nobody(NoAnswer::NoAddress, "the name was not resolved in time".to_owned());
        }
    };
    let mut asked = JoinSet::new();
    for (place, gateway) in gateways.into_iter().enumerate() {
        let (core, trunk) = (core.clone(), trunk.clone());
        asked.spawn(async move {
            let answer = tokio::time::timeout(limit, ask(&core, &trunk, gateway)).await;
            (place, gateway, answer.unwrap_or_else(|_| Err(Failure::silent())))
        });
    }
    let mut all: Vec<_> = asked.join_all().await;
    all.sort_by_key(|(place, _, answer)| (answer.is_err(), *place));
    let dead = all.iter().filter(|(_, _, answer)| answer.is_err()).map(|(_, gateway, _)| *gateway).collect();
    let is_silent = |failure: &Failure| failure.why == NoAnswer::Silent;
    let silent = all.iter().all(|(_, _, answer)| answer.as_ref().is_err_and(is_silent));
    let (answer, said) = match all.into_iter().next() {
        Some((_, _, Ok((answer, took)))) => {
            let said = format!("{} {}", answer.code, answer.phrase);
            (Ok((answer, took)), said)
        }
        Some((_, _, Err(failure))) => (Err(failure.why), failure.said),
        None => (Err(NoAnswer::NoAddress), "no gateway".to_owned()),
    };
    Pinged { answer, said, silent, dead }
}

async fn ask(core: &Core, trunk: &Trunk, gateway: SocketAddr) -> Result<(FinalAnswer, Duration), Failure> {
    let flow = core.stack.flow(trunk.transport, gateway, &trunk.address.host).await;
    let flow = flow.map_err(|error| Failure { why: NoAnswer::NoConnection, said: error.to_string() })?;
    let mut dialog = with_trunk(core, trunk, &flow, "callwright", format!("sip:{}", trunk.address));
    let extra = [Header::Contact(dialog.contact().into()), Header::Accept(crate::dialog::SDP.into())];
    let login = Login::of(trunk, [gateway]);
    let asked_at = Instant::now();
    match exchange(core, &flow, &mut dialog, login.as_ref(), Method::Options, &extra).await {
        Outcome::Final(response) => Ok((headers::final_answer(&response), asked_at.elapsed())),
        Outcome::Silent => Err(Failure::silent()),
    }
}
