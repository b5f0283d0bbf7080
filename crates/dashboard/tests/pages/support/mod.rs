//! A dashboard with two tenants, its people, and browsers to visit it with.

mod browser;
mod calling;
mod english;
mod fields;
mod receivers;
mod system;
mod trunk_states;

use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use application::assistant_file::Allowed;
use application::create_organization::CreateOrganization;
use application::deliver_callbacks::DeliverCallbacks;
use application::replace_metadata::ReplaceMetadata;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use dashboard::{Dashboard, FORMS_MAX, Front, MISSES_MAX, Service};
use domain::assistant::{AllowedTenants, Credential, CredentialName, Credentials};
use domain::audit::{Action, Actor, Deed};
use domain::ids::{NewId, OrganizationId, TenantId, UserId};
use domain::network::{AddressPolicy, Network, Origin};
use domain::organization::{Organization, Profile, Tenant, Timezone};
use domain::password::PasswordHash;
use domain::ports::{Admission, CallBoard, Clock, Entropy, NewOrganization, Passwords, SignIn};
use domain::scope::Scope;
use domain::secret::Secret;
use domain::session::{NewSession, SessionDigest};
use domain::testing::{InMemory, World, deed};
use domain::user::{Role, User};
use http_api::{Gate, Listen, MemoryWindow, Pages, Readiness, SMALLEST_LIMIT, Stopper, TrustedProxies};
use json_schema::JsonSchemaJudge;
use sha2::{Digest, Sha256};
use tokio::runtime::Handle;
use url::Url;

pub(crate) use browser::{Browser, Shown};
pub(crate) use english::{english_word, read_of};
pub(crate) use fields::{fields, pairs};
pub(crate) use receivers::Receivers;
pub(crate) use system::{Counter, PlainPasswords, Signs, TestClock};
pub(crate) use trunk_states::TrunkStates;

/// The password of everybody.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// A running dashboard.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    /// Every store port.
    pub(crate) world: World,
    /// The store behind them.
    pub(crate) store: InMemory,
    pub(crate) dashboard: Arc<Dashboard>,
    pub(crate) clock: Arc<TestClock>,
    /// Where callbacks go.
    pub(crate) receivers: Arc<Receivers>,
    pub(crate) trunk_states: Arc<TrunkStates>,
    pub(crate) passwords: Arc<PlainPasswords>,
    pub(crate) entropy: Arc<Counter>,
    /// A tenant with two organizations.
    pub(crate) clinic: Company,
    /// Another tenant.
    pub(crate) rival: Company,
    stopper: Stopper,
}

/// What a site has that others have not.
#[derive(Default)]
struct Wishes {
    board: Option<Arc<dyn CallBoard>>,
    encrypted: bool,
    proxies: Vec<Network>,
    hasher: Option<Arc<dyn Passwords>>,
}

/// A tenant and its organizations.
#[derive(Clone, Debug)]
pub(crate) struct Company {
    pub(crate) tenant: TenantId,
    pub(crate) organizations: Vec<OrganizationId>,
}

impl Company {
    /// Its first organization.
    pub(crate) fn first(&self) -> OrganizationId {
        self.organizations[0]
    }
}

impl Site {
    /// One more organization of a tenant.
    pub(crate) async fn organization(&self, tenant: TenantId, name: &str) -> OrganizationId {
        add_organization(&self.world, self.clock.now(), self.entropy.as_ref(), tenant, name).await
    }

    /// One more tenant, with so many organizations.
    pub(crate) async fn company(&self, name: &str, organizations: usize) -> Company {
        company(&self.world, self.clock.now(), self.entropy.as_ref(), name, organizations).await
    }

    pub(crate) async fn start() -> Self {
        Self::start_as(Wishes::default()).await
    }

    /// With another board of calls than the store's.
    pub(crate) async fn start_with(board: Arc<dyn CallBoard>) -> Self {
        Self::start_as(Wishes { board: Some(board), ..Wishes::default() }).await
    }

    /// Behind a proxy that ends TLS, under names of its own.
    pub(crate) async fn start_encrypted() -> Self {
        Self::start_as(Wishes { encrypted: true, ..Wishes::default() }).await
    }

    /// Behind a proxy on this machine that names its clients, and with these passwords.
    pub(crate) async fn start_behind_proxy(passwords: Arc<dyn Passwords>) -> Self {
        let proxies = vec![Network::parse("127.0.0.1/32").unwrap()];
        Self::start_as(Wishes { proxies, hasher: Some(passwords), ..Wishes::default() }).await
    }

