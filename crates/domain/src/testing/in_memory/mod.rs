//! Every store port in memory: one lock around one state, so that each decision is atomic.

mod access;
mod accounts;
mod admissions;
mod analyses;
mod audit;
mod call_board;
mod call_records;
mod callbacks;
mod calls;
mod deliveries;
mod directory;
mod filing;
mod housekeeping;
mod idempotency;
mod metadata;
mod nodes;
mod organizations;
mod people;
mod sessions;
mod setup;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use analyses::AnalysisEntry;
pub use filing::Filed;
use idempotency::Answers;
use people::People;
use time::OffsetDateTime;

use crate::access::{ApiKey, KeyDigest};
use crate::assistant::Assistant;
use crate::audit::AuditEntry;
use crate::call::{ArtifactKind, Ended, FinalAnswer, Live, OutboundCall};
use crate::callback::{CallbackDraft, DeliveryState};
use crate::ids::{
    AssistantId, BootId, CallId, KeyId, NodeId, NumberId, OrganizationId, SigningSecretId, TeamId, TenantId,
    TrunkId,
};
use crate::metadata::{MetadataRecord, SchemaOwner, StoredSchema};
use crate::organization::{Organization, Tenant};
use crate::ports::{Command, DeliveryTry, Recorded, SavedLeg, StoreUnavailable, TryRecord};
use crate::secret::Secret;
use crate::testing::LaidCall;
use crate::trunk::{Number, Trunk};

/// A store that forgets everything when it is dropped; clones share it.
#[derive(Clone, Default)]
pub struct InMemory {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    away: bool,
    tenants: BTreeMap<TenantId, Tenant>,
    organizations: BTreeMap<OrganizationId, OrganizationEntry>,
    trunks: BTreeMap<TrunkId, TrunkEntry>,
    numbers: BTreeMap<NumberId, Number>,
    retired_numbers: HashSet<NumberId>,
    assistants: BTreeMap<AssistantId, Assistant>,
    retired_assistants: HashSet<AssistantId>,
    teams: BTreeMap<(OrganizationId, String), TeamId>,
    keys: BTreeMap<KeyId, (ApiKey, KeyDigest)>,
    calls: BTreeMap<CallId, CallEntry>,
    laid: BTreeMap<CallId, LaidCall>,
    callbacks: BTreeMap<CallId, CallbackEntry>,
    filed: BTreeMap<CallId, Filed>,
    analyses: BTreeMap<CallId, AnalysisEntry>,
    artifacts: BTreeMap<CallId, HashMap<ArtifactKind, u64>>,
    boots: BTreeMap<BootId, BootEntry>,
    audit: Vec<AuditEntry>,
    people: People,
    schemas: HashMap<SchemaOwner, StoredSchema>,
    /// Organizations as they were when a request with an idempotency key created them.
    created: Answers<Box<Organization>>,
    /// Calls as requests with an idempotency key were answered.
    placed: Answers<Recorded>,
}

struct OrganizationEntry {
    organization: Organization,
    secret: Secret<Vec<u8>>,
    secret_id: SigningSecretId,
    previous: Option<(Secret<Vec<u8>>, OffsetDateTime)>,
    metadata: MetadataRecord,
}

struct TrunkEntry {
    trunk: Trunk,
    lines: Vec<Option<CallId>>,
    retired: bool,
}

struct CallEntry {
    call: OutboundCall,
    dialled: bool,
    rang_at: Option<OffsetDateTime>,
    stage: Stage,
}

enum Stage {
    Live { owner: BootId, epoch: i32, live: Live, leg: Box<SavedLeg> },
    Over { ended: Ended, answer: Option<FinalAnswer> },
}

struct CallbackEntry {
    organization: OrganizationId,
    draft: CallbackDraft,
    state: Delivery,
    tries: Vec<TryRecord>,
    by_hand: Vec<DeliveryTry>,
    manual_tries: u16,
    manual_claim: Option<(BootId, OffsetDateTime)>,
}

enum Delivery {
    Pending { due_at: OffsetDateTime, claim: Option<Claim> },
    Settled(DeliveryState),
}

struct Claim {
    boot: BootId,
    lease_until: OffsetDateTime,
    taken_up: bool,
}

struct BootEntry {
    node: NodeId,
    counter: i64,
    gone: bool,
    commands: Vec<Command>,
    lost: Vec<CallId>,
}

impl InMemory {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on every port method fails, as if the database were away; or no longer.
    pub fn set_away(&self, away: bool) {
        self.lock().away = away;
    }

    /// The tries of a call's callback so far, in order.
    pub fn tries(&self, call: CallId) -> Vec<TryRecord> {
        self.lock().callbacks.get(&call).map(|entry| entry.tries.clone()).unwrap_or_default()
    }

    /// The queued callback of a call, settled or not.
    pub fn callback(&self, call: CallId) -> Option<CallbackDraft> {
        self.lock().callbacks.get(&call).map(|entry| entry.draft.clone())
    }

    /// The final SIP answer that was kept with a call's end.
    pub fn final_answer(&self, call: CallId) -> Option<FinalAnswer> {
        match &self.lock().calls.get(&call)?.stage {
            Stage::Over { answer, .. } => answer.clone(),
            Stage::Live { .. } => None,
        }
    }

    /// Every call that was ever accepted, oldest first.
    pub fn calls(&self) -> Vec<OutboundCall> {
        self.lock().calls.values().map(|entry| entry.call.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reach(&self) -> Result<MutexGuard<'_, State>, StoreUnavailable> {
        let state = self.lock();
        if state.away { Err(StoreUnavailable::because("the store is away")) } else { Ok(state) }
    }
}

impl State {
    fn live_organization(&self, id: OrganizationId) -> Option<&Organization> {
        self.organizations.get(&id).map(|entry| &entry.organization).filter(|own| own.is_active())
    }
}
