//! What the engines are given once, by the composition root.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::assistant::{CredentialName, Credentials};
use domain::network::AddressPolicy;
use domain::secret::Secret;
use rustls::ClientConfig;
use tokio::runtime::Handle;

/// How the engines reach their providers.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The runtime that sessions live on; media threads only poll their handles.
    pub control: Handle,
    /// Which addresses may be connected to.
    pub policy: AddressPolicy,
    /// Whom to trust; ALPN is set here.
    pub tls: Arc<ClientConfig>,
    /// The operator's credentials: where each key may be sent, and for which tenants.
    pub credentials: Credentials,
    /// Their keys.
    pub secrets: BTreeMap<CredentialName, Secret<String>>,
    /// How long things may take.
    pub timeouts: Timeouts,
}

/// How long things may take; the defaults are those of production.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Reaching a provider, over all tries, before the session is given up.
    pub connect: Duration,
    /// From our configuration to the provider's word that it holds.
    pub ready: Duration,
    /// The longest silence of a provider that owes us something.
    pub stall: Duration,
    /// How long a quiet connection is left before it is asked for a sign of life.
    pub quiet: Duration,
    /// A connection that is lost sooner than this after it was restored is given up.
    pub between_reconnects: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(4),
            ready: Duration::from_secs(8),
            stall: Duration::from_secs(5),
            quiet: Duration::from_secs(15),
            between_reconnects: Duration::from_secs(5),
        }
    }
}