    async fn start_as(wishes: Wishes) -> Self {
        let Wishes { board, encrypted, proxies, hasher } = wishes;
        let clock = Arc::new(TestClock::default());
        let entropy = Arc::new(Counter::default());
        let passwords = Arc::new(PlainPasswords::default());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let public_url = Url::parse(&format!("http://{address}")).unwrap();
        let dashboard = Dashboard::new(Front {
            public_url,
            encrypted,
            forms: Arc::new(MemoryWindow::new(1_000, FORMS_MAX)),
            misses: Arc::new(MemoryWindow::new(1_000, MISSES_MAX - 1)),
        });
        let gate = Gate::new(http_api::Front {
            clock: clock.clone(),
            entropy: entropy.clone(),
            window: Arc::new(MemoryWindow::new(1_000, SMALLEST_LIMIT)),
            trusted_proxies: TrustedProxies::new(proxies),
            readiness: Arc::new(|| Readiness::Ready),
        });
        let listen = Listen {
            listeners: vec![listener],
            tls: None,
            workers: NonZeroUsize::new(1),
            shutdown_limit: Duration::from_secs(10),
        };
        let (own, lost) = (dashboard.clone(), dashboard.clone());
        let pages = Pages::new(
            move |app| dashboard::configure(&own, app),
            move |request| dashboard::lost(&lost, request),
        );
        let server = http_api::serve(listen, gate, pages).unwrap();
        let stopper = server.stopper();
        tokio::spawn(server.run());
        let receivers = Arc::new(Receivers::default());
        let trunk_states = Arc::new(TrunkStates::default());
        let store = InMemory::default();
        let world = World::new(store.clone(), ());
        let clinic = company(&world, clock.now(), entropy.as_ref(), "Clinic", 2).await;
        let rival = company(&world, clock.now(), entropy.as_ref(), "Rival", 1).await;
        let judge = Arc::new(JsonSchemaJudge::start().unwrap());
        dashboard.open(Service {
            control: Handle::current(),
            clock: clock.clone(),
            entropy: entropy.clone(),
            sessions: world.sessions.clone(),
            organizations: world.organizations.clone(),
            create_organization: CreateOrganization {
                organizations: world.organizations.clone(),
                entropy: entropy.clone(),
            },
            metadata: world.metadata.clone(),
            replace_metadata: ReplaceMetadata { records: world.metadata.clone(), judge: judge.clone() },
            schemas: world.schemas.clone(),
            judge,
            assistants: world.assistants.clone(),
            allowed_assistants: allowed_assistants(),
            numbers: world.numbers.clone(),
            trunks: world.trunks.clone(),
            trunk_addresses: AddressPolicy::default(),
            trunk_reports: trunk_states.clone(),
            accounts: world.accounts.clone(),
            tries: world.tries.clone(),
            invitations: world.invitations.clone(),
            set_up: world.set_up.clone(),
            passwords: hasher.unwrap_or_else(|| passwords.clone()),
            deliveries: world.deliveries.clone(),
            redeliver: Arc::new(DeliverCallbacks::new(
                world.callbacks.clone(),
                receivers.clone(),
                clock.clone(),
                fresh(clock.now(), entropy.as_ref()),
                Handle::current(),
            )),
            audit: world.audit.clone(),
            board: board.unwrap_or_else(|| world.board.clone()),
            artifacts: Arc::new(Signs),
            access: world.access.clone(),
            signing: world.signing.clone(),
            calling: calling::calling(&world, clock.clone(), entropy.clone()).await,
        });
        Self {
            address,
            world,
            store,
            dashboard,
            clock,
            receivers,
            trunk_states,
            passwords,
            entropy,
            clinic,
            rival,
            stopper,
        }
    }

    /// Somebody who is not added yet.
    pub(crate) fn nobody(&self, company: &Company, organization: Option<OrganizationId>, role: Role) -> User {
        let id: UserId = fresh(self.clock.now(), self.entropy.as_ref());
        User {
            id,
            tenant: company.tenant,
            organization,
            email: format!("{}.{id}@clinic.example", role.as_str()),
            role,
            active: true,
            created_at: self.clock.now(),
            signed_in_at: None,
        }
    }

    /// Somebody new of a company, or of one organization of it.
    pub(crate) async fn user(
        &self,
        company: &Company,
        organization: Option<OrganizationId>,
        role: Role,
    ) -> User {
        let user = self.nobody(company, organization, role);
        self.admit(&user).await;
        user
    }

    /// Adds somebody, with everybody's password.
    pub(crate) async fn admit(&self, user: &User) {
        let deed = operator(self.clock.now());
        self.world.accounts.add(user.clone(), Admission::Password(hash()), deed).await.unwrap();
    }

