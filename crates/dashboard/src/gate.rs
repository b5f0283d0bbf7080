//! What pages are made with, and the door behind which it is built.

use std::sync::{Arc, OnceLock};

use application::assistant_file::Allowed;
use application::create_organization::CreateOrganization;
use application::deliver_callbacks::DeliverCallbacks;
use application::replace_metadata::ReplaceMetadata;
use domain::network::AddressPolicy;
use domain::ports::{
    Access, Accounts, Artifacts, Assistants, AuditLog, CallBoard, Clock, Deliveries, Entropy, Invitations,
    MetadataRecords, Numbers, Organizations, OwnWindow, Passwords, SchemaJudge, Sessions, SetUp, SignInTries,
    Signing, StoredSchemas, TrunkReports, Trunks,
};
use tokio::runtime::Handle;
use url::Url;

use crate::calling::Calling;
use crate::error::PageError;
use crate::live::Live;
use crate::strangers::Guests;
use crate::turns::{Queues, Turns};

/// What is known from the first second on.
pub struct Front {
    /// How the outside reaches the pages.
    pub public_url: Url,
    /// Whether browsers reach them by TLS, ours or that of a proxy in front.
    pub encrypted: bool,
    /// Counts forms of people who are not signed in, apart from the interface's requests.
    pub forms: Arc<dyn OwnWindow>,
    /// Counts looks for sessions and links that there are none of.
    pub misses: Arc<dyn OwnWindow>,
}

/// Everything that pages are made with.
pub struct Service {
    /// The runtime of use cases that write: they go on to their end, whatever becomes of the request.
    pub control: Handle,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids and tokens.
    pub entropy: Arc<dyn Entropy>,
    /// Knows who is signed in.
    pub sessions: Arc<dyn Sessions>,
    /// The tenants' organizations.
    pub organizations: Arc<dyn Organizations>,
    /// Creates organizations.
    pub create_organization: CreateOrganization,
    /// Their metadata.
    pub metadata: Arc<dyn MetadataRecords>,
    /// Replaces it.
    pub replace_metadata: ReplaceMetadata,
    /// The schemas that judge it.
    pub schemas: Arc<dyn StoredSchemas>,
    /// Judges by them.
    pub judge: Arc<dyn SchemaJudge>,
    /// Who speaks on their calls.
    pub assistants: Arc<dyn Assistants>,
    /// What the operator lets assistants do.
    pub allowed_assistants: Allowed,
    /// What they call from.
    pub numbers: Arc<dyn Numbers>,
    /// What carries their calls.
    pub trunks: Arc<dyn Trunks>,
    /// Where trunks may lead that are set up here.
    pub trunk_addresses: AddressPolicy,
    /// How trunks stand.
    pub trunk_reports: Arc<dyn TrunkReports>,
    /// Who may sign in.
    pub accounts: Arc<dyn Accounts>,
    /// Counts tries to sign in.
    pub tries: Arc<dyn SignInTries>,
    /// Invitations of users.
    pub invitations: Arc<dyn Invitations>,
    /// The first set-up.
    pub set_up: Arc<dyn SetUp>,
    /// Hashes passwords, a few at a time.
    pub passwords: Arc<dyn Passwords>,
    /// What became of callbacks.
    pub deliveries: Arc<dyn Deliveries>,
    /// Sends one again.
    pub redeliver: Arc<DeliverCallbacks>,
    /// API keys.
    pub access: Arc<dyn Access>,
    /// What signs callbacks.
    pub signing: Arc<dyn Signing>,
    /// Who changed what.
    pub audit: Arc<dyn AuditLog>,
    /// What people see of calls.
    pub board: Arc<dyn CallBoard>,
    /// Recordings and transcripts.
    pub artifacts: Arc<dyn Artifacts>,
    /// What calls are placed with.
    pub calling: Calling,
}

/// The dashboard's state: closed until the service is built.
pub struct Dashboard {
    pub(crate) front: Front,
    pub(crate) live: Arc<Live>,
    /// Lists that are being sent as files.
    pub(crate) exports: Turns,
    /// Lists that are being made.
    pub(crate) lists: Queues,
    pub(crate) guests: Guests,
    service: OnceLock<Arc<Service>>,
}

impl Dashboard {
    /// A closed dashboard: every page says that the service is starting.
    pub fn new(front: Front) -> Arc<Self> {
        Arc::new(Self {
            front,
            live: Arc::default(),
            exports: Turns::default(),
            lists: Queues::default(),
            guests: Guests::default(),
            service: OnceLock::new(),
        })
    }

    /// Lets people in; `false` when it was open already.
    pub fn open(&self, service: Service) -> bool {
        self.service.set(Arc::new(service)).is_ok()
    }

    /// Ends what pages keep open to stay up to date: without it, a stop would wait for them.
    pub fn end_streams(&self) {
        self.live.close();
    }

    pub(crate) fn service(&self) -> Result<Arc<Service>, PageError> {
        self.service.get().map(Arc::clone).ok_or(PageError::Unavailable)
    }
}
