//! Users.

use crate::audit::{Action, Actor, Deed};
use crate::ids::{OrganizationId, TenantId, UserId};
use crate::page::PageRequest;
use crate::ports::{AddUserError, Admission, ListedUser, NewPassword, UserChange};
use crate::scope::Scope;
use crate::testing::fixtures::{
    TestResult, add_organization, add_tenant, deed, fresh, hash, link, moment, sign_in, user,
};
use crate::testing::world::{World, together};
use crate::user::{Role, User};

pub(super) const ALL: PageRequest = PageRequest { number: 1, size: 100 };

/// Adds somebody who can sign in with the password `old`.
pub(super) async fn add(
    world: &World,
    tenant: TenantId,
    organization: Option<OrganizationId>,
    role: Role,
) -> TestResult<User> {
    let user = user(tenant, organization, role);
    world.accounts.add(user.clone(), Admission::Password(hash("old")), deed(moment(0))).await?;
    Ok(User { active: true, ..user })
}

/// With a password or by invitation.
pub async fn a_user_is_added_and_found_in_any_case(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let organization = add_organization(world, tenant).await?;
    for (organization, role, admission) in [
        (None, Role::Admin, Admission::Password(hash("x"))),
        (Some(organization), Role::Viewer, Admission::Invitation(link(0, 9))),
    ] {
        let active = matches!(admission, Admission::Password(_));
        let user = User { active, ..user(tenant, organization, role) };
        world.accounts.add(user.clone(), admission, deed(moment(1))).await?;
        for email in [user.email.clone(), user.email.to_uppercase(), user.email.to_lowercase()] {
            let found = world.accounts.users_by_email(&email).await?;
            assert_eq!(found, std::slice::from_ref(&user), "{email}");
        }
        assert_eq!(world.accounts.user(Scope::Tenant(tenant), user.id).await?, Some(user));
    }
    assert_eq!(world.accounts.users_by_email("nobody@clinic.example").await?, []);
    Ok(())
}

/// Whatever users other tenants have: nobody learns of them.
pub async fn an_email_address_is_one_users_of_a_tenant(world: &World) -> TestResult {
    let (tenant, other) = (add_tenant(world).await?, add_tenant(world).await?);
    let first = add(world, tenant, None, Role::Member).await?;
    let twin = User { email: first.email.to_uppercase(), ..user(tenant, None, Role::Viewer) };
    let invited = Admission::Invitation(link(0, 9));
    let added = world.accounts.add(twin.clone(), invited.clone(), deed(moment(1))).await;
    assert!(matches!(added, Err(AddUserError::EmailTaken)), "{added:?}");
    let namesake = User { tenant: other, created_at: moment(1), ..twin.clone() };
    world.accounts.add(namesake.clone(), Admission::Invitation(link(0, 8)), deed(moment(1))).await?;
    let found = world.accounts.users_by_email(&first.email).await?;
    assert_eq!(found, [first.clone(), namesake.clone()]);
    assert_eq!(world.accounts.hash_by_email(&twin.email).await?, Some(hash("old")));
    let gone = world.accounts.remove(Scope::Tenant(tenant), first.id, deed(moment(2))).await?;
    assert_eq!(gone, UserChange::Done(first.clone()));
    assert_eq!(world.accounts.hash_by_email(&first.email).await?, None, "nobody else has a password");
    let next = User { id: UserId::from(fresh()), ..twin };
    world.accounts.add(next.clone(), invited, deed(moment(3))).await?;
    let found = world.accounts.users_by_email(&first.email).await?;
    assert_eq!(found.len(), 2);
    assert!(found.contains(&next) && found.contains(&namesake));
    let gone = world.accounts.remove(Scope::Tenant(tenant), first.id, deed(moment(4))).await?;
    assert_eq!(gone, UserChange::Unknown);
    // Of many at once with one address one is added.
    let rivals: Vec<_> = (0..6).map(|_| user(tenant, None, Role::Member)).collect();
    let email = "zoë@clinic.example";
    let rush = together(rivals.into_iter().map(|rival| {
        let rival = User { email: email.to_owned(), ..rival };
        world.accounts.add(rival, Admission::Password(hash("x")), deed(moment(5)))
    }));
    let added = rush.await.into_iter().flatten().count();
    assert_eq!(added, 1);
    Ok(())
}

/// No user for an unknown tenant, a foreign or a deleted organization.
pub async fn a_user_needs_a_live_owner(world: &World) -> TestResult {
    let (tenant, other) = (add_tenant(world).await?, add_tenant(world).await?);
    let (foreign, deleted) = (add_organization(world, other).await?, add_organization(world, tenant).await?);
    assert!(world.delete_organization(deleted, moment(1)).await?);
    for (tenant, organization) in [
        (TenantId::from(fresh()), None),
        (tenant, Some(OrganizationId::from(fresh()))),
        (tenant, Some(foreign)),
        (tenant, Some(deleted)),
    ] {
        let user = user(tenant, organization, Role::Admin);
        let added = world.accounts.add(user.clone(), Admission::Password(hash("x")), deed(moment(2))).await;
        assert!(matches!(added, Err(AddUserError::UnknownOwner)), "{added:?}");
        assert_eq!(world.accounts.users_by_email(&user.email).await?, []);
    }
    Ok(())
}

