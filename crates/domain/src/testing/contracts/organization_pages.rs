//! Pages of a tenant's organizations.

use crate::ids::TenantId;
use crate::organization::{Organization, OrganizationField, OrganizationQuery};
use crate::page::{Page, PageRequest};
use crate::scope::{Reach, Scope};
use crate::testing::fixtures::{
    TestResult, add_organization, add_tenant, deed, moment, new_organization, organization, revision,
};
use crate::testing::world::World;

fn query(number: u32, size: u32) -> OrganizationQuery {
    OrganizationQuery {
        page: PageRequest { number, size },
        sort: OrganizationField::CreatedAt,
        descending: false,
        search: None,
    }
}

fn names(page: &Page<Organization>) -> Vec<&str> {
    page.items.iter().map(|own| own.profile.name.as_str()).collect()
}

async fn named(world: &World, tenant: TenantId, name: &str, second: u64) -> TestResult<Organization> {
    let mut own = organization(tenant)?;
    own.profile.name = name.to_owned();
    own.created_at = moment(second);
    own.updated_at = moment(second);
    world.organizations.create(new_organization(own.clone())).await?;
    Ok(own)
}

/// What a search for `part` finds, in the order of creation.
async fn search(world: &World, tenant: TenantId, part: &str) -> TestResult<Vec<String>> {
    let query = OrganizationQuery { search: Some(part.to_owned()), ..query(1, 100) };
    let page = world.organizations.page(Scope::Tenant(tenant), &query).await?;
    assert_eq!(usize::try_from(page.total)?, page.items.len(), "{part:?}");
    Ok(page.items.into_iter().map(|own| own.profile.name).collect())
}

/// With the exact total on each page, the ones beyond the end too.
pub async fn all_pages_show_each_organization_once(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    add_organization(world, add_tenant(world).await?).await?;
    let mut made = Vec::new();
    for count in 0..25 {
        // Many were made at the same moment.
        made.push(named(world, tenant, &format!("no {count}"), count / 10).await?);
    }
    let removed = made.remove(3);
    assert!(
        world
            .organizations
            .remove(Reach::Within(Scope::Tenant(tenant)), removed.id, deed(moment(99)))
            .await?
    );
    for descending in [false, true] {
        let mut seen = Vec::new();
        for (number, count) in [(1, 7), (2, 7), (3, 7), (4, 3), (5, 0)] {
            let query = OrganizationQuery { descending, ..query(number, 7) };
            let page = world.organizations.page(Scope::Tenant(tenant), &query).await?;
            assert_eq!((page.total, page.items.len()), (24, count));
            seen.extend(page.items);
        }
        if descending {
            seen.reverse();
        }
        assert_eq!(seen, made);
    }
    let far = world.organizations.page(Scope::Tenant(tenant), &query(u32::MAX, 100)).await?;
    assert_eq!(far, Page { items: Vec::new(), total: 24 });
    Ok(())
}

/// Texts by their bytes: capitals before small letters, and those beyond ASCII last.
pub async fn every_field_sorts_both_ways(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let mut made = Vec::new();
    for (count, text) in (0..).zip(["beta", "Zulu", "alpha", "élan", "alpha", "_x", "10", "2"]) {
        let mut own = organization(tenant)?;
        own.created_at = moment(100 - count % 4);
        own.updated_at = moment(count % 3);
        own.profile.name = text.to_owned();
        own.profile.email = format!("{text}@a.example");
        own.profile.city = format!("{text} city");
        own.profile.country = text.chars().rev().collect();
        world.organizations.create(new_organization(own.clone())).await?;
        made.push(own);
    }
    for sort in OrganizationField::ALL {
        let mut expected = made.clone();
        expected.sort_by_key(|own| {
            let moment = match sort {
                OrganizationField::CreatedAt => Some(own.created_at),
                OrganizationField::UpdatedAt => Some(own.updated_at),
                _ => None,
            };
            let text = match sort {
                OrganizationField::Name => own.profile.name.as_str(),
                OrganizationField::Email => own.profile.email.as_str(),
                OrganizationField::City => own.profile.city.as_str(),
                OrganizationField::Country => own.profile.country.as_str(),
                OrganizationField::CreatedAt | OrganizationField::UpdatedAt => "",
            };
            (moment, text.as_bytes().to_vec(), own.id)
        });
        for descending in [false, true] {
            for search in [None, Some(String::new())] {
                let query = OrganizationQuery { sort, descending, search, ..query(1, 100) };
                let page = world.organizations.page(Scope::Tenant(tenant), &query).await?;
                assert_eq!(page.items, expected, "{query:?}");
                assert_eq!(page.total, 8);
            }
            expected.reverse();
        }
    }
    Ok(())
}

