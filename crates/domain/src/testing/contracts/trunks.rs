//! Trunks, as they are set up and taken out of use.

use crate::audit::Action;
use crate::ids::{TenantId, TrunkId};
use crate::page::PageRequest;
use crate::ports::{ReviseTrunkError, SetupError};
use crate::scope::{Reach, Scope};
use crate::secret::Secret;
use crate::testing::fixtures::{
    Ground, TestResult, add_organization, add_tenant, deed, fresh, moment, networks, number, trunk,
};
use crate::testing::world::World;
use crate::trunk::{
    Credentials, Login, Srtp, Transport, Trunk, TrunkAddress, TrunkRevision, TrunkRevisionError,
};

const ALL: PageRequest = PageRequest { number: 1, size: 100 };

/// The same trunk, its password unsaid.
pub(super) fn same(trunk: &Trunk) -> TrunkRevision {
    TrunkRevision { guarded: true, ..TrunkRevision::unchanged(trunk) }
}

async fn revise(world: &World, id: TrunkId, to: TrunkRevision) -> Result<Trunk, ReviseTrunkError> {
    world.trunks.revise_trunk(Reach::Everything, id, to, None, deed(moment(1))).await
}

async fn read(world: &World, id: TrunkId) -> TestResult<Option<Trunk>> {
    Ok(world.trunks.trunk(Reach::Everything, id).await?)
}

/// Oldest first, page by page, and only the tenant's own.
pub async fn a_tenants_trunks_are_listed_page_by_page(world: &World) -> TestResult {
    let (tenant, foreign) = (add_tenant(world).await?, add_tenant(world).await?);
    let mut own = Vec::new();
    for second in [5, 3, 3, 9] {
        let made = Trunk { created_at: moment(second), ..trunk(tenant, None) };
        world.add_trunk(made.clone()).await?;
        own.push(made);
    }
    world.add_trunk(trunk(foreign, None)).await?;
    own.sort_by_key(|trunk| (trunk.created_at, trunk.id));
    let list = async |number, size| {
        world.trunks.trunks_of(Reach::Everything, tenant, PageRequest { number, size }).await
    };
    assert_eq!(list(1, 100).await?, own);
    let paged = [list(1, 3).await?, list(2, 3).await?].concat();
    assert_eq!(paged, own);
    assert_eq!(list(3, 3).await?, []);
    assert_eq!(world.trunks.trunks_of(Reach::Everything, TenantId::from(fresh()), ALL).await?, []);
    Ok(())
}

/// Everything but whose it is; a call finds it just so.
pub async fn a_revised_trunk_is_what_the_revision_says(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(1)).await?;
    let before = ground.trunk.clone();
    let to = TrunkRevision {
        name: "other".to_owned(),
        address: TrunkAddress { host: "192.0.2.9".to_owned(), port: None },
        transport: Transport::Udp,
        login: Some(Login { username: "b".to_owned(), password: Some(Secret::new("new".to_owned())) }),
        register: false,
        from_domain: None,
        default_country: None,
        wideband: false,
        srtp: Srtp::Off,
        guarded: true,
        nat: false,
        media_networks: networks(&["203.0.113.0/24"]),
        inbound_from: Some(networks(&["198.51.100.0/25", "::1"])),
        realms: vec!["other".to_owned()],
        max_calls: Some(7),
        calls_per_second: None,
    };
    let revised = revise(world, before.id, to.clone()).await?;
    let expected = before.revised(to)?;
    assert_eq!(revised, expected);
    assert_eq!(read(world, before.id).await?.as_ref(), Some(&expected));
    let found = world.directory.placeable(ground.scope(), ground.assistant.id, ground.number.id).await?;
    assert_eq!(found.ok_or("not found")?.trunk, expected);
    assert_eq!(world.directory.trunks().await?, [expected]);
    let entries = world.audit.entries(Scope::Tenant(ground.tenant), None, None, 1).await?;
    let told: Vec<_> = entries
        .iter()
        .map(|entry| (entry.action, entry.subject.clone(), entry.name.as_deref(), entry.organization))
        .collect();
    assert_eq!(told, [(Action::TrunkUpdate, before.id.to_string(), Some("other"), None)]);
    Ok(())
}

/// Unsaid it stays, as long as the trunk goes where it went.
pub async fn a_trunks_password_stays_with_its_address(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let before = ground.trunk.clone();
    assert_eq!(revise(world, before.id, same(&before)).await?, before);
    assert_eq!(read(world, before.id).await?.as_ref(), Some(&before));
    let elsewhere = TrunkAddress { host: "sip.other.example".to_owned(), port: None };
    let moved = TrunkRevision { address: elsewhere, ..same(&before) };
    let refused = revise(world, before.id, moved.clone()).await;
    assert!(
        matches!(refused, Err(ReviseTrunkError::Refused(TrunkRevisionError::PasswordNeeded))),
        "{refused:?}"
    );
    assert_eq!(read(world, before.id).await?.as_ref(), Some(&before));
    let without = revise(world, before.id, TrunkRevision { login: None, ..moved }).await?;
    assert_eq!((without.credentials, without.guarded), (None, true));
    let login = Login { username: "a".to_owned(), password: Some(Secret::new("b".to_owned())) };
    let to = TrunkRevision { login: Some(login), ..same(&before) };
    let given = revise(world, before.id, to).await?;
    let expected = Credentials { username: "a".to_owned(), password: Secret::new("b".to_owned()) };
    assert_eq!(given.credentials, Some(expected));
    Ok(())
}

