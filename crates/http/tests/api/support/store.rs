//! The store in memory, furnished, with places where a test can hold or break it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::assistant::{Assistant, CallLimits, Conduct, Engine, Language, Script};
use domain::call::{Ended, OutboundStatus};
use domain::idempotency::{Earlier, Once};
use domain::ids::{AssistantId, BootId, CallId, NodeId, NumberId, OrganizationId, TenantId, TrunkId};
use domain::number::E164;
use domain::organization::{Organization, Profile, Tenant, Timezone};
use domain::ports::{
    Acceptance, Accepted, Assistants, CallbackSender, ClaimedCallback, Concluded, Conclusion, Directory,
    Fence, NewOrganization, Nodes, Numbers, Organizations, OutboundCalls, Placeable, Recorded, SavedLeg,
    Spool, SpoolError, StoreUnavailable, Tenants, Trunks, TryOutcome,
};
use domain::scope::{Reach, Scope};
use domain::secret::Secret;
use domain::testing::{InMemory, deed};
use domain::trunk::{Number, Transport, Trunk, TrunkAddress};
use domain::variables::Variables;
use time::OffsetDateTime;
use tokio::sync::{Notify, Semaphore};
use tokio::time::timeout;
use uuid::Uuid;

pub(crate) const TENANT: TenantId = TenantId::from_uuid(Uuid::from_u128(0x1000));
pub(crate) const OTHER_TENANT: TenantId = TenantId::from_uuid(Uuid::from_u128(0x1001));
pub(crate) const ORGANIZATION: OrganizationId = OrganizationId::from_uuid(Uuid::from_u128(0x2000));
pub(crate) const SISTER: OrganizationId = OrganizationId::from_uuid(Uuid::from_u128(0x2001));
/// Live at first.
pub(crate) const CLOSING: OrganizationId = OrganizationId::from_uuid(Uuid::from_u128(0x2002));
pub(crate) const FOREIGN: OrganizationId = OrganizationId::from_uuid(Uuid::from_u128(0x2003));
/// The reach of the usual key.
pub(crate) const HOME: Scope = Scope::Organization(TENANT, ORGANIZATION);

pub(crate) const ASSISTANT: AssistantId = assistant_of(ORGANIZATION);
pub(crate) const NUMBER: NumberId = number_of(ORGANIZATION);
pub(crate) const BOOT: BootId = BootId::from_uuid(Uuid::from_u128(0x6000));

/// The id of the one assistant of an organization.
pub(crate) const fn assistant_of(organization: OrganizationId) -> AssistantId {
    AssistantId::from_uuid(Uuid::from_u128(0x3_0000 + organization.uuid().as_u128()))
}

/// The id of the one number of an organization.
pub(crate) const fn number_of(organization: OrganizationId) -> NumberId {
    NumberId::from_uuid(Uuid::from_u128(0x4_0000 + organization.uuid().as_u128()))
}

/// The store that handlers and use cases see.
pub(crate) struct Store {
    pub(crate) inner: InMemory,
    /// The status query panics while this is set.
    pub(crate) broken: AtomicBool,
    /// Looking up what to dial with takes a permit of these.
    pub(crate) lookups: Semaphore,
    looking_up: Notify,
    recorded: Notify,
}

impl Store {
    pub(crate) fn empty() -> Self {
        Self {
            inner: InMemory::new(),
            broken: AtomicBool::new(false),
            lookups: Semaphore::new(Semaphore::MAX_PERMITS),
            looking_up: Notify::new(),
            recorded: Notify::new(),
        }
    }

    /// Two tenants; the first has three organizations.
    pub(crate) async fn furnish(&self) {
        let created_at = OffsetDateTime::UNIX_EPOCH;
        for id in [TENANT, OTHER_TENANT] {
            self.inner
                .add_tenant(Tenant { id, name: "Acme".into(), created_at }, deed(created_at))
                .await
                .unwrap();
            self.inner.add_trunk(Reach::Everything, trunk(id), deed(created_at)).await.unwrap();
        }
        for (tenant, id) in
            [(TENANT, ORGANIZATION), (TENANT, SISTER), (TENANT, CLOSING), (OTHER_TENANT, FOREIGN)]
        {
            let signing_secret = Secret::new(b"secret".to_vec());
            let organization = organization(tenant, id);
            self.inner
                .create(NewOrganization { organization, signing_secret, once: None, deed: deed(created_at) })
                .await
                .unwrap();
            self.inner.add_number(Reach::Everything, number(tenant, id), deed(created_at)).await.unwrap();
            self.inner
                .add_assistant(Reach::Everything, assistant(tenant, id), deed(created_at))
                .await
                .unwrap();
        }
        self.inner.join(NodeId::from_uuid(Uuid::from_u128(0x7000)), BOOT).await.unwrap();
    }

    /// Returns once somebody asks what to dial with.
    pub(crate) async fn wait_until_looking_up(&self) {
        timeout(Duration::from_secs(10), self.looking_up.notified()).await.expect("nobody looks anything up");
    }

    /// Returns once a call is recorded.
    pub(crate) async fn wait_until_recorded(&self) {
        timeout(Duration::from_secs(10), self.recorded.notified()).await.expect("no call is recorded");
    }

