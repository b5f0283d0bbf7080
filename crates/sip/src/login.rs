//! Which hosts get a digest answer: the trunk's own addresses, for the realms that it is meant for.
//!
//! A digest lets whoever asked for it try passwords at leisure, so a host that a Contact, a Record-Route
//! or a forged response brings in is not answered.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use domain::ids::TrunkId;
use domain::trunk::{Credentials, Transport, Trunk};
use parking_lot::Mutex;
use rsipstack::sip::Response;

use crate::core::Core;
use crate::digest::{Answers, Unanswered};
use crate::stack::{Flow, source};

/// Realms of one trunk that are remembered as logged.
const MOST_REALMS: usize = 16;

/// What a trunk's challenges are answered with.
#[derive(Clone)]
pub(crate) struct Login(Arc<Inner>);

struct Inner {
    trunk: Trunk,
    /// Addresses that the trunk's name led to when this began.
    gateways: Vec<IpAddr>,
}

impl Login {
    /// The login of a trunk whose name led to these gateways; none when it has no credentials.
    pub(crate) fn of(trunk: &Trunk, gateways: impl IntoIterator<Item = SocketAddr>) -> Option<Self> {
        trunk.credentials.as_ref()?;
        let gateways = gateways.into_iter().map(|gateway| gateway.ip()).collect();
        Some(Self(Arc::new(Inner { trunk: trunk.clone(), gateways })))
    }

    /// User name and password.
    pub(crate) fn credentials(&self) -> Option<&Credentials> {
        self.0.trunk.credentials.as_ref()
    }

    /// Takes the challenge of a 401 or 407 that came over `flow`. `false` when it is not to be
    /// answered.
    pub(crate) fn take(&self, core: &Core, flow: &Flow, answers: &mut Answers, response: &Response) -> bool {
        if !matches!(response.status_code.code(), 401 | 407) {
            return false;
        }
        let name = self.0.trunk.name.as_str();
        // A leg of another boot may have been dialled before the trunk went to TLS, with another password.
        if self.0.trunk.transport == Transport::Tls && flow.transport != Transport::Tls {
            tracing::warn!(trunk = name, peer = %flow.peer, "a digest challenge outside of the trunk's TLS is not answered");
            return false;
        }
        for challenger in [Some(flow.peer), source(response)].into_iter().flatten() {
            if !self.trusts(core, challenger.ip()) {
                tracing::warn!(trunk = name, %challenger, "a digest challenge from another host than the trunk is not answered");
                return false;
            }
        }
        match answers.take(response, &self.0.trunk.realms) {
            Ok(realm) => {
                if core.realms.is_new(self.0.trunk.id, realm) {
                    tracing::info!(trunk = name, ?realm, "the trunk asks for its password under a new realm");
                }
                true
            }
            Err(Unanswered::Realm(realm)) => {
                tracing::warn!(
                    trunk = name,
                    ?realm,
                    "a digest challenge of a realm that the trunk does not list is not answered"
                );
                false
            }
            Err(Unanswered::Weaker(realm)) => {
                tracing::warn!(
                    trunk = name,
                    ?realm,
                    "a digest challenge that asks for a weaker algorithm than before is not answered"
                );
                false
            }
            Err(Unanswered::Other) => false,
        }
    }

    /// Whether an address is known as the trunk's: its name led there when this began, or the operator
    /// named it.
    pub(crate) fn knows(&self, address: IpAddr) -> bool {
        let Inner { trunk, gateways, .. } = &*self.0;
        gateways.contains(&address) || trunk.inbound_from.iter().any(|network| network.contains(address))
    }

    /// The same, or one of the addresses that are kept of the trunk's name: a name with many often gives
    /// some of them at a time.
    fn trusts(&self, core: &Core, challenger: IpAddr) -> bool {
        self.knows(challenger) || core.edge.peers.is_of(self.0.trunk.id, challenger)
    }
}

/// The realms that trunks have asked under since the start.
#[derive(Default)]
pub(crate) struct Realms(Mutex<HashMap<TrunkId, Vec<String>>>);

impl Realms {
    /// Notes a realm; `false` when it was known, or when the trunk has had too many to log.
    fn is_new(&self, trunk: TrunkId, realm: &str) -> bool {
        let mut trunks = self.0.lock();
        let known = trunks.entry(trunk).or_default();
        if known.len() >= MOST_REALMS || known.iter().any(|known| known == realm) {
            return false;
        }
        known.push(realm.to_owned());
        true
    }

    /// Forgets the trunks that `known` does not know.
    pub(crate) fn retain(&self, known: impl Fn(TrunkId) -> bool) {
        self.0.lock().retain(|trunk, _| known(*trunk));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_realm_is_new_once_for_each_trunk() {
        let realms = Realms::default();
        let trunk = |n| TrunkId::parse(&format!("01890000-0000-7000-8000-00000000000{n}")).unwrap();
        assert!(realms.is_new(trunk(1), "a") && realms.is_new(trunk(2), "a") && realms.is_new(trunk(1), "b"));
        assert!(!realms.is_new(trunk(1), "a"));
        realms.retain(|known| known == trunk(2));
        assert!(realms.is_new(trunk(1), "a") && !realms.is_new(trunk(2), "a"));
        let new = (0..100).filter(|n| realms.is_new(trunk(3), &n.to_string())).count();
        assert_eq!(new, MOST_REALMS);
    }
}
