//! Creations of organizations that come again with their idempotency key.

use std::time::Duration;

use crate::idempotency::{Earlier, IdempotencyKey, LIFETIME, Once};
use crate::ids::TenantId;
use crate::organization::Organization;
use crate::page::PageRequest;
use crate::ports::{CreateOrganizationError, Created, NewOrganization};
use crate::scope::{Reach, Scope};
use crate::testing::fixtures::{
    TestResult, add_tenant, deed, fresh, moment, new_organization, organization, revision,
};
use crate::testing::world::{World, together};

fn once(scope: Scope, key: &str, asked: u8) -> TestResult<Once> {
    let key = IdempotencyKey::parse(key).ok_or("no key")?;
    Ok(Once { scope, key, fingerprint: [asked; 32] })
}

/// A request for an organization of its own, with the key `k`.
fn request(tenant: TenantId, asked: u8) -> TestResult<NewOrganization> {
    let once = Some(once(Scope::Tenant(tenant), "k", asked)?);
    Ok(NewOrganization { once, ..new_organization(organization(tenant)?) })
}

async fn count(world: &World, tenant: TenantId) -> TestResult<u64> {
    let query = crate::organization::OrganizationQuery {
        page: PageRequest { number: 1, size: 1 },
        sort: crate::organization::OrganizationField::CreatedAt,
        descending: false,
        search: None,
    };
    Ok(world.organizations.page(Scope::Tenant(tenant), &query).await?.total)
}

fn same(organization: &Organization) -> Created {
    Created::Earlier(Earlier::Same(Box::new(organization.clone())))
}

/// As it was created, whatever became of it since.
pub async fn a_repeated_creation_is_answered_by_the_first(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let mut first = request(tenant, 1)?;
    first.organization.profile.image = Some("https://clinic.example/ü.png".to_owned());
    first.organization.profile.external_id = None;
    first.organization.created_at = moment(3);
    first.organization.updated_at = moment(3);
    let own = first.organization.clone();
    assert_eq!(world.organizations.create(first).await?, Created::Fresh);
    assert_eq!(world.organizations.create(request(tenant, 1)?).await?, same(&own));
    let scope = Scope::Tenant(tenant);
    world.organizations.revise(scope, own.id, revision("x", "y"), None, deed(moment(4))).await?;
    assert_eq!(world.organizations.create(request(tenant, 1)?).await?, same(&own));
    world.organizations.remove(Reach::Within(scope), own.id, deed(moment(5))).await?;
    assert_eq!(world.organizations.create(request(tenant, 1)?).await?, same(&own));
    assert_eq!(count(world, tenant).await?, 0);
    Ok(())
}

/// It is a mistake, and makes nothing.
pub async fn another_request_with_the_same_key_is_told_apart(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let first = request(tenant, 1)?;
    let own = first.organization.clone();
    world.organizations.create(first).await?;
    let other = world.organizations.create(request(tenant, 2)?).await?;
    assert_eq!(other, Created::Earlier(Earlier::Different));
    assert_eq!(world.organizations.create(request(tenant, 1)?).await?, same(&own));
    assert_eq!(count(world, tenant).await?, 1);
    Ok(())
}

/// Sixteen twins make one organization, and all are told of it.
pub async fn twins_make_one_organization(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    for _ in 0..3 {
        let before = count(world, tenant).await?;
        let key = fresh_key();
        let twins = (0..16)
            .map(|_| {
                let once = Some(once(Scope::Tenant(tenant), &key, 1)?);
                Ok(NewOrganization { once, ..new_organization(organization(tenant)?) })
            })
            .collect::<TestResult<Vec<_>>>()?;
        let made: Vec<_> = twins.iter().map(|twin| twin.organization.clone()).collect();
        let answers = together(twins.into_iter().map(|twin| world.organizations.create(twin))).await;
        let answers = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut winners = made.iter().zip(&answers).filter(|(_, answer)| **answer == Created::Fresh);
        let (winner, _) = winners.next().ok_or("nobody made it")?;
        assert!(winners.next().is_none());
        let told = answers.iter().filter(|answer| **answer == same(winner)).count();
        assert_eq!((told, count(world, tenant).await?), (15, before + 1));
    }
    Ok(())
}

fn fresh_key() -> String {
    crate::ids::KeyId::from(fresh()).to_string()
}

/// Another tenant's or organization's equal key, or a longer one, is another key.
pub async fn keys_belong_to_their_scope(world: &World) -> TestResult {
    let (tenant, other) = (add_tenant(world).await?, add_tenant(world).await?);
    let mut scopes = vec![(tenant, Scope::Tenant(tenant)), (other, Scope::Tenant(other))];
    for _ in 0..2 {
        let own = organization(tenant)?;
        world.organizations.create(new_organization(own.clone())).await?;
        scopes.push((tenant, Scope::Organization(tenant, own.id)));
    }
    for key in ["k", "K", "kk"] {
        for (tenant, scope) in &scopes {
            let new = NewOrganization {
                once: Some(once(*scope, key, 1)?),
                ..new_organization(organization(*tenant)?)
            };
            let own = new.organization.clone();
            assert_eq!(world.organizations.create(new).await?, Created::Fresh, "{scope:?}");
            let again = NewOrganization {
                once: Some(once(*scope, key, 1)?),
                ..new_organization(organization(*tenant)?)
            };
            assert_eq!(world.organizations.create(again).await?, same(&own), "{scope:?}");
        }
    }
    Ok(())
}

/// After a day it is free, for whatever request; of many that take it then, one does.
pub async fn an_expired_key_is_free_again(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let at = |asked, age: Duration| -> TestResult<NewOrganization> {
        let mut new = request(tenant, asked)?;
        new.organization.created_at = moment(0) + age;
        new.organization.updated_at = moment(0) + age;
        Ok(new)
    };
    let first = request(tenant, 1)?;
    let own = first.organization.clone();
    world.organizations.create(first).await?;
    assert_eq!(world.organizations.create(at(1, LIFETIME)?).await?, same(&own));
    let later = LIFETIME + Duration::from_millis(1);
    let heirs = (0..6).map(|_| at(2, later)).collect::<TestResult<Vec<_>>>()?;
    let made: Vec<_> = heirs.iter().map(|heir| heir.organization.clone()).collect();
    let answers = together(heirs.into_iter().map(|heir| world.organizations.create(heir))).await;
    let answers = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut winners = made.iter().zip(&answers).filter(|(_, answer)| **answer == Created::Fresh);
    let (heir, _) = winners.next().ok_or("nobody took it")?;
    assert_eq!(answers.iter().filter(|answer| **answer == same(heir)).count(), 5);
    let different = Created::Earlier(Earlier::Different);
    assert_eq!(world.organizations.create(at(1, later + LIFETIME)?).await?, different);
    assert_eq!(count(world, tenant).await?, 2);
    Ok(())
}

/// A creation that fails leaves its key to the next.
pub async fn a_failed_creation_takes_no_key(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let taken = organization(tenant)?;
    world.organizations.create(new_organization(taken.clone())).await?;
    let failing = NewOrganization { organization: taken, ..request(tenant, 1)? };
    let failed = world.organizations.create(failing).await;
    assert!(matches!(failed, Err(CreateOrganizationError::Store(_))));
    assert_eq!(world.organizations.create(request(tenant, 2)?).await?, Created::Fresh);
    let nobody = TenantId::from(fresh());
    let refused = world.organizations.create(request(nobody, 1)?).await;
    assert!(matches!(refused, Err(CreateOrganizationError::UnknownTenant)));
    Ok(())
}
