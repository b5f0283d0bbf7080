//! API keys.

use crate::access::{ApiKey, KEYS_SHOWN, KeyDigest, Permission};
use crate::audit::Action;
use crate::ids::{KeyId, OrganizationId, TenantId};
use crate::ports::IssueError;
use crate::scope::{Reach, Scope};
use crate::testing::fixtures::{Ground, TestResult, add_organization, add_tenant, deed, fresh, key, moment};
use crate::testing::world::{World, together};

/// From the moment its revocation is answered it opens nothing.
pub async fn a_key_opens_its_scope_until_it_is_revoked(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    for (organization, scope) in
        [(Some(ground.organization), ground.scope()), (None, Scope::Tenant(ground.tenant))]
    {
        let (record, digest) = key(ground.tenant, organization);
        world.access.issue(record.clone(), digest, deed(moment(0))).await?;
        let principal = world.access.authenticate(digest, moment(1)).await?.ok_or("refused")?;
        assert_eq!((principal.key, principal.scope), (record.id, scope));
        assert_eq!(principal.permissions, record.permissions);
        assert!(principal.may(Permission::CallsRead) && !principal.may(Permission::OutboundCreate));
        assert!(world.access.revoke(Reach::Everything, record.id, deed(moment(2))).await?);
        assert_eq!(world.access.authenticate(digest, moment(2)).await?, None);
        assert!(!world.access.revoke(Reach::Everything, record.id, deed(moment(3))).await?);
    }
    assert_eq!(world.access.authenticate(KeyDigest([0; 32]), moment(1)).await?, None);
    assert!(!world.access.revoke(Reach::Everything, KeyId::from(fresh()), deed(moment(1))).await?);
    Ok(())
}

