//! A store in memory: two tenants, their organizations, assistants and numbers.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::access::{ApiKey, KeyDigest, Principal};
use domain::assistant::{Assistant, CallLimits, Engine, Language, Script};
use domain::call::{CallStatus, Ended, OutboundCall, OutboundStatus};
use domain::ids::{AssistantId, BootId, CallId, KeyId, NodeId, NumberId, OrganizationId, TenantId, TrunkId};
use domain::number::E164;
use domain::ports::{
    Acceptance, Accepted, Access, Beat, CallbackSender, Callbacks, ClaimedCallback, Concluded, Conclusion,
    Directory, Dispatch, Fence, IssueError, Nodes, ObservedNode, Orphan, OutboundCalls, Placeable, SavedLeg,
    Settled, Spool, SpoolError, StoreUnavailable, TryOutcome, TryRecord,
};
use domain::scope::Scope;
use domain::trunk::{Number, Transport, Trunk, TrunkAddress};
use parking_lot::Mutex;
use time::OffsetDateTime;
use tokio::sync::{Notify, Semaphore};
use tokio::time::timeout;
use uuid::Uuid;

pub(crate) const TENANT: TenantId = TenantId::from_uuid(Uuid::from_u128(0x1000));
pub(crate) const OTHER_TENANT: TenantId = TenantId::from_uuid(Uuid::from_u128(0x1001));
pub(crate) const ORGANIZATION: OrganizationId = OrganizationId::from_uuid(Uuid::from_u128(0x2000));
pub(crate) const SISTER: OrganizationId = OrganizationId::from_uuid(Uuid::from_u128(0x2001));
pub(crate) const DELETED: OrganizationId = OrganizationId::from_uuid(Uuid::from_u128(0x2002));
pub(crate) const FOREIGN: OrganizationId = OrganizationId::from_uuid(Uuid::from_u128(0x2003));
/// The reach of the usual key.
pub(crate) const HOME: Scope = Scope::Organization(TENANT, ORGANIZATION);

pub(crate) const ASSISTANT: AssistantId = assistant_of(ORGANIZATION);
pub(crate) const NUMBER: NumberId = number_of(ORGANIZATION);

/// The id of the one assistant of an organization.
pub(crate) const fn assistant_of(organization: OrganizationId) -> AssistantId {
    AssistantId::from_uuid(Uuid::from_u128(0x3_0000 + organization.uuid().as_u128()))
}

/// The id of the one number of an organization.
pub(crate) const fn number_of(organization: OrganizationId) -> NumberId {
    NumberId::from_uuid(Uuid::from_u128(0x4_0000 + organization.uuid().as_u128()))
}

/// What is known of a recorded call.
pub(crate) struct Recorded {
    pub(crate) call: OutboundCall,
    pub(crate) ended: Option<Ended>,
}

pub(crate) struct Store {
    pub(crate) keys: Mutex<HashMap<KeyDigest, Principal>>,
    pub(crate) calls: Mutex<BTreeMap<CallId, Recorded>>,
    /// Every question fails while this is set.
    pub(crate) down: AtomicBool,
    /// The status query panics while this is set.
    pub(crate) broken: AtomicBool,
    /// Looking up what to dial with waits for a permit of its own.
    pub(crate) lookups: Semaphore,
    looking_up: Notify,
    recorded: Notify,
    places: Vec<Placeable>,
}

impl Store {
    /// Two tenants; the first has a live organization, a sister, and a deleted one.
    pub(crate) fn furnished() -> Self {
        let places = [
            (TENANT, ORGANIZATION, true),
            (TENANT, SISTER, true),
            (TENANT, DELETED, false),
            (OTHER_TENANT, FOREIGN, true),
        ];
        Self {
            keys: Mutex::default(),
            calls: Mutex::default(),
            down: AtomicBool::new(false),
            broken: AtomicBool::new(false),
            lookups: Semaphore::new(Semaphore::MAX_PERMITS),
            looking_up: Notify::new(),
            recorded: Notify::new(),
            places: places.map(|(tenant, id, active)| placeable(tenant, id, active)).to_vec(),
        }
    }