    /// A browser in which somebody new has signed in.
    pub(crate) async fn signed_in(
        &self,
        company: &Company,
        organization: Option<OrganizationId>,
        role: Role,
    ) -> Browser {
        let user = self.user(company, organization, role).await;
        self.browser_of(&user).await
    }

    /// A browser in which a user has signed in.
    pub(crate) async fn browser_of(&self, user: &User) -> Browser {
        let mut bytes = [0; 32];
        self.entropy.fill(&mut bytes);
        let value = URL_SAFE_NO_PAD.encode(bytes);
        let digest = SessionDigest(Sha256::digest(value.as_bytes()).into());
        let session = NewSession::new(digest, None, Some("a test"), self.clock.now());
        let sign_in = SignIn { user: user.id, proved: hash(), rehashed: None, session };
        self.world.sessions.begin(sign_in).await.unwrap().unwrap();
        let mut browser = self.browser();
        browser.keep("__Host-callwright", &value);
        browser
    }

    /// A browser in which nobody has signed in.
    pub(crate) fn browser(&self) -> Browser {
        Browser::new(self.address)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let stopper = self.stopper.clone();
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move { stopper.stop(false).await });
        }
    }
}

fn hash() -> PasswordHash {
    system::hash_of(PASSWORD)
}

/// What the operator does now.
pub(crate) fn operator(at: time::OffsetDateTime) -> Deed {
    Deed { actor: Actor::Operator, from: None, at }
}

/// One network, a credential of every tenant, and one of others.
pub(crate) fn allowed_assistants() -> Allowed {
    let addresses = AddressPolicy { allowed: vec![Network::parse("10.0.0.0/8").unwrap()], own: Vec::new() };
    let credential = |name: &str, variable: &str, tenants| Credential {
        name: CredentialName::parse(name).unwrap(),
        variable: Some(variable.to_owned()),
        origins: ["https://api.openai.com"].map(|origin| Origin::parse(origin).unwrap()).into(),
        tenants,
    };
    let openai = credential("openai", "OPENAI_API_KEY", AllowedTenants::All);
    let others = credential("others", "OTHERS_KEY", AllowedTenants::default());
    Allowed { addresses, credentials: Credentials::new(vec![openai, others]) }
}

/// A fresh id.
pub(crate) fn fresh<Id: From<NewId>>(now: time::OffsetDateTime, entropy: &dyn Entropy) -> Id {
    let mut random = [0; 10];
    entropy.fill(&mut random);
    NewId::at(now, random).into()
}

async fn company(
    world: &World,
    at: time::OffsetDateTime,
    entropy: &dyn Entropy,
    name: &str,
    organizations: usize,
) -> Company {
    let tenant = Tenant { id: fresh(at, entropy), name: name.to_owned(), created_at: at };
    let id = tenant.id;
    world.add_tenant(tenant).await.unwrap();
    let mut made = Vec::new();
    for place in 0..organizations {
        made.push(add_organization(world, at, entropy, id, &format!("{name} {place}")).await);
    }
    Company { tenant: id, organizations: made }
}

async fn add_organization(
    world: &World,
    at: time::OffsetDateTime,
    entropy: &dyn Entropy,
    tenant: TenantId,
    name: &str,
) -> OrganizationId {
    let organization = organization(tenant, fresh(at, entropy), name, at);
    let id = organization.id;
    let signing_secret = Secret::new(vec![7; 24]);
    let new = NewOrganization { organization, signing_secret, once: None, deed: deed(at) };
    world.organizations.create(new).await.unwrap();
    id
}

fn organization(tenant: TenantId, id: OrganizationId, name: &str, at: time::OffsetDateTime) -> Organization {
    Organization {
        id,
        tenant,
        profile: Profile {
            name: name.to_owned(),
            email: "desk@clinic.example".to_owned(),
            image: None,
            address: "1 Main Street".to_owned(),
            city: "Toronto".to_owned(),
            state_province: "ON".to_owned(),
            postal_code: "M5V 1A1".to_owned(),
            country: "Canada".to_owned(),
            phone_number: "+1 416 555 0100".to_owned(),
            timezone: Timezone::parse("America/Toronto").unwrap(),
            external_id: None,
        },
        owner_id: "operator".to_owned(),
        created_by: "operator".to_owned(),
        last_modified_by: None,
        created_at: at,
        updated_at: at,
        deleted_at: None,
    }
}

/// What was done in a tenant, the latest first.
pub(crate) async fn audited(site: &Site, tenant: TenantId) -> Vec<Action> {
    let entries = site.world.audit.entries(Scope::Tenant(tenant), None, None, 100).await.unwrap();
    entries.into_iter().map(|entry| entry.action).collect()
}
