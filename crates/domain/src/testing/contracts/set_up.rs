//! The first set-up.

use super::accounts::{ALL, add};
use crate::audit::Action;
use crate::ids::TenantId;
use crate::organization::Tenant;
use crate::ports::{FirstSetUp, NewOrganization};
use crate::scope::Scope;
use crate::testing::fixtures::{
    TestResult, add_tenant, deed, fresh, hash, link, moment, new_organization, organization, session,
    sign_in, user,
};
use crate::testing::world::{World, together};
use crate::user::{Role, User};

fn first() -> TestResult<FirstSetUp> {
    let tenant = TenantId::from(fresh());
    Ok(FirstSetUp {
        tenant: Tenant { id: tenant, name: "Acme".to_owned(), created_at: moment(1) },
        user: user(tenant, None, Role::Admin),
        hash: hash("old"),
        organization: NewOrganization { deed: deed(moment(1)), ..new_organization(organization(tenant)?) },
        session: session(1),
    })
}

/// Tenant, admin, organization with secret and metadata, session.
pub async fn a_first_set_up_makes_all_that_a_call_begins_with(world: &World) -> TestResult {
    let link = link(0, 100);
    assert!(world.set_up.offer(link).await?);
    assert!(world.set_up.is_open(link.digest, moment(1)).await?);
    let first = first()?;
    let (tenant, user) = (first.tenant.id, first.user.clone());
    let organization = first.organization.organization.clone();
    let done = world.set_up.set_up(link.digest, first).await?.ok_or("refused")?;
    assert_eq!(done.user, User { active: true, signed_in_at: Some(moment(1)), ..user.clone() });
    assert_eq!(world.sessions.find(done.session, moment(2)).await?, Some(done.clone()));
    assert!(world.sessions.begin(sign_in(user.id, "old", 2)).await?.is_some());
    let reachable =
        world.organizations.read(Scope::Tenant(tenant), organization.id).await?.ok_or("no organization")?;
    assert_eq!(reachable.current, organization);
    assert!(world.metadata.schema(Scope::Tenant(tenant), organization.id).await?.is_some());
    let entries = world.audit.entries(Scope::Tenant(tenant), None, None, 100).await?;
    let mut actions: Vec<_> = entries
        .iter()
        .filter(|entry| entry.deed.at == moment(1))
        .map(|entry| entry.action.as_str())
        .collect();
    actions.sort_unstable();
    let mut expected = [Action::TenantCreate, Action::UserCreate, Action::OrganizationCreate, Action::SignIn]
        .map(Action::as_str);
    expected.sort_unstable();
    assert_eq!(actions, expected);
    assert!(!world.set_up.is_open(link.digest, moment(2)).await?);
    Ok(())
}

/// Of all who have the link.
pub async fn of_two_set_ups_at_once_one_is_made(world: &World) -> TestResult {
    let link = link(0, 100);
    assert!(world.set_up.offer(link).await?);
    let firsts = (0..4).map(|_| first()).collect::<TestResult<Vec<_>>>()?;
    let tenants: Vec<_> = firsts.iter().map(|first| first.tenant.id).collect();
    let rush = firsts.into_iter().map(|first| world.set_up.set_up(link.digest, first));
    let done = together(rush).await.into_iter().collect::<Result<Vec<_>, _>>()?;
    assert_eq!(done.iter().flatten().count(), 1);
    for (tenant, done) in tenants.into_iter().zip(done) {
        let users = world.accounts.users(Scope::Tenant(tenant), ALL).await?;
        assert_eq!(users.len(), usize::from(done.is_some()));
    }
    Ok(())
}

/// However many starts offer one at the same time.
pub async fn a_new_link_takes_the_place_of_the_old_one(world: &World) -> TestResult {
    let links: Vec<_> = (0..6).map(|_| link(0, 100)).collect();
    for offered in together(links.iter().map(|link| world.set_up.offer(*link))).await {
        assert!(offered?);
    }
    let mut open = 0;
    for link in &links {
        open += usize::from(world.set_up.is_open(link.digest, moment(1)).await?);
    }
    assert_eq!(open, 1);
    let last = link(1, 100);
    assert!(world.set_up.offer(last).await?);
    for link in links {
        assert!(!world.set_up.is_open(link.digest, moment(1)).await?);
        assert_eq!(world.set_up.set_up(link.digest, first()?).await?, None);
    }
    assert!(world.set_up.set_up(last.digest, first()?).await?.is_some());
    Ok(())
}

/// To the second.
pub async fn a_link_of_the_set_up_expires(world: &World) -> TestResult {
    let link = link(0, 2);
    assert!(world.set_up.offer(link).await?);
    assert!(world.set_up.is_open(link.digest, moment(1)).await?);
    assert!(!world.set_up.is_open(link.digest, moment(2)).await?);
    let late = FirstSetUp { session: session(2), ..first()? };
    assert_eq!(world.set_up.set_up(link.digest, late).await?, None);
    assert!(world.set_up.set_up(link.digest, first()?).await?.is_some());
    Ok(())
}

/// Whoever made them, and even if all are gone.
pub async fn no_set_up_once_there_was_a_user(world: &World) -> TestResult {
    let offered = link(0, 100);
    assert!(world.set_up.offer(offered).await?);
    let user = add(world, add_tenant(world).await?, None, Role::Viewer).await?;
    for gone in [false, true] {
        if gone {
            world.accounts.remove(user.scope(), user.id, deed(moment(1))).await?;
        }
        assert!(!world.set_up.is_open(offered.digest, moment(1)).await?);
        assert_eq!(world.set_up.set_up(offered.digest, first()?).await?, None);
        assert!(!world.set_up.offer(link(0, 100)).await?);
    }
    Ok(())
}
