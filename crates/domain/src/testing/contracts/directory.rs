//! Looking things up, each within its scope.

use crate::ids::{AssistantId, CallId, NumberId, OrganizationId, TenantId};
use crate::ports::{CreateOrganizationError, SetupError};
use crate::scope::{Reach, Scope};
use crate::testing::fixtures::{
    Ground, TestResult, add_organization, add_tenant, assistant, cascade, deed, fresh, moment,
    new_organization, number, organization, realtime, trunk,
};
use crate::testing::world::World;
use crate::trunk::{Number, Trunk, TrunkAddress};

/// Script, limits, credentials and all.
pub async fn what_was_set_up_is_found_whole(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(3)).await?;
    for scope in [ground.scope(), Scope::Tenant(ground.tenant)] {
        let found = world.directory.placeable(scope, ground.assistant.id, ground.number.id).await?;
        let found = found.ok_or("not found")?;
        assert_eq!(found.assistant, ground.assistant);
        assert_eq!(found.number, ground.number);
        assert_eq!(found.trunk, ground.trunk);
        assert!(found.organization_active);
    }
    Ok(())
}

/// Not by another tenant, nor by another organization of the same tenant.
pub async fn nothing_is_found_outside_the_scope(world: &World) -> TestResult {
    let (own, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let sister = add_organization(world, own.tenant).await?;
    for scope in [
        foreign.scope(),
        Scope::Tenant(foreign.tenant),
        Scope::Organization(own.tenant, sister),
        Scope::Organization(own.tenant, foreign.organization),
        Scope::Organization(foreign.tenant, own.organization),
    ] {
        let found = world.directory.placeable(scope, own.assistant.id, own.number.id).await?;
        assert!(found.is_none(), "{scope:?}");
    }
    for (assistant, number) in
        [(AssistantId::from(fresh()), own.number.id), (own.assistant.id, NumberId::from(fresh()))]
    {
        assert!(world.directory.placeable(own.scope(), assistant, number).await?.is_none());
    }
    Ok(())
}

/// A tenant key sees both, and still may not mix them.
pub async fn an_assistant_and_a_number_must_share_an_organization(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let sister = add_organization(world, ground.tenant).await?;
    let theirs = assistant(ground.tenant, sister);
    world.add_assistant(theirs.clone()).await?;
    let scope = Scope::Tenant(ground.tenant);
    assert!(world.directory.placeable(scope, theirs.id, ground.number.id).await?.is_none());
    Ok(())
}

/// It is found, but may not place calls; it is deleted once.
pub async fn a_deleted_organization_is_inactive(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    world.delete_organization(ground.organization, moment(5)).await?;
    let found = world.directory.placeable(ground.scope(), ground.assistant.id, ground.number.id).await?;
    assert!(!found.ok_or("not found")?.organization_active);
    assert!(!world.delete_organization(ground.organization, moment(6)).await?);
    let late = assistant(ground.tenant, ground.organization);
    let added = world.add_assistant(late).await;
    assert!(matches!(added, Err(SetupError::Unknown("organization"))));
    Ok(())
}

/// Neither to another tenant nor to another organization.
pub async fn a_foreign_call_does_not_exist(world: &World) -> TestResult {
    let (own, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let sister = add_organization(world, own.tenant).await?;
    let (call, _) = own.calling(world).await?;
    for scope in [
        foreign.scope(),
        Scope::Tenant(foreign.tenant),
        Scope::Organization(own.tenant, sister),
        Scope::Organization(foreign.tenant, own.organization),
    ] {
        assert_eq!(world.calls.status(scope, call.id).await?, None, "{scope:?}");
    }
    assert_eq!(world.calls.status(own.scope(), CallId::from(fresh())).await?, None);
    Ok(())
}

/// A node pings and registers them all.
pub async fn every_trunk_of_every_tenant_is_listed(world: &World) -> TestResult {
    let mut trunks = Vec::new();
    for _ in 0..2 {
        let tenant = add_tenant(world).await?;
        trunks.push(trunk(tenant, None));
        trunks.push(Trunk {
            credentials: None,
            register: false,
            from_domain: None,
            default_country: None,
            calls_per_second: None,
            address: TrunkAddress { host: "::1".to_owned(), port: None },
            transport: crate::trunk::Transport::Udp,
            wideband: false,
            srtp: crate::trunk::Srtp::Off,
            guarded: false,
            nat: false,
            media_networks: Vec::new(),
            inbound_from: Vec::new(),
            realms: Vec::new(),
            ..trunk(tenant, Some(2))
        });
    }
    for trunk in &trunks {
        world.add_trunk(trunk.clone()).await?;
    }
    assert_eq!(world.directory.trunks().await?, trunks);
    Ok(())
}

/// AI assistants alone, batch by batch, of live organizations.
pub async fn agents_of_all_tenants_come_by_id(world: &World) -> TestResult {
    let mut made = Vec::new();
    for _ in 0..2 {
        let ground = Ground::lay(world, None).await?;
        made.push(realtime(ground.tenant, ground.organization)?);
        made.push(cascade(ground.tenant, ground.organization)?);
    }
    let ground = Ground::lay(world, None).await?;
    let retired = realtime(ground.tenant, ground.organization)?;
    let deleted = add_organization(world, ground.tenant).await?;
    let orphaned = realtime(ground.tenant, deleted)?;
    for one in made.iter().chain([&retired, &orphaned]) {
        world.add_assistant(one.clone()).await?;
    }
    assert!(world.assistants.retire_assistant(Reach::Everything, retired.id, deed(moment(1))).await?);
    world.delete_organization(deleted, moment(1)).await?;
    made.sort_by_key(|one| one.id);
    let (mut batches, mut after) = (Vec::new(), None);
    loop {
        let batch = world.directory.agents(after, 3).await?;
        let Some(last) = batch.last() else { break };
        after = Some(last.id);
        batches.push(batch);
    }
    assert_eq!(batches.iter().map(Vec::len).collect::<Vec<_>>(), [3, 1]);
    assert_eq!(batches.concat(), made);
    Ok(())
}

/// Deleted or not; of an unknown one nothing.
pub async fn an_organization_has_a_tenant(world: &World) -> TestResult {
    let (own, other) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    world.delete_organization(other.organization, moment(1)).await?;
    for ground in [own, other] {
        assert_eq!(world.directory.tenant_of(ground.organization).await?, Some(ground.tenant));
    }
    assert_eq!(world.directory.tenant_of(OrganizationId::from(fresh())).await?, None);
    Ok(())
}

/// Every missing owner is named, and nothing is left behind.
pub async fn nothing_is_set_up_under_an_unknown_owner(world: &World) -> TestResult {
    let (own, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let nobody = TenantId::from(fresh());
    let orphaned = organization(nobody)?;
    let added = world.organizations.create(new_organization(orphaned.clone())).await;
    assert!(matches!(added, Err(CreateOrganizationError::UnknownTenant)));
    let secrets = world.signing.show_signing_secrets(Reach::Everything, orphaned.id, deed(moment(1))).await;
    assert!(matches!(secrets, Err(SetupError::Unknown("organization"))));
    let added = world.add_trunk(trunk(nobody, Some(2))).await;
    assert!(matches!(added, Err(SetupError::Unknown("tenant"))));
    let missing = OrganizationId::from(fresh());
    let added = world.add_number(number(own.tenant, missing, own.trunk.id)?).await;
    assert!(matches!(added, Err(SetupError::Unknown("organization"))));
    let added = world.add_number(number(own.tenant, own.organization, foreign.trunk.id)?).await;
    assert!(matches!(added, Err(SetupError::Unknown("trunk"))));
    let added = world.add_assistant(assistant(own.tenant, missing)).await;
    assert!(matches!(added, Err(SetupError::Unknown("organization"))));
    assert!(!world.delete_organization(missing, moment(1)).await?);
    Ok(())
}

/// Whatever tenant a number or an assistant comes with.
pub async fn the_tenant_is_that_of_the_organization(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let nobody = TenantId::from(fresh());
    let late = Number { tenant: nobody, ..number(ground.tenant, ground.organization, ground.trunk.id)? };
    let voice = assistant(nobody, ground.organization);
    world.add_number(late.clone()).await?;
    world.add_assistant(voice.clone()).await?;
    let found = world.directory.placeable(ground.scope(), voice.id, late.id).await?.ok_or("not found")?;
    assert_eq!((found.number.tenant, found.assistant.tenant), (ground.tenant, ground.tenant));
    Ok(())
}