/// All of a tenant, or those who are limited to one organization, page by page; each with the
/// organization's name, also that of a deleted one.
pub async fn users_of_a_scope_are_listed_oldest_first(world: &World) -> TestResult {
    let (tenant, other) = (add_tenant(world).await?, add_tenant(world).await?);
    let organization = add_organization(world, tenant).await?;
    let found = world.organizations.find(Scope::Tenant(tenant), organization).await?;
    let name = found.ok_or("no organization")?.profile.name;
    let mut made = Vec::new();
    for (second, tenant, organization) in [
        (3, tenant, Some(organization)),
        (1, tenant, None),
        (2, tenant, Some(organization)),
        (0, other, None),
    ] {
        let user = User { created_at: moment(second), ..user(tenant, organization, Role::Member) };
        world.accounts.add(user.clone(), Admission::Invitation(link(0, 9)), deed(moment(second))).await?;
        let organization_name = organization.map(|_| name.clone());
        made.push(ListedUser { user, organization_name });
    }
    let [third, first, second, _] = made.as_slice() else { return Err("four were made".into()) };
    world.delete_organization(organization, moment(9)).await?;
    let list = async |scope, number, size| world.accounts.users(scope, PageRequest { number, size }).await;
    let whole = Scope::Tenant(tenant);
    assert_eq!(list(whole, 1, 100).await?, [first.clone(), second.clone(), third.clone()]);
    assert_eq!(list(whole, 1, 2).await?, [first.clone(), second.clone()]);
    assert_eq!(list(whole, 2, 2).await?, std::slice::from_ref(third));
    assert_eq!(list(whole, 3, 2).await?, []);
    let own = Scope::Organization(tenant, organization);
    assert_eq!(list(own, 1, 100).await?, [second.clone(), third.clone()]);
    assert_eq!(list(own, 2, 1).await?, std::slice::from_ref(third));
    assert_eq!(list(Scope::Organization(other, organization), 1, 100).await?, []);
    Ok(())
}

/// Others do not exist for them, users of the whole tenant included.
pub async fn whoever_is_limited_to_an_organization_reaches_its_users_alone(world: &World) -> TestResult {
    let (tenant, other) = (add_tenant(world).await?, add_tenant(world).await?);
    let (one, two) = (add_organization(world, tenant).await?, add_organization(world, tenant).await?);
    let own = add(world, tenant, Some(one), Role::Member).await?;
    let whole = add(world, tenant, None, Role::Member).await?;
    let accounts = &world.accounts;
    for (scope, id, reached) in [
        (Scope::Organization(tenant, one), own.id, true),
        (Scope::Tenant(tenant), own.id, true),
        (Scope::Tenant(tenant), whole.id, true),
        (Scope::Organization(tenant, one), whole.id, false),
        (Scope::Organization(tenant, two), own.id, false),
        (Scope::Organization(other, one), own.id, false),
        (Scope::Tenant(other), own.id, false),
        (Scope::Tenant(tenant), UserId::from(fresh()), false),
    ] {
        assert_eq!(accounts.user(scope, id).await?.is_some(), reached, "{scope:?}");
        let invited = accounts.invite(scope, id, link(0, 9), deed(moment(1))).await?;
        assert_eq!(invited.is_some(), reached, "{scope:?}");
        let changed = accounts.change_role(scope, id, Role::Viewer, deed(moment(2))).await?;
        assert_eq!(matches!(changed, UserChange::Done(_)), reached, "{scope:?}");
        if !reached {
            assert_eq!(changed, UserChange::Unknown);
            assert_eq!(accounts.remove(scope, id, deed(moment(3))).await?, UserChange::Unknown);
        }
    }
    Ok(())
}

/// Somebody limited to an organization, or who never set a password, does not run the tenant.
pub async fn the_last_admin_stays(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let organization = add_organization(world, tenant).await?;
    let (scope, accounts) = (Scope::Tenant(tenant), &world.accounts);
    let admin = add(world, tenant, None, Role::Admin).await?;
    let limited = add(world, tenant, Some(organization), Role::Admin).await?;
    let invited = user(tenant, None, Role::Admin);
    accounts.add(invited.clone(), Admission::Invitation(link(0, 9)), deed(moment(0))).await?;
    for role in [Role::Member, Role::Viewer] {
        let changed = accounts.change_role(scope, admin.id, role, deed(moment(1))).await?;
        assert_eq!(changed, UserChange::LastAdmin);
    }
    let changed = accounts.change_role(scope, admin.id, Role::Admin, deed(moment(1))).await?;
    assert_eq!(changed, UserChange::Done(admin.clone()));
    assert_eq!(accounts.remove(scope, admin.id, deed(moment(2))).await?, UserChange::LastAdmin);
    assert_eq!(accounts.user(scope, admin.id).await?, Some(admin.clone()));
    assert_eq!(accounts.remove(scope, limited.id, deed(moment(3))).await?, UserChange::Done(limited));
    assert_eq!(accounts.remove(scope, invited.id, deed(moment(3))).await?, UserChange::Done(invited));
    let second = add(world, tenant, None, Role::Admin).await?;
    assert_eq!(accounts.remove(scope, admin.id, deed(moment(4))).await?, UserChange::Done(admin));
    let changed = accounts.change_role(scope, second.id, Role::Viewer, deed(moment(5))).await?;
    assert_eq!(changed, UserChange::LastAdmin);
    Ok(())
}