/// From the next call on, and a lower one leaves the calls alone that go on.
pub async fn a_new_limit_holds_for_the_next_call(world: &World) -> TestResult {
    let mut ground = Ground::lay(world, Some(1)).await?;
    ground.calling(world).await?;
    assert!(ground.calling(world).await.is_err());
    for (limit, more) in [(3, 2), (2, 0), (4, 1)] {
        let to = TrunkRevision { max_calls: Some(limit), ..same(&ground.trunk) };
        ground.trunk = revise(world, ground.trunk.id, to).await?;
        for _ in 0..more {
            ground.calling(world).await?;
        }
        assert!(ground.calling(world).await.is_err(), "{limit}");
    }
    Ok(())
}

/// Neither called through, pinged, listed, changed nor given a number; the calls that it has stay.
pub async fn a_retired_trunk_takes_no_new_calls(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (id, reach) = (ground.trunk.id, Reach::Everything);
    let (call, _) = ground.calling(world).await?;
    assert!(world.trunks.retire_trunk(reach, id, deed(moment(2))).await?);
    assert!(!world.trunks.retire_trunk(reach, id, deed(moment(3))).await?);
    assert!(world.calls.status(ground.scope(), call.id).await?.is_some());
    let found = world.directory.placeable(ground.scope(), ground.assistant.id, ground.number.id).await?;
    assert!(found.is_none());
    assert_eq!(world.directory.trunks().await?, []);
    assert_eq!(world.trunks.trunks_of(reach, ground.tenant, ALL).await?, []);
    assert_eq!(read(world, id).await?, None);
    let revised = revise(world, id, same(&ground.trunk)).await;
    assert!(matches!(revised, Err(ReviseTrunkError::Unknown)));
    let late = world.add_number(number(ground.tenant, ground.organization, id)?).await;
    assert!(matches!(late, Err(SetupError::Unknown("trunk"))));
    let numbers = world.numbers.numbers_of(reach, ground.organization, ALL).await?;
    let shown: Vec<_> = numbers.iter().map(|own| (own.number.id, own.carried)).collect();
    assert_eq!(shown, [(ground.number.id, false)]);
    let entries = world.audit.entries(Scope::Tenant(ground.tenant), None, None, 1).await?;
    let told: Vec<_> = entries.iter().map(|entry| (entry.action, entry.deed.at)).collect();
    assert_eq!(told, [(Action::TrunkDelete, moment(2))]);
    Ok(())
}

/// Another tenant's do not exist; whoever has one organization sees its tenant's, and changes none.
pub async fn trunks_out_of_reach_are_as_missing(world: &World) -> TestResult {
    let (own, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let sister = add_organization(world, own.tenant).await?;
    for (scope, sees) in [
        (Scope::Tenant(foreign.tenant), false),
        (Scope::Organization(foreign.tenant, own.organization), false),
        (Scope::Organization(own.tenant, sister), true),
    ] {
        let (reach, id) = (Reach::Within(scope), own.trunk.id);
        assert_eq!(world.trunks.trunk(reach, id).await?.is_some(), sees, "{scope:?}");
        let listed = world.trunks.trunks_of(reach, own.tenant, ALL).await?;
        assert_eq!(!listed.is_empty(), sees, "{scope:?}");
        let revised = world.trunks.revise_trunk(reach, id, same(&own.trunk), None, deed(moment(1))).await;
        assert!(matches!(revised, Err(ReviseTrunkError::Unknown)), "{scope:?}");
        assert!(!world.trunks.retire_trunk(reach, id, deed(moment(1))).await?, "{scope:?}");
        let added = world.trunks.add_trunk(reach, trunk(own.tenant, None), deed(moment(1))).await;
        assert!(matches!(added, Err(SetupError::Unknown("tenant"))), "{scope:?}");
    }
    assert_eq!(read(world, own.trunk.id).await?.as_ref(), Some(&own.trunk));
    let reach = Reach::Within(Scope::Tenant(own.tenant));
    let another = trunk(own.tenant, None);
    world.trunks.add_trunk(reach, another.clone(), deed(moment(1))).await?;
    world.trunks.revise_trunk(reach, another.id, same(&another), None, deed(moment(1))).await?;
    assert!(world.trunks.retire_trunk(reach, another.id, deed(moment(1))).await?);
    Ok(())
}
