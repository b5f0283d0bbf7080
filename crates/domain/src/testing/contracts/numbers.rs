//! Numbers, as they are set up and taken out of use.

use crate::audit::Action;
use crate::ids::{NumberId, OrganizationId};
use crate::page::PageRequest;
use crate::ports::{CarriedNumber, SetupError};
use crate::scope::{Reach, Scope};
use crate::testing::fixtures::{Ground, TestResult, add_organization, deed, fresh, moment, number};
use crate::testing::world::World;
use crate::trunk::Number;

const ALL: PageRequest = PageRequest { number: 1, size: 100 };

fn carried(number: &Number) -> CarriedNumber {
    CarriedNumber { number: number.clone(), trunk_name: "main".to_owned(), carried: true }
}

/// Oldest first, page by page, each with its trunk's name; also those of a deleted organization.
pub async fn an_organizations_numbers_are_listed_page_by_page(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let sister = add_organization(world, ground.tenant).await?;
    world.add_number(number(ground.tenant, sister, ground.trunk.id)?).await?;
    let mut own = vec![carried(&ground.number)];
    for second in [5, 3, 3] {
        let made = number(ground.tenant, ground.organization, ground.trunk.id)?;
        let made = Number { created_at: moment(second), ..made };
        world.add_number(made.clone()).await?;
        own.push(carried(&made));
    }
    own.sort_by_key(|own| (own.number.created_at, own.number.id));
    let list = async |number, size| {
        let page = PageRequest { number, size };
        world.numbers.numbers_of(Reach::Everything, ground.organization, page).await
    };
    assert_eq!(list(1, 100).await?, own);
    assert_eq!([list(1, 3).await?, list(2, 3).await?].concat(), own);
    assert_eq!(list(3, 3).await?, []);
    world.delete_organization(ground.organization, moment(9)).await?;
    assert_eq!(list(1, 100).await?, own);
    let unknown = world.numbers.numbers_of(Reach::Everything, OrganizationId::from(fresh()), ALL).await;
    assert!(matches!(unknown, Err(SetupError::Unknown("organization"))));
    Ok(())
}

/// Neither called from nor listed; it can be given anew.
pub async fn a_retired_number_places_no_calls(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (call, _) = ground.calling(world).await?;
    let (id, reach) = (ground.number.id, Reach::Everything);
    assert_eq!(world.numbers.number(reach, id).await?, Some(carried(&ground.number)));
    assert!(world.numbers.retire_number(reach, id, deed(moment(2))).await?);
    assert!(!world.numbers.retire_number(reach, id, deed(moment(3))).await?);
    assert!(world.directory.placeable(ground.scope(), ground.assistant.id, id).await?.is_none());
    assert_eq!(world.numbers.number(reach, id).await?, None);
    assert_eq!(world.numbers.numbers_of(reach, ground.organization, ALL).await?, []);
    let record = world.records.read(ground.scope(), call.id).await?.ok_or("no record")?;
    assert_eq!(record.listing.number.as_deref(), Some("+14155550100"));
    let again = number(ground.tenant, ground.organization, ground.trunk.id)?;
    world.add_number(again.clone()).await?;
    assert_eq!(world.numbers.numbers_of(reach, ground.organization, ALL).await?, [carried(&again)]);
    let entries = world.audit.entries(ground.scope(), None, None, 9).await?;
    let told: Vec<_> = entries
        .iter()
        .filter(|entry| entry.action == Action::NumberDelete)
        .map(|entry| (entry.deed.at, entry.subject.clone(), entry.name.as_deref()))
        .collect();
    assert_eq!(told, [(moment(2), id.to_string(), Some("+14155550100"))]);
    Ok(())
}

/// Another tenant's and another organization's.
pub async fn numbers_out_of_reach_are_as_missing(world: &World) -> TestResult {
    let (own, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let sister = add_organization(world, own.tenant).await?;
    for scope in [
        Scope::Tenant(foreign.tenant),
        Scope::Organization(own.tenant, sister),
        Scope::Organization(foreign.tenant, own.organization),
    ] {
        let (reach, id) = (Reach::Within(scope), own.number.id);
        assert_eq!(world.numbers.number(reach, id).await?, None, "{scope:?}");
        let listed = world.numbers.numbers_of(reach, own.organization, ALL).await;
        assert!(matches!(listed, Err(SetupError::Unknown("organization"))), "{scope:?}");
        let late = number(own.tenant, own.organization, own.trunk.id)?;
        let added = world.numbers.add_number(reach, late, deed(moment(1))).await;
        assert!(matches!(added, Err(SetupError::Unknown("organization"))), "{scope:?}");
        assert!(!world.numbers.retire_number(reach, id, deed(moment(1))).await?, "{scope:?}");
    }
    assert!(!world.numbers.retire_number(Reach::Everything, NumberId::from(fresh()), deed(moment(1))).await?);
    let reach = Reach::Within(own.scope());
    let late = number(own.tenant, own.organization, own.trunk.id)?;
    world.numbers.add_number(reach, late.clone(), deed(moment(1))).await?;
    assert!(world.numbers.retire_number(reach, late.id, deed(moment(1))).await?);
    assert_eq!(world.numbers.numbers_of(reach, own.organization, ALL).await?, [carried(&own.number)]);
    Ok(())
}
