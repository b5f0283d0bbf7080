//! API keys.

use crate::access::{KeyDigest, Permission};
use crate::ids::{KeyId, OrganizationId, TenantId};
use crate::ports::IssueError;
use crate::scope::Scope;
use crate::testing::fixtures::{Ground, TestResult, add_tenant, fresh, key, moment};
use crate::testing::world::{World, together};

/// From the moment its revocation is answered it opens nothing.
pub async fn a_key_opens_its_scope_until_it_is_revoked(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    for (organization, scope) in
        [(Some(ground.organization), ground.scope()), (None, Scope::Tenant(ground.tenant))]
    {
        let (record, digest) = key(ground.tenant, organization);
        world.access.issue(record.clone(), digest).await?;
        let principal = world.access.authenticate(digest, moment(1)).await?.ok_or("refused")?;
        assert_eq!((principal.key, principal.scope), (record.id, scope));
        assert_eq!(principal.permissions, record.permissions);
        assert!(principal.may(Permission::CallsRead) && !principal.may(Permission::OutboundCreate));
        assert!(world.access.revoke(record.id, moment(2)).await?);
        assert_eq!(world.access.authenticate(digest, moment(2)).await?, None);
        assert!(!world.access.revoke(record.id, moment(3)).await?);
    }
    assert_eq!(world.access.authenticate(KeyDigest([0; 32]), moment(1)).await?, None);
    assert!(!world.access.revoke(KeyId::from(fresh()), moment(1)).await?);
    Ok(())
}

/// The limit holds under a rush.
pub async fn fifty_at_once_leave_five_keys(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    // Every connection of the store is open before the rush.
    together((0..16).map(|_| world.access.keys(ground.tenant))).await;
    let rush = (0..50).map(|_| {
        let (record, digest) = key(ground.tenant, Some(ground.organization));
        world.access.issue(record, digest)
    });
    let mut issued = 0;
    for result in together(rush).await {
        match result {
            Ok(()) => issued += 1,
            Err(IssueError::TooMany) => {}
            Err(other) => return Err(other.into()),
        }
    }
    assert_eq!((issued, world.access.keys(ground.tenant).await?.len()), (5, 5));
    Ok(())
}

/// Only live keys count.
pub async fn a_revoked_key_makes_room(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let mut last = None;
    for _ in 0..5 {
        let (record, digest) = key(ground.tenant, Some(ground.organization));
        last = Some(record.id);
        world.access.issue(record, digest).await?;
    }
    let (sixth, digest) = key(ground.tenant, Some(ground.organization));
    assert!(matches!(world.access.issue(sixth.clone(), digest).await, Err(IssueError::TooMany)));
    world.access.revoke(last.ok_or("five were made")?, moment(1)).await?;
    world.access.issue(sixth, digest).await?;
    Ok(())
}

/// Neither against a limit of their own, nor against an organization's.
pub async fn tenant_keys_are_not_counted(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    for organization in [None; 8].into_iter().chain([Some(ground.organization); 5]) {
        let (record, digest) = key(ground.tenant, organization);
        world.access.issue(record, digest).await?;
    }
    Ok(())
}

/// No key for an unknown tenant, a foreign or a deleted organization, and no digest twice.
pub async fn a_key_needs_a_live_owner(world: &World) -> TestResult {
    let (own, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let deleted = crate::testing::fixtures::add_organization(world, own.tenant).await?;
    world.provisioning.delete_organization(deleted, moment(1)).await?;
    for (tenant, organization) in [
        (TenantId::from(fresh()), None),
        (own.tenant, Some(OrganizationId::from(fresh()))),
        (own.tenant, Some(foreign.organization)),
        (own.tenant, Some(deleted)),
    ] {
        let (record, digest) = key(tenant, organization);
        let issued = world.access.issue(record, digest).await;
        assert!(matches!(issued, Err(IssueError::UnknownOwner)), "{issued:?}");
        assert_eq!(world.access.authenticate(digest, moment(1)).await?, None);
    }
    let (record, digest) = key(own.tenant, None);
    world.access.issue(record, digest).await?;
    let (other, _) = key(own.tenant, None);
    assert!(matches!(world.access.issue(other, digest).await, Err(IssueError::Store(_))));
    Ok(())
}

/// Reads stay possible; placing calls is refused by another rule.
pub async fn a_deleted_organizations_key_still_reads(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (record, digest) = key(ground.tenant, Some(ground.organization));
    world.access.issue(record, digest).await?;
    let (call, _) = ground.calling(world).await?;
    world.provisioning.delete_organization(ground.organization, moment(1)).await?;
    let principal = world.access.authenticate(digest, moment(2)).await?.ok_or("refused")?;
    assert!(world.calls.status(principal.scope, call.id).await?.is_some());
    Ok(())
}

/// With the revoked ones, and only the tenant's own.
pub async fn keys_are_listed_newest_first(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let other = add_tenant(world).await?;
    let mut made = Vec::new();
    for (second, tenant) in [(1, ground.tenant), (3, ground.tenant), (2, ground.tenant), (4, other)] {
        let (mut record, digest) = key(tenant, None);
        record.created_at = moment(second);
        world.access.issue(record.clone(), digest).await?;
        made.push(record);
    }
    let [oldest, newest, middle, _] = made.as_mut_slice() else { return Err("four were made".into()) };
    world.access.revoke(oldest.id, moment(9)).await?;
    oldest.revoked_at = Some(moment(9));
    let listed = world.access.keys(ground.tenant).await?;
    assert_eq!(listed, [newest.clone(), middle.clone(), oldest.clone()]);
    Ok(())
}

/// At most a minute late, and never backwards.
pub async fn the_use_of_a_key_is_noted(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (record, digest) = key(ground.tenant, None);
    world.access.issue(record, digest).await?;
    for (used, noted) in [(10, 10), (69, 10), (70, 70), (20, 70)] {
        for attempt in 0.. {
            world.access.authenticate(digest, moment(used)).await?.ok_or("refused")?;
            let keys = world.access.keys(ground.tenant).await?;
            let seen = keys.first().and_then(|key| key.last_used_at);
            // The note is written behind the caller's back: give it some reads' time.
            if seen == Some(moment(noted)) && (attempt > 3 || used == noted) {
                break;
            }
            assert!(attempt < 2000, "seen {seen:?} after a use at {used}");
        }
    }
    Ok(())
}
