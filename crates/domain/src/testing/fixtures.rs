//! What the contracts start from: a tenant with everything needed to place calls.

mod assistants;
mod people;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use time::OffsetDateTime;
use time::macros::datetime;

pub(super) use assistants::{assistant, bare, cascade, realtime, stored};
pub(super) use people::{DESK, hash, link, session, sign_in, user};

use super::World;
use crate::access::{ApiKey, KeyDigest, Permission};
use crate::assistant::Assistant;
use crate::audit::{Actor, Deed};
use crate::call::{Ended, EndedReason, OutboundCall};
use crate::callback::{CallbackDraft, CallbackUrl};
use crate::ids::{
    BootId, CallId, ContactId, KeyId, NewId, NodeId, NumberId, OrganizationId, TenantId, TrunkId,
};
use crate::network::Network;
use crate::number::{CountryCode, Destination, E164};
use crate::organization::{Logo, Organization, Profile, Revision, Tenant, Timezone};
use crate::ports::{
    Acceptance, Accepted, Conclusion, DialIntent, Dispatch, Fence, NewOrganization, SavedLeg,
};
use crate::scope::Scope;
use crate::secret::Secret;
use crate::trunk::{Credentials, Number, Transport, Trunk, TrunkAddress};

/// How a contract ends: broken by a panic, or by an error where none is due.
pub type TestResult<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// A fixed moment, so many seconds later.
pub fn moment(seconds: u64) -> OffsetDateTime {
    datetime!(2026-03-01 09:30 UTC) + Duration::from_secs(seconds)
}

/// The operator's deed at a moment.
pub fn deed(at: OffsetDateTime) -> Deed {
    Deed { actor: Actor::Operator, from: None, at }
}

/// A fresh id, different from all others of this process.
pub(super) fn fresh() -> NewId {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    let mut random = [0; 10];
    for (byte, count) in random.iter_mut().rev().zip(COUNT.fetch_add(1, Ordering::Relaxed).to_le_bytes()) {
        *byte = count;
    }
    NewId::at(moment(0), random)
}

/// A tenant with one organization, and everything that it places calls with.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The tenant.
    pub tenant: TenantId,
    /// Its organization.
    pub organization: OrganizationId,
    /// Its trunk.
    pub trunk: Trunk,
    /// The organization's number.
    pub number: Number,
    /// The organization's assistant.
    pub assistant: Assistant,
    /// A node that has joined.
    pub node: NodeId,
    /// The node's boot.
    pub boot: BootId,
}

impl Ground {
    /// Sets everything up; the trunk has `max_calls` lines.
    pub async fn lay(world: &World, max_calls: Option<u32>) -> TestResult<Self> {
        let tenant = add_tenant(world).await?;
        let organization = add_organization(world, tenant).await?;
        let trunk = trunk(tenant, max_calls);
        world.add_trunk(trunk.clone()).await?;
        let number = number(tenant, organization, trunk.id)?;
        world.add_number(number.clone()).await?;
        let assistant = assistant(tenant, organization);
        world.add_assistant(assistant.clone()).await?;
        let (node, boot) = (NodeId::from(fresh()), BootId::from(fresh()));
        world.nodes.join(node, boot).await?;
        Ok(Self { tenant, organization, trunk, number, assistant, node, boot })
    }

    /// The organization's scope.
    pub fn scope(&self) -> Scope {
        Scope::Organization(self.tenant, self.organization)
    }

    /// Another assistant of the organization, an AI of three services, which is not added yet.
    pub fn cascade(&self) -> TestResult<Assistant> {
        cascade(self.tenant, self.organization)
    }