    fn reach(&self) -> Result<(), StoreUnavailable> {
        let down = self.down.load(Ordering::SeqCst);
        if down { Err(StoreUnavailable::because("secret cause")) } else { Ok(()) }
    }

    /// Returns once somebody asks what to dial with.
    pub(crate) async fn wait_until_looking_up(&self) {
        timeout(Duration::from_secs(10), self.looking_up.notified()).await.expect("nobody looks anything up");
    }

    /// Returns once a call is recorded.
    pub(crate) async fn wait_until_recorded(&self) {
        timeout(Duration::from_secs(10), self.recorded.notified()).await.expect("no call is recorded");
    }

    /// Ends a recorded call.
    pub(crate) fn end(&self, call: &str, ended: Ended) {
        let id = CallId::parse(call).unwrap();
        self.calls.lock().get_mut(&id).unwrap().ended = Some(ended);
    }
}

fn placeable(tenant: TenantId, organization: OrganizationId, organization_active: bool) -> Placeable {
    let created_at = OffsetDateTime::UNIX_EPOCH;
    let trunk = TrunkId::from_uuid(Uuid::from_u128(0x5000));
    let script =
        Script { first_message: "Hello.".into(), steps: Vec::new(), closing_line: None, reprompt: None };
    Placeable {
        assistant: Assistant {
            id: assistant_of(organization),
            tenant,
            organization,
            name: "Ada".into(),
            team: None,
            engine: Engine::Builtin(script),
            language: Language::EnglishUnitedStates,
            limits: CallLimits::default(),
            created_at,
        },
        number: Number {
            id: number_of(organization),
            tenant,
            organization,
            trunk,
            number: E164::parse("+14155550100").unwrap(),
            created_at,
        },
        trunk: Trunk {
            id: trunk,
            tenant,
            name: "carrier".into(),
            address: TrunkAddress::parse("127.0.0.1:5060").unwrap(),
            transport: Transport::Udp,
            credentials: None,
            register: false,
            from_domain: None,
            default_country: None,
            max_calls: None,
            calls_per_second: None,
            created_at,
        },
        organization_active,
    }
}

#[async_trait]
impl Access for Store {
    async fn authenticate(
        &self,
        digest: KeyDigest,
        _now: OffsetDateTime,
    ) -> Result<Option<Principal>, StoreUnavailable> {
        self.reach()?;
        Ok(self.keys.lock().get(&digest).cloned())
    }

    async fn issue(&self, _key: ApiKey, _digest: KeyDigest) -> Result<(), IssueError> {
        Ok(())
    }

    async fn revoke(&self, key: KeyId, _now: OffsetDateTime) -> Result<bool, StoreUnavailable> {
        let mut keys = self.keys.lock();
        let before = keys.len();
        keys.retain(|_, principal| principal.key != key);
        Ok(keys.len() < before)
    }

