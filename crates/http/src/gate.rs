//! What the server needs from its first second, and the door behind which the service is built.

use std::sync::{Arc, OnceLock};

use application::authenticate::Authenticate;
use application::create_organization::CreateOrganization;
use application::place_call::PlaceCall;
use application::replace_metadata::ReplaceMetadata;
use domain::network::AddressPolicy;
use domain::ports::{
    Artifacts, CallRecords, Clock, Entropy, Organizations, OutboundCalls, RateLimitWindow, SignedFiles,
};
use tokio::runtime::Handle;

use crate::error::ApiError;
use crate::rate_limit::TrustedProxies;

/// How the whole service stands, as `GET /readyz` tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It is being built: configuration, database, migrations, take-over of earlier calls.
    Starting,
    /// It takes requests.
    Ready,
    /// The database does not answer.
    NoDatabase,
    /// It is ending, and takes no new calls.
    Draining,
}

/// What answers need before, and beside, the service itself.
pub struct Front {
    /// Tells the time: of rate-limit windows, and of changes.
    pub clock: Arc<dyn Clock>,
    /// Makes request ids.
    pub entropy: Arc<dyn Entropy>,
    /// Counts requests.
    pub window: Arc<dyn RateLimitWindow>,
    /// Whose word on client addresses is believed.
    pub trusted_proxies: TrustedProxies,
    /// Tells how the service stands; asked on every `GET /readyz`, so it must be quick.
    pub readiness: Arc<dyn Fn() -> Readiness + Send + Sync>,
}

/// Everything that API requests are served with.
pub struct Service {
    /// The runtime that owns telephony: use cases that write run there to their end, whatever
    /// becomes of the request.
    pub control: Handle,
    /// Knows the keys.
    pub authenticate: Authenticate,
    /// Places calls.
    pub place_call: Arc<PlaceCall>,
    /// Where calls stand.
    pub outbound_calls: Arc<dyn OutboundCalls>,
    /// Call logs.
    pub call_records: Arc<dyn CallRecords>,
    /// Signs addresses of recordings and transcripts.
    pub artifacts: Arc<dyn Artifacts>,
    /// Serves them here; none where the store itself does.
    pub signed_files: Option<Arc<dyn SignedFiles>>,
    /// The tenants' organizations.
    pub organizations: Arc<dyn Organizations>,
    /// Creates organizations.
    pub create_organization: CreateOrganization,
    /// Replaces their metadata.
    pub replace_metadata: ReplaceMetadata,
    /// Which callback addresses are taken.
    pub callback_addresses: AddressPolicy,
}

/// The server's state: closed until the service is built.
pub struct Gate {
    pub(crate) front: Front,
    service: OnceLock<Arc<Service>>,
}

impl Gate {
    /// A closed gate: probes are answered, API requests get 503.
    pub fn new(front: Front) -> Arc<Self> {
        Arc::new(Self { front, service: OnceLock::new() })
    }

    /// Lets API requests in; `false` when the gate was open already.
    pub fn open(&self, service: Service) -> bool {
        self.service.set(Arc::new(service)).is_ok()
    }

    /// The service, or the 503 of a gate that is closed.
    pub(crate) fn service(&self) -> Result<&Arc<Service>, ApiError> {
        self.service.get().ok_or(ApiError::Unavailable("The service is starting"))
    }
}