/// Any part of the name, in any case, of any letters.
pub async fn a_search_finds_parts_of_names_in_any_case(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    for (second, name) in (0..).zip(["North Clinic", "École Nord", "Straße 1", "ΟΔΟΣ", "clinique"]) {
        named(world, tenant, name, second).await?;
    }
    for (part, found) in [
        ("CLINI", &["North Clinic", "clinique"][..]),
        ("nor", &["North Clinic", "École Nord"]),
        ("h c", &["North Clinic"]),
        ("éCOLE", &["École Nord"]),
        ("ecole", &[]),
        ("STRASSE", &["Straße 1"]),
        ("οδος", &["ΟΔΟΣ"]),
        ("North Clinics", &[]),
    ] {
        assert_eq!(search(world, tenant, part).await?, found, "{part:?}");
    }
    // The name is searched as it is now, and only the tenant's own.
    let stranger = add_tenant(world).await?;
    assert_eq!(search(world, stranger, "clinic").await?, Vec::<String>::new());
    let own = named(world, tenant, "Before", 9).await?;
    let renamed = revision("ÄFTER", "desk@clinic.example");
    world.organizations.revise(Scope::Tenant(tenant), own.id, renamed, None, deed(moment(10))).await?;
    assert_eq!(search(world, tenant, "before").await?, Vec::<String>::new());
    assert_eq!(search(world, tenant, "äft").await?, ["ÄFTER"]);
    world.organizations.remove(Reach::Within(Scope::Tenant(tenant)), own.id, deed(moment(11))).await?;
    assert_eq!(search(world, tenant, "äft").await?, Vec::<String>::new());
    Ok(())
}

/// No character of a search means anything but itself.
pub async fn wildcards_are_literal(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    for (second, name) in (0..).zip(["100%", "100 percent", "a_b", "axb", r"back\slash", r"\%", "[a-z].*"]) {
        named(world, tenant, name, second).await?;
    }
    for (part, found) in [
        ("%", &["100%", r"\%"][..]),
        ("0%", &["100%"]),
        ("_", &["a_b"]),
        ("a_b", &["a_b"]),
        (r"\", &[r"back\slash", r"\%"]),
        (r"\%", &[r"\%"]),
        (r"\_", &[]),
        (".*", &["[a-z].*"]),
        ("'", &[]),
    ] {
        assert_eq!(search(world, tenant, part).await?, found, "{part:?}");
    }
    Ok(())
}

/// A page of what was found, in the order that was asked for.
pub async fn what_is_found_is_paged_and_sorted(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    for (second, name) in (0..).zip(["b clinic", "other", "c clinic", "a clinic", "d CLINIC"]) {
        named(world, tenant, name, second).await?;
    }
    let by_name = |number, descending| OrganizationQuery {
        sort: OrganizationField::Name,
        descending,
        search: Some("clinic".to_owned()),
        ..query(number, 3)
    };
    let first = world.organizations.page(Scope::Tenant(tenant), &by_name(1, true)).await?;
    assert_eq!((names(&first), first.total), (vec!["d CLINIC", "c clinic", "b clinic"], 4));
    let second = world.organizations.page(Scope::Tenant(tenant), &by_name(2, true)).await?;
    assert_eq!((names(&second), second.total), (vec!["a clinic"], 4));
    let upwards = world.organizations.page(Scope::Tenant(tenant), &by_name(1, false)).await?;
    assert_eq!((names(&upwards), upwards.total), (vec!["a clinic", "b clinic", "c clinic"], 4));
    Ok(())
}

/// Whoever is limited to one organization has a list of one, as long as it is live and sought.
pub async fn a_list_shows_what_is_in_scope(world: &World) -> TestResult {
    let tenant = add_tenant(world).await?;
    let own = named(world, tenant, "own", 1).await?;
    named(world, tenant, "other", 2).await?;
    let foreign = add_tenant(world).await?;
    let scope = Scope::Organization(tenant, own.id);
    let only = Page { items: vec![own.clone()], total: 1 };
    assert_eq!(world.organizations.page(scope, &query(1, 10)).await?, only);
    let seeking = |part: &str| OrganizationQuery { search: Some(part.to_owned()), ..query(1, 10) };
    assert_eq!(world.organizations.page(scope, &seeking("WN")).await?, only);
    let none = Page { items: vec![], total: 0 };
    assert_eq!(world.organizations.page(scope, &seeking("other")).await?, none);
    assert_eq!(world.organizations.page(scope, &query(2, 10)).await?, Page { items: vec![], total: 1 });
    let elsewhere = Scope::Organization(foreign, own.id);
    assert_eq!(world.organizations.page(elsewhere, &query(1, 10)).await?, none);
    world.organizations.remove(Reach::Within(scope), own.id, deed(moment(9))).await?;
    assert_eq!(world.organizations.page(scope, &query(1, 10)).await?, none);
    Ok(())
}