    /// Ends a call that is being dialled.
    pub(crate) async fn end(&self, call: &str, ended: Ended) {
        let fence = Fence { call: CallId::parse(call).unwrap(), owner: BOOT, epoch: 1 };
        let conclusion = Conclusion { fence, ended, answer: None, callback: None };
        assert_eq!(self.inner.conclude(conclusion).await.unwrap(), Concluded::Final);
    }
}

fn trunk_of(tenant: TenantId) -> TrunkId {
    TrunkId::from_uuid(Uuid::from_u128(0x5_0000 + tenant.uuid().as_u128()))
}

fn trunk(tenant: TenantId) -> Trunk {
    Trunk {
        id: trunk_of(tenant),
        tenant,
        name: "carrier".into(),
        address: TrunkAddress::parse("127.0.0.1:5060").unwrap(),
        transport: Transport::Udp,
        credentials: None,
        register: false,
        from_domain: None,
        default_country: None,
        wideband: false,
        srtp: domain::trunk::Srtp::Off,
        guarded: false,
        nat: false,
        media_networks: Vec::new(),
        inbound_from: Vec::new(),
        realms: Vec::new(),
        max_calls: None,
        calls_per_second: None,
        created_at: OffsetDateTime::UNIX_EPOCH,
    }
}

fn organization(tenant: TenantId, id: OrganizationId) -> Organization {
    let text = |text: &str| text.to_owned();
    Organization {
        id,
        tenant,
        profile: Profile {
            name: text("North Clinic"),
            email: text("desk@clinic.example"),
            image: None,
            address: text("1 Main St"),
            city: text("Halifax"),
            state_province: text("NS"),
            postal_code: text("B3H 1A1"),
            country: text("CA"),
            phone_number: text("902-555-0100"),
            timezone: Timezone::parse("America/Halifax").unwrap(),
            external_id: None,
        },
        owner_id: text("operator"),
        created_by: text("operator"),
        last_modified_by: None,
        created_at: OffsetDateTime::UNIX_EPOCH,
        updated_at: OffsetDateTime::UNIX_EPOCH,
        deleted_at: None,
    }
}

fn number(tenant: TenantId, organization: OrganizationId) -> Number {
    Number {
        id: number_of(organization),
        tenant,
        organization,
        trunk: trunk_of(tenant),
        number: E164::parse("+14155550100").unwrap(),
        created_at: OffsetDateTime::UNIX_EPOCH,
    }
}

pub(crate) fn assistant(tenant: TenantId, organization: OrganizationId) -> Assistant {
    let script =
        Script { first_message: "Hello.".into(), steps: Vec::new(), closing_line: None, reprompt: None };
    Assistant {
        id: assistant_of(organization),
        tenant,
        organization,
        name: "Ada".into(),
        team: None,
        engine: Engine::Builtin(script),
        language: Language::EnglishUnitedStates,
        limits: CallLimits::default(),
        conduct: Conduct::default(),
        variables: Variables::new(),
        created_at: OffsetDateTime::UNIX_EPOCH,
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
        self.looking_up.notify_one();
        self.lookups.acquire().await.unwrap().forget();
        self.inner.placeable(scope, assistant, number).await
    }

    async fn trunks(&self) -> Result<Vec<Trunk>, StoreUnavailable> {
        self.inner.trunks().await
    }

    async fn tenant_of(&self, organization: OrganizationId) -> Result<Option<TenantId>, StoreUnavailable> {
        self.inner.tenant_of(organization).await
    }

    async fn agents(
        &self,
        after: Option<AssistantId>,
        limit: u32,
    ) -> Result<Vec<Assistant>, StoreUnavailable> {
        self.inner.agents(after, limit).await
    }
}

#[async_trait]
impl OutboundCalls for Store {
    async fn accept(&self, acceptance: Acceptance) -> Result<Accepted, StoreUnavailable> {
        let accepted = self.inner.accept(acceptance).await?;
        self.recorded.notify_one();
        Ok(accepted)
    }

    async fn earlier(
        &self,
        once: &Once,
        now: OffsetDateTime,
    ) -> Result<Option<Earlier<Recorded>>, StoreUnavailable> {
        self.inner.earlier(once, now).await
    }

    async fn ringing(&self, fence: Fence, at: OffsetDateTime) -> Result<bool, StoreUnavailable> {
        self.inner.ringing(fence, at).await
    }

    async fn answered(
        &self,
        fence: Fence,
        leg: SavedLeg,
        at: OffsetDateTime,
    ) -> Result<bool, StoreUnavailable> {
        self.inner.answered(fence, leg, at).await
    }

    async fn conclude(&self, conclusion: Conclusion) -> Result<Concluded, StoreUnavailable> {
        self.inner.conclude(conclusion).await
    }

    async fn status(&self, scope: Scope, call: CallId) -> Result<Option<OutboundStatus>, StoreUnavailable> {
        assert!(!self.broken.load(Ordering::SeqCst), "the test wants a panic here");
        self.inner.status(scope, call).await
    }
}

/// Neither callbacks nor spooled conclusions are looked at here.
pub(crate) struct Nowhere;

#[async_trait]
impl CallbackSender for Nowhere {
    async fn send(&self, _callback: &ClaimedCallback) -> TryOutcome {
        TryOutcome::Answered(200)
    }
}

#[async_trait]
impl Spool for Nowhere {
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