    /// A call that is not accepted yet.
    pub fn call(&self) -> TestResult<OutboundCall> {
        Ok(OutboundCall {
            id: CallId::from(fresh()),
            contact: ContactId::from(fresh()),
            tenant: self.tenant,
            organization: self.organization,
            assistant: self.assistant.id,
            number: self.number.id,
            trunk: self.trunk.id,
            destination: Destination::parse("(415) 555-0123").map_err(|why| format!("{why:?}"))?,
            customer_name: Some("Ada \"the first\" Lovelace".to_owned()),
            variables: BTreeMap::from([("name".to_owned(), "Ada {{x}} ü".to_owned())]),
            callback_url: CallbackUrl::from_stored("https://receiver.example.com/hook?a=b"),
            created_at: moment(0),
        })
    }

    /// An acceptance of `call` that `boot` dials.
    pub fn dial(&self, call: OutboundCall, boot: BootId) -> Acceptance {
        let intent = Box::new(intent(self.trunk.id, call.id));
        let max_calls = self.trunk.max_calls;
        Acceptance { call, dispatch: Dispatch::Dial { owner: boot, intent, max_calls }, once: None, by: None }
    }

    /// A call that is being dialled by this ground's boot.
    pub async fn calling(&self, world: &World) -> TestResult<(OutboundCall, Fence)> {
        let call = self.call()?;
        match world.calls.accept(self.dial(call.clone(), self.boot)).await? {
            Accepted::Calling(fence) => Ok((call, fence)),
            other => Err(format!("not accepted: {other:?}").into()),
        }
    }

    /// A call that ended at once by `no-answer` and has its callback queued.
    pub async fn ended(&self, world: &World, at: OffsetDateTime) -> TestResult<(OutboundCall, Fence)> {
        let (call, fence) = self.calling(world).await?;
        world.calls.conclude(conclusion(&call, fence, EndedReason::NoAnswer, None, at)).await?;
        Ok((call, fence))
    }

    /// A second boot, of another node.
    pub async fn another_boot(&self, world: &World) -> TestResult<BootId> {
        let boot = BootId::from(fresh());
        world.nodes.join(NodeId::from(fresh()), boot).await?;
        Ok(boot)
    }
}

/// A conclusion with its callback.
pub(super) fn conclusion(
    call: &OutboundCall,
    fence: Fence,
    reason: EndedReason,
    started_at: Option<OffsetDateTime>,
    ended_at: OffsetDateTime,
) -> Conclusion {
    let ended = Ended { reason, started_at, ended_at };
    let callback = CallbackDraft::of(call, &ended, ended_at);
    Conclusion { fence, ended, answer: None, callback }
}

pub(super) async fn add_tenant(world: &World) -> TestResult<TenantId> {
    let id = TenantId::from(fresh());
    world.add_tenant(Tenant { id, name: "Acme".to_owned(), created_at: moment(0) }).await?;
    Ok(id)
}

pub(super) async fn add_organization(world: &World, tenant: TenantId) -> TestResult<OrganizationId> {
    let organization = organization(tenant)?;
    let id = organization.id;
    world.organizations.create(new_organization(organization)).await?;
    Ok(id)
}

/// A creation that nobody will repeat.
pub(super) fn new_organization(organization: Organization) -> NewOrganization {
    NewOrganization {
        organization,
        signing_secret: Secret::new(b"first secret".to_vec()),
        once: None,
        deed: deed(moment(0)),
    }
}

pub(super) fn organization(tenant: TenantId) -> TestResult<Organization> {
    Ok(Organization {
        id: OrganizationId::from(fresh()),
        tenant,
        profile: Profile {
            name: "North Clinic".to_owned(),
            email: "desk@clinic.example".to_owned(),
            image: None,
            address: "1 Main St".to_owned(),
            city: "Halifax".to_owned(),
            state_province: "NS".to_owned(),
            postal_code: "B3H 1A1".to_owned(),
            country: "CA".to_owned(),
            phone_number: "902-555-0100".to_owned(),
            timezone: Timezone::parse("America/Halifax").ok_or("no such time zone")?,
            external_id: Some("ext-1".to_owned()),
        },
        owner_id: "operator".to_owned(),
        created_by: "operator".to_owned(),
        last_modified_by: None,
        created_at: moment(0),
        updated_at: moment(0),
        deleted_at: None,
    })
}

