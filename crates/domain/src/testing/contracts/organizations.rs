//! Organizations, as the keys of their tenant manage them.

use crate::audit::{Action, Actor, Deed};
use crate::ids::{KeyId, OrganizationId};
use crate::organization::{Logo, Organization, Profile, Revision, Timezone};
use crate::ports::{Created, NewOrganization, Reachable, ReviseError};
use crate::scope::{Reach, Scope};
use crate::testing::fixtures::{
    TestResult, add_organization, add_tenant, deed, fresh, moment, new_organization, organization, revision,
};
use crate::testing::world::{World, together};

const KEY: KeyId = KeyId::from_uuid(uuid::Uuid::from_u128(5));

/// What a key does at a second.
fn by_key(second: u64) -> Deed {
    Deed { actor: Actor::Key(KEY), ..deed(moment(second)) }
}

async fn read(world: &World, own: &Organization) -> TestResult<Reachable> {
    Ok(world.organizations.read(Scope::Tenant(own.tenant), own.id).await?.ok_or("not there")?)
}

/// Every field, and its first signing secret.
pub async fn a_created_organization_is_read_whole(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let mut own = organization(tenant)?;
    own.profile.image = Some("https://clinic.example/logo.png".to_owned());
    own.last_modified_by = Some("somebody".to_owned());
    own.updated_at = moment(5);
    assert_eq!(world.organizations.create(new_organization(own.clone())).await?, Created::Fresh);
    let found = read(world, &own).await?;
    assert_eq!(found, Reachable { current: own.clone(), all: vec![own.clone()] });
    for scope in [Scope::Tenant(tenant), Scope::Organization(tenant, own.id)] {
        assert_eq!(world.organizations.find(scope, own.id).await?, Some(own.clone()));
    }
    let secrets = world.signing.show_signing_secrets(Reach::Everything, own.id, deed(moment(1))).await?;
    assert_eq!(secrets.current.reveal(), b"first secret");
    Ok(())
}

/// Neither an organization nor its secret is there twice.
pub async fn an_id_is_taken_once(world: &World) -> TestResult {
    let own = organization(add_tenant(world).await?)?;
    let twins = (0..4).map(|_| world.organizations.create(new_organization(own.clone())));
    assert_eq!(together(twins).await.into_iter().flatten().count(), 1);
    assert_eq!(read(world, &own).await?.all.len(), 1);
    Ok(())
}

/// All live ones, oldest first, beside the one that was asked for.
pub async fn the_live_organizations_stand_beside_the_requested_one(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    add_organization(world, add_tenant(world).await?).await?;
    let mut made = Vec::new();
    for second in [30, 10, 20, 10] {
        let own = Organization { created_at: moment(second), ..organization(tenant)? };
        world.organizations.create(new_organization(own.clone())).await?;
        made.push(own.id);
    }
    let [last, first, third, second] = made.as_slice() else { return Err("four were made".into()) };
    for id in &made {
        let found = world.organizations.read(Scope::Tenant(tenant), *id).await?.ok_or("not there")?;
        let all: Vec<_> = found.all.iter().map(|own| own.id).collect();
        assert_eq!((found.current.id, all), (*id, vec![*first, *second, *third, *last]));
    }
    Ok(())
}

/// Whatever is left out stays as it was.
pub async fn a_revision_writes_what_it_names(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let own = organization(tenant)?;
    world.organizations.create(new_organization(own.clone())).await?;
    let revise = |revision: Revision, at| {
        world.organizations.revise(Scope::Tenant(tenant), own.id, revision, None, by_key(at))
    };
    let little = revision("Südklinik", "info@clinic.example");
    let profile = Profile { name: little.name.clone(), email: little.email.clone(), ..own.profile.clone() };
    let expected = Organization {
        profile,
        updated_at: moment(5),
        last_modified_by: Some(KEY.to_string()),
        ..own.clone()
    };
    assert_eq!(revise(little.clone(), 5).await?, expected);
    assert_eq!(read(world, &own).await?.current, expected);
    let much = Revision {
        address: Some("2 Side St".to_owned()),
        city: Some(String::new()),
        state_province: Some("ON".to_owned()),
        postal_code: Some("K1A 0B1".to_owned()),
        country: Some("Canada".to_owned()),
        phone_number: Some("613".to_owned()),
        timezone: Timezone::parse("America/Toronto"),
        ..little
    };
    let done = revise(much, 9).await?;
    let profile = &done.profile;
    assert_eq!((profile.address.as_str(), profile.city.as_str()), ("2 Side St", ""));
    assert_eq!((profile.state_province.as_str(), profile.postal_code.as_str()), ("ON", "K1A 0B1"));
    assert_eq!((profile.country.as_str(), profile.phone_number.as_str()), ("Canada", "613"));
    assert_eq!(Some(profile.timezone), Timezone::parse("America/Toronto"));
    assert_eq!(profile.external_id, own.profile.external_id);
    assert_eq!((done.created_at, done.updated_at), (own.created_at, moment(9)));
    assert_eq!(read(world, &own).await?.current, done);
    Ok(())
}