/// The limit holds under a rush.
pub async fn fifty_at_once_leave_five_keys(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    // Every connection of the store is open before the rush.
    together((0..16).map(|_| world.access.keys(ground.tenant))).await;
    let rush = (0..50).map(|_| {
        let (record, digest) = key(ground.tenant, Some(ground.organization));
        world.access.issue(record, digest, deed(moment(0)))
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
        world.access.issue(record, digest, deed(moment(0))).await?;
    }
    let (sixth, digest) = key(ground.tenant, Some(ground.organization));
    assert!(matches!(
        world.access.issue(sixth.clone(), digest, deed(moment(0))).await,
        Err(IssueError::TooMany)
    ));
    world.access.revoke(Reach::Everything, last.ok_or("five were made")?, deed(moment(1))).await?;
    world.access.issue(sixth, digest, deed(moment(0))).await?;
    Ok(())
}

/// Neither against a limit of their own, nor against an organization's.
pub async fn tenant_keys_are_not_counted(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    for organization in [None; 8].into_iter().chain([Some(ground.organization); 5]) {
        let (record, digest) = key(ground.tenant, organization);
        world.access.issue(record, digest, deed(moment(0))).await?;
    }
    Ok(())
}

/// No key for an unknown tenant, a foreign or a deleted organization, and no digest twice.
pub async fn a_key_needs_a_live_owner(world: &World) -> TestResult {
    let (own, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let deleted = add_organization(world, own.tenant).await?;
    world.delete_organization(deleted, moment(1)).await?;
    for (tenant, organization) in [
        (TenantId::from(fresh()), None),
        (own.tenant, Some(OrganizationId::from(fresh()))),
        (own.tenant, Some(foreign.organization)),
        (own.tenant, Some(deleted)),
    ] {
        let (record, digest) = key(tenant, organization);
        let issued = world.access.issue(record, digest, deed(moment(0))).await;
        assert!(matches!(issued, Err(IssueError::UnknownOwner)), "{issued:?}");
        assert_eq!(world.access.authenticate(digest, moment(1)).await?, None);
    }
    let (record, digest) = key(own.tenant, None);
    world.access.issue(record, digest, deed(moment(0))).await?;
    let (other, _) = key(own.tenant, None);
    assert!(matches!(world.access.issue(other, digest, deed(moment(0))).await, Err(IssueError::Store(_))));
    Ok(())
}

/// Reads stay possible; placing calls is refused by another rule.
pub async fn a_deleted_organizations_key_still_reads(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (record, digest) = key(ground.tenant, Some(ground.organization));
    world.access.issue(record, digest, deed(moment(0))).await?;
    let (call, _) = ground.calling(world).await?;
    world.delete_organization(ground.organization, moment(1)).await?;
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
        world.access.issue(record.clone(), digest, deed(moment(0))).await?;
        made.push(record);
    }
    let [oldest, newest, middle, _] = made.as_mut_slice() else { return Err("four were made".into()) };
    world.access.revoke(Reach::Everything, oldest.id, deed(moment(9))).await?;
    oldest.revoked_at = Some(moment(9));
    let listed = world.access.keys(ground.tenant).await?;
    assert_eq!(listed, [newest.clone(), middle.clone(), oldest.clone()]);
    Ok(())
}

/// At most a minute late, and never backwards.
pub async fn the_use_of_a_key_is_noted(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (record, digest) = key(ground.tenant, None);
    world.access.issue(record, digest, deed(moment(0))).await?;
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

/// Another tenant's, another organization's, and a tenant's own to whoever has but one organization.
pub async fn a_key_out_of_reach_is_not_revoked(world: &World) -> TestResult {
    let (own, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let sister = add_organization(world, own.tenant).await?;
    let (whole, whole_digest) = key(own.tenant, None);
    let (one, one_digest) = key(own.tenant, Some(own.organization));
    world.access.issue(whole.clone(), whole_digest, deed(moment(1))).await?;
    world.access.issue(one.clone(), one_digest, deed(moment(2))).await?;
    for (scope, id) in [
        (Scope::Tenant(foreign.tenant), whole.id),
        (Scope::Tenant(foreign.tenant), one.id),
        (Scope::Organization(own.tenant, sister), one.id),
        (Scope::Organization(foreign.tenant, own.organization), one.id),
        (own.scope(), whole.id),
    ] {
        assert!(!world.access.revoke(Reach::Within(scope), id, deed(moment(3))).await?, "{scope:?}");
    }
    assert!(world.access.revoke(Reach::Within(own.scope()), one.id, deed(moment(4))).await?);
    let tenant = Scope::Tenant(own.tenant);
    assert!(world.access.revoke(Reach::Within(tenant), whole.id, deed(moment(5))).await?);
    let mut told = world.audit.entries(tenant, None, None, 99).await?;
    told.retain(|entry| matches!(entry.action, Action::KeyCreate | Action::KeyRevoke));
    let told: Vec<_> = told
        .iter()
        .map(|entry| (entry.action, entry.deed.at, entry.subject.as_str(), entry.organization))
        .collect();
    let (whole, one) = (whole.id.to_string(), one.id.to_string());
    assert_eq!(
        told,
        [
            (Action::KeyRevoke, moment(5), whole.as_str(), None),
            (Action::KeyRevoke, moment(4), one.as_str(), Some(own.organization)),
            (Action::KeyCreate, moment(2), one.as_str(), Some(own.organization)),
            (Action::KeyCreate, moment(1), whole.as_str(), None),
        ]
    );
    Ok(())
}

/// A form that is sent twice makes one key, and says so.
pub async fn the_same_wish_makes_one_key(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    for organization in [Some(ground.organization), None] {
        let (record, digest) = key(ground.tenant, organization);
        world.access.issue(record.clone(), digest, deed(moment(0))).await?;
        for _ in 0..2 {
            let (_, another) = key(ground.tenant, organization);
            let again = world.access.issue(record.clone(), another, deed(moment(0))).await;
            assert!(matches!(again, Err(IssueError::Repeated)), "{again:?}");
            assert_eq!(world.access.authenticate(another, moment(1)).await?, None);
        }
    }
    let noted = world.audit.entries(Scope::Tenant(ground.tenant), None, None, 20).await?;
    assert_eq!(noted.iter().filter(|entry| entry.action == Action::KeyCreate).count(), 2);
    Ok(())
}

/// An organization's are not its tenant's, nor the other way round, and a revoked one is gone.
pub async fn live_keys_are_those_of_just_one_scope(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let mut made = Vec::new();
    for (second, organization) in [(1, None), (2, Some(ground.organization)), (3, None)] {
        let (mut record, digest) = key(ground.tenant, organization);
        record.created_at = moment(second);
        world.access.issue(record.clone(), digest, deed(moment(second))).await?;
        made.push(record);
    }
    let [oldest, own, newest] = made.as_slice() else { return Err("three were made".into()) };
    let tenant = Scope::Tenant(ground.tenant);
    assert_eq!(world.access.live_keys(tenant, None).await?, [newest.clone(), oldest.clone()]);
    assert_eq!(world.access.live_keys(ground.scope(), None).await?, std::slice::from_ref(own));
    assert!(world.access.revoke(Reach::Everything, newest.id, deed(moment(9))).await?);
    assert_eq!(world.access.live_keys(tenant, None).await?, std::slice::from_ref(oldest));
    let mixed = Scope::Organization(add_tenant(world).await?, ground.organization);
    assert_eq!(world.access.live_keys(mixed, None).await?, []);
    for (scope, id, found) in [
        (tenant, oldest.id, Some(oldest)),
        (ground.scope(), own.id, Some(own)),
        (tenant, own.id, None),
        (ground.scope(), oldest.id, None),
        (tenant, newest.id, None),
        (mixed, own.id, None),
        (tenant, KeyId::from(fresh()), None),
    ] {
        assert_eq!(world.access.live_key(scope, id).await?.as_ref(), found, "{scope:?}");
    }
    Ok(())
}

/// Page by page, each beginning where the one before ended, though that key is revoked meanwhile.
pub async fn live_keys_beyond_a_page_are_on_the_next(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (scope, count) = (Scope::Tenant(ground.tenant), KEYS_SHOWN + 2);
    let mut made = Vec::with_capacity(count);
    for number in 0..count {
        let (mut record, digest) = key(ground.tenant, None);
        // Some are of the same moment.
        record.created_at = moment(u64::try_from(number / 3)?);
        world.access.issue(record.clone(), digest, deed(moment(0))).await?;
        made.push(record);
    }
    made.sort_by_key(|key| std::cmp::Reverse((key.created_at, key.id)));
    let first = world.access.live_keys(scope, None).await?;
    assert_eq!(first.as_slice(), made.get(..KEYS_SHOWN).ok_or("too few")?);
    let last = first.last().ok_or("none")?.id;
    assert!(world.access.revoke(Reach::Everything, last, deed(moment(9))).await?);
    let second = world.access.live_keys(scope, Some(last)).await?;
    assert_eq!(second.as_slice(), made.get(KEYS_SHOWN..).ok_or("too few")?);
    let oldest = second.last().ok_or("none")?.id;
    assert_eq!(world.access.live_keys(scope, Some(oldest)).await?, []);
    assert_eq!(world.access.live_keys(scope, Some(KeyId::from(fresh()))).await?, []);
    assert_eq!(world.access.live_keys(ground.scope(), Some(last)).await?, []);
    let own =
        [(1, Some(ground.organization)), (2, Some(ground.organization))].map(|(second, organization)| {
            let (record, digest) = key(ground.tenant, organization);
            (ApiKey { created_at: moment(second), ..record }, digest)
        });
    for (record, digest) in &own {
        world.access.issue(record.clone(), *digest, deed(moment(2))).await?;
    }
    let [(older, _), (newer, _)] = own;
    assert_eq!(world.access.live_keys(ground.scope(), Some(newer.id)).await?, [older]);
    Ok(())
}