    async fn keys(&self, _tenant: TenantId) -> Result<Vec<ApiKey>, StoreUnavailable> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl Directory for Store {
    async fn placeable(
        &self,
        scope: Scope,
        assistant: AssistantId,
        number: NumberId,
    ) -> Result<Option<Placeable>, StoreUnavailable> {
        self.reach()?;
        self.looking_up.notify_one();
        self.lookups.acquire().await.unwrap().forget();
        let found = self.places.iter().find(|place| {
            place.assistant.id == assistant
                && place.number.id == number
                && scope.covers(place.number.tenant, place.number.organization)
        });
        Ok(found.cloned())
    }

    async fn trunks(&self) -> Result<Vec<Trunk>, StoreUnavailable> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl OutboundCalls for Store {
    async fn accept(&self, acceptance: Acceptance) -> Result<Accepted, StoreUnavailable> {
        self.reach()?;
        let Acceptance { call, dispatch } = acceptance;
        let (id, created_at) = (call.id, call.created_at);
        let (accepted, ended) = match dispatch {
            Dispatch::Dial { owner, .. } => (Accepted::Calling(Fence { call: id, owner, epoch: 1 }), None),
            Dispatch::Refuse { reason } => {
                (Accepted::Failed(reason), Some(Ended { reason, started_at: None, ended_at: created_at }))
            }
        };
        self.calls.lock().insert(id, Recorded { call, ended });
        self.recorded.notify_one();
        Ok(accepted)
    }

    async fn ringing(&self, _fence: Fence, _at: OffsetDateTime) -> Result<bool, StoreUnavailable> {
        Ok(true)
    }

    async fn answered(
        &self,
        _fence: Fence,
        _leg: SavedLeg,
        _at: OffsetDateTime,
    ) -> Result<bool, StoreUnavailable> {
        Ok(true)
    }

    async fn conclude(&self, conclusion: Conclusion) -> Result<Concluded, StoreUnavailable> {
        self.end(&conclusion.fence.call.to_string(), conclusion.ended);
        Ok(Concluded::Final)
    }

    async fn status(&self, scope: Scope, call: CallId) -> Result<Option<OutboundStatus>, StoreUnavailable> {
        self.reach()?;
        assert!(!self.broken.load(Ordering::SeqCst), "the test wants a panic here");
        let calls = self.calls.lock();
        let visible = calls
            .get(&call)
            .filter(|recorded| scope.covers(recorded.call.tenant, recorded.call.organization));
        Ok(visible.map(|recorded| OutboundStatus {
            call,
            contact: recorded.call.contact,
            status: recorded.ended.map_or(CallStatus::Calling, |ended| ended.status()),
            details: recorded.ended.map(|ended| ended.details()),
        }))
    }
}

#[async_trait]
impl Nodes for Store {
    async fn join(&self, _node: NodeId, _boot: BootId) -> Result<Vec<BootId>, StoreUnavailable> {
        Ok(Vec::new())
    }

    async fn beat(&self, _boot: BootId) -> Result<Beat, StoreUnavailable> {
        Ok(Beat { live: 1, ..Beat::default() })
    }

    async fn others(&self, _boot: BootId) -> Result<Vec<ObservedNode>, StoreUnavailable> {
        Ok(Vec::new())
    }

    async fn take_over(
        &self,
        _heir: BootId,
        _dead: BootId,
        _counter: Option<i64>,
        _limit: u32,
    ) -> Result<Vec<Orphan>, StoreUnavailable> {
        Ok(Vec::new())
    }

    async fn request_hang_up(&self, _call: CallId) -> Result<bool, StoreUnavailable> {
        Ok(false)
    }

    async fn leave(&self, _boot: BootId) -> Result<(), StoreUnavailable> {
        Ok(())
    }
}

#[async_trait]
impl Callbacks for Store {
    async fn claim(
        &self,
        _boot: BootId,
        _now: OffsetDateTime,
        _lease: Duration,
        _excluded: &[String],
        _limit: u32,
    ) -> Result<Vec<ClaimedCallback>, StoreUnavailable> {
        Ok(Vec::new())
    }

    async fn claim_fresh(
        &self,
        _boot: BootId,
        _call: CallId,
        _now: OffsetDateTime,
        _lease: Duration,
    ) -> Result<Option<ClaimedCallback>, StoreUnavailable> {
        Ok(None)
    }

    async fn settle(
        &self,
        _boot: BootId,
        _call: CallId,
        _tries_before: u16,
        _record: TryRecord,
        _settled: Settled,
    ) -> Result<bool, StoreUnavailable> {
        Ok(true)
    }

    async fn next_due(&self) -> Result<Option<OffsetDateTime>, StoreUnavailable> {
        Ok(None)
    }

    async fn release(&self, _earlier_boots: &[BootId]) -> Result<u64, StoreUnavailable> {
        Ok(0)
    }
}

#[async_trait]
impl CallbackSender for Store {
    async fn send(&self, _callback: &ClaimedCallback) -> TryOutcome {
        TryOutcome::Answered(200)
    }
}

#[async_trait]
impl Spool for Store {
    async fn keep(&self, _conclusion: &Conclusion) -> Result<(), SpoolError> {
        Ok(())
    }

    async fn pending(&self) -> Result<Vec<Conclusion>, SpoolError> {
        Ok(Vec::new())
    }

    async fn forget(&self, _call: CallId) -> Result<(), SpoolError> {
        Ok(())
    }
}