/// It stays until it is taken away or another is given.
pub async fn a_logo_is_given_kept_and_taken_away(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let own = organization(tenant)?;
    world.organizations.create(new_organization(own.clone())).await?;
    let new = || Logo::Becomes("https://clinic.example/ü.png".to_owned());
    for (logo, image) in [
        (Logo::Stays, None),
        (new(), Some("https://clinic.example/ü.png")),
        (Logo::Stays, Some("https://clinic.example/ü.png")),
        (Logo::Goes, None),
    ] {
        let revision = Revision { logo, ..revision("x", "y") };
        let done =
            world.organizations.revise(Scope::Tenant(tenant), own.id, revision, None, by_key(1)).await?;
        assert_eq!(done.profile.image.as_deref(), image);
        assert_eq!(read(world, &own).await?.current, done);
    }
    Ok(())
}

/// By which key, when, and what it was called at the time.
pub async fn what_becomes_of_an_organization_is_noted(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let own = organization(tenant)?;
    let scope = Scope::Organization(tenant, own.id);
    let new = new_organization(own.clone());
    world.organizations.create(NewOrganization { deed: by_key(1), ..new }).await?;
    world.organizations.revise(scope, own.id, revision("x", "y"), None, by_key(2)).await?;
    world.organizations.remove(Reach::Within(scope), own.id, by_key(3)).await?;
    let entries = world.audit.entries(scope, None, None, 9).await?;
    let told: Vec<_> =
        entries.iter().map(|entry| (entry.action, entry.deed.clone(), entry.name.as_deref())).collect();
    assert_eq!(
        told,
        [
            (Action::OrganizationDelete, by_key(3), Some("x")),
            (Action::OrganizationUpdate, by_key(2), Some("x")),
            (Action::OrganizationCreate, by_key(1), Some("North Clinic")),
        ]
    );
    assert!(entries.iter().all(|entry| entry.subject == own.id.to_string()));
    Ok(())
}

/// Only one of many is told that it was the one.
pub async fn an_organization_is_removed_once(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let own = organization(tenant)?;
    world.organizations.create(new_organization(own.clone())).await?;
    let reach = Reach::Within(Scope::Tenant(tenant));
    let removals = (0..8).map(|_| world.organizations.remove(reach, own.id, by_key(7)));
    let done = together(removals).await.into_iter().collect::<Result<Vec<_>, _>>()?;
    assert_eq!(done.into_iter().filter(|removed| *removed).count(), 1);
    let found = read(world, &own).await?;
    assert_eq!(found.all, []);
    let expected = Organization {
        deleted_at: Some(moment(7)),
        updated_at: moment(7),
        last_modified_by: Some(KEY.to_string()),
        ..own
    };
    assert_eq!(found.current, expected);
    assert!(!found.current.is_active());
    Ok(())
}

/// It can be read, and nothing else.
pub async fn a_removed_organization_is_gone_but_readable(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let (gone, kept) = (organization(tenant)?, organization(tenant)?);
    for own in [&gone, &kept] {
        world.organizations.create(new_organization(own.clone())).await?;
    }
    assert!(
        world.organizations.remove(Reach::Within(Scope::Tenant(tenant)), gone.id, deed(moment(1))).await?
    );
    let scope = Scope::Tenant(tenant);
    let revised = world.organizations.revise(scope, gone.id, revision("x", "y"), None, by_key(2)).await;
    assert!(matches!(revised, Err(ReviseError::Unknown("organization"))));
    assert!(!world.organizations.remove(Reach::Within(scope), gone.id, by_key(2)).await?);
    assert!(!world.organizations.remove(Reach::Everything, gone.id, deed(moment(2))).await?);
    assert_eq!(world.organizations.find(Scope::Tenant(tenant), gone.id).await?, None);
    let found = read(world, &gone).await?;
    assert_eq!((found.current.profile.clone(), found.current.updated_at), (gone.profile, moment(1)));
    assert_eq!(found.all.into_iter().map(|own| own.id).collect::<Vec<_>>(), [kept.id]);
    Ok(())
}

/// Not to another tenant, nor to whoever has another organization of the same; and neither does one
/// that nobody made.
pub async fn organizations_out_of_scope_do_not_exist(world: &World) -> TestResult {
    let (tenant, foreign) = (add_tenant(world).await?, add_tenant(world).await?);
    let own = organization(tenant)?;
    world.organizations.create(new_organization(own.clone())).await?;
    add_organization(world, foreign).await?;
    let sister = add_organization(world, tenant).await?;
    for (scope, id) in [
        (Scope::Tenant(foreign), own.id),
        (Scope::Tenant(tenant), OrganizationId::from(fresh())),
        (Scope::Organization(tenant, sister), own.id),
        (Scope::Organization(foreign, own.id), own.id),
    ] {
        assert_eq!(world.organizations.find(scope, id).await?, None);
        assert_eq!(world.organizations.read(scope, id).await?, None);
        let revised = world.organizations.revise(scope, id, revision("x", "y"), None, by_key(2)).await;
        assert!(matches!(revised, Err(ReviseError::Unknown("organization"))));
        assert!(!world.organizations.remove(Reach::Within(scope), id, by_key(2)).await?);
    }
    let scope = Scope::Organization(tenant, own.id);
    let found = world.organizations.read(scope, own.id).await?.ok_or("not there")?;
    assert_eq!(found, Reachable { current: own.clone(), all: vec![own.clone()] });
    let revised = world.organizations.revise(scope, own.id, revision("x", "y"), None, by_key(2)).await?;
    assert_eq!(revised.profile.name, "x");
    Ok(())
}