/// A revision of nothing but name and email.
pub(super) fn revision(name: &str, email: &str) -> Revision {
    Revision {
        name: name.to_owned(),
        email: email.to_owned(),
        address: None,
        city: None,
        state_province: None,
        postal_code: None,
        country: None,
        phone_number: None,
        timezone: None,
        logo: Logo::Stays,
    }
}

pub(super) fn networks(texts: &[&str]) -> Vec<Network> {
    texts.iter().filter_map(|text| Network::parse(text)).collect()
}

pub(super) fn trunk(tenant: TenantId, max_calls: Option<u32>) -> Trunk {
    Trunk {
        id: TrunkId::from(fresh()),
        tenant,
        name: "main".to_owned(),
        address: TrunkAddress { host: "sip.example.com".to_owned(), port: Some(5061) },
        transport: Transport::Tls,
        credentials: Some(Credentials {
            username: "acme".to_owned(),
            password: Secret::new("pässword".to_owned()),
        }),
        register: true,
        from_domain: Some("example.com".to_owned()),
        default_country: CountryCode::parse("1"),
        wideband: true,
        srtp: crate::trunk::Srtp::Required,
        guarded: true,
        nat: true,
        media_networks: networks(&["192.0.2.0/24", "2001:db8::/32"]),
        inbound_from: networks(&["198.51.100.7"]),
        realms: vec!["sip.example.com".to_owned(), "asterisk, \"main\"".to_owned()],
        max_calls,
        calls_per_second: Some(u32::MAX),
        created_at: moment(0),
    }
}

pub(super) fn number(tenant: TenantId, organization: OrganizationId, trunk: TrunkId) -> TestResult<Number> {
    let number = E164::parse("+14155550100").ok_or("not E.164")?;
    Ok(Number { id: NumberId::from(fresh()), tenant, organization, trunk, number, created_at: moment(0) })
}

/// How `call` is dialled; different for each call.
pub(super) fn intent(trunk: TrunkId, call: CallId) -> DialIntent {
    DialIntent {
        trunk,
        call_id: format!("{call}@callwright"),
        local_tag: format!("tag-{call}"),
        branch: format!("z9hG4bK-{call}"),
        cseq: u32::MAX,
        request_uri: "sip:+14155550123@sip.example.com".to_owned(),
        from: "<sip:+14155550100@example.com>".to_owned(),
        to: "<sip:+14155550123@sip.example.com>".to_owned(),
        transport: "tls".to_owned(),
        gateway: "192.0.2.1:5061".to_owned(),
    }
}

/// The dialog of an answered call.
pub(super) fn dialog(trunk: TrunkId, call: CallId) -> SavedLeg {
    let mut intent = intent(trunk, call);
    // The INVITE was sent again with credentials.
    intent.branch = format!("z9hG4bK-second-{call}");
    SavedLeg {
        intent,
        remote_tag: Some("remote".to_owned()),
        remote_target: Some("sip:callee@192.0.2.9:5060;transport=tls".to_owned()),
        route_set: vec!["<sip:a;lr>".to_owned(), "<sip:b;lr>".to_owned()],
        local_cseq: 7,
    }
}

/// A key's record and a digest that no other key has.
pub(super) fn key(tenant: TenantId, organization: Option<OrganizationId>) -> (ApiKey, KeyDigest) {
    let id = KeyId::from(fresh());
    let mut digest = [7; 32];
    for (place, byte) in digest.iter_mut().zip(id.uuid().as_bytes()) {
        *place = *byte;
    }
    let key = ApiKey {
        id,
        tenant,
        organization,
        name: "ci".to_owned(),
        permissions: vec![Permission::OutboundRead, Permission::CallsRead],
        created_at: moment(0),
        last_used_at: None,
        revoked_at: None,
    };
    (key, KeyDigest(digest))
}