/// Whichever way they go.
pub async fn of_two_last_admins_that_go_at_once_one_stays(world: &World) -> TestResult {
    for round in 0..6 {
        let tenant = add_tenant(world).await?;
        let scope = Scope::Tenant(tenant);
        let (one, two) =
            (add(world, tenant, None, Role::Admin).await?, add(world, tenant, None, Role::Admin).await?);
        let rush = [(one.id, true), (two.id, round % 2 == 0)].map(|(id, remove)| async move {
            if remove {
                world.accounts.remove(scope, id, deed(moment(1))).await
            } else {
                world.accounts.change_role(scope, id, Role::Member, deed(moment(1))).await
            }
        });
        let done = together(rush).await.into_iter().collect::<Result<Vec<_>, _>>()?;
        assert_eq!(done.iter().filter(|change| **change == UserChange::LastAdmin).count(), 1, "{done:?}");
        let left = world.accounts.users(scope, ALL).await?;
        assert_eq!(left.iter().filter(|own| own.user.runs_the_tenant()).count(), 1);
    }
    Ok(())
}

/// The session that it was set in goes on.
pub async fn a_new_password_takes_the_old_one_and_ends_other_sessions(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let user = add(world, tenant, None, Role::Viewer).await?;
    let begin = async |password: &str| world.sessions.begin(sign_in(user.id, password, 1)).await;
    let (kept, other) = (begin("old").await?.ok_or("refused")?, begin("old").await?.ok_or("refused")?);
    let new = |proved| NewPassword {
        user: user.id,
        proved: hash(proved),
        hash: hash("new"),
        keep: Some(kept.session),
    };
    assert!(!world.accounts.set_password(new("wrong"), deed(moment(2))).await?);
    assert!(world.sessions.find(other.session, moment(2)).await?.is_some());
    assert!(world.accounts.set_password(new("old"), deed(moment(2))).await?);
    assert!(world.sessions.find(kept.session, moment(3)).await?.is_some());
    assert_eq!(world.sessions.find(other.session, moment(3)).await?, None);
    assert!(begin("old").await?.is_none() && begin("new").await?.is_some());
    Ok(())
}

/// The other one was proved by a password that is no more.
pub async fn of_two_new_passwords_at_once_one_is_set(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let user = add(world, tenant, None, Role::Viewer).await?;
    let rush = (0..4).map(|count| {
        let (proved, hash) = (hash("old"), hash(&count.to_string()));
        let password = NewPassword { user: user.id, proved, hash, keep: None };
        world.accounts.set_password(password, deed(moment(2)))
    });
    let set = together(rush).await.into_iter().collect::<Result<Vec<_>, _>>()?;
    assert_eq!(set.into_iter().filter(|set| *set).count(), 1);
    Ok(())
}

/// Of whom, by whom, where it belongs; and which role it is now.
pub async fn every_change_of_a_user_is_noted(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let organization = add_organization(world, tenant).await?;
    let scope = Scope::Organization(tenant, organization);
    let admin = add(world, tenant, None, Role::Admin).await?;
    let own = user(tenant, Some(organization), Role::Member);
    let (id, email) = (own.id, own.email.clone());
    let deed = |second| Deed {
        actor: Actor::User(admin.id, admin.email.clone()),
        from: Some([192, 0, 2, 9].into()),
        at: moment(second),
    };
    world.accounts.add(own, Admission::Password(hash("old")), deed(1)).await?;
    world.accounts.invite(scope, id, link(0, 9), deed(2)).await?;
    world.accounts.change_role(scope, id, Role::Admin, deed(3)).await?;
    let (proved, new) = (hash("old"), hash("new"));
    world.accounts.set_password(NewPassword { user: id, proved, hash: new, keep: None }, deed(4)).await?;
    world.sessions.end_all(id, deed(5)).await?;
    world.accounts.remove(scope, id, deed(6)).await?;
    let entries = world.audit.entries(scope, None, None, 100).await?;
    let about_them = entries.iter().filter(|entry| entry.subject == id.to_string());
    let told: Vec<_> =
        about_them.map(|entry| (entry.deed.clone(), entry.action, entry.name.clone())).collect();
    let promoted = format!("{email} → admin");
    let expected = [
        (6, Action::UserRemove, &email),
        (5, Action::SignOutEverywhere, &email),
        (4, Action::UserPassword, &email),
        (3, Action::UserRole, &promoted),
        (2, Action::UserInvite, &email),
        (1, Action::UserCreate, &email),
    ];
    assert_eq!(told, expected.map(|(second, action, name)| (deed(second), action, Some(name.clone()))));
    Ok(())
}
