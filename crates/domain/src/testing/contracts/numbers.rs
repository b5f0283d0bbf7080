//! Numbers, as they are set up and taken out of use.

use crate::audit::Action;
use crate::ids::{NumberId, OrganizationId, TrunkId};
use crate::page::PageRequest;
use crate::ports::{CarriedNumber, SetupError};
use crate::scope::{Reach, Scope};
use crate::testing::fixtures::{Ground, TestResult, add_organization, deed, fresh, moment, number, trunk};
use crate::testing::world::World;
use crate::trunk::{Number, Trunk};

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

/// Its next call goes over the new trunk; one that is under way keeps its own.
pub async fn a_number_moves_to_another_trunk_of_its_tenant(world: &World) -> TestResult {
    let (ground, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let (call, _) = ground.calling(world).await?;
    let second = Trunk { name: "second".to_owned(), ..trunk(ground.tenant, None) };
    let gone = trunk(ground.tenant, None);
    for trunk in [&second, &gone] {
        world.add_trunk(trunk.clone()).await?;
    }
    let (id, reach) = (ground.number.id, Reach::Within(ground.scope()));
    assert!(world.trunks.retire_trunk(Reach::Everything, gone.id, deed(moment(1))).await?);
    for unfit in [foreign.trunk.id, gone.id, TrunkId::from(fresh())] {
        let refused = world.numbers.move_number(reach, id, unfit, deed(moment(2))).await;
        assert!(matches!(refused, Err(SetupError::Unknown("trunk"))), "{refused:?}");
    }
    let moved = Number { trunk: second.id, ..ground.number.clone() };
    let moved = CarriedNumber { number: moved, trunk_name: "second".to_owned(), carried: true };
    for at in [moment(3), moment(4)] {
        assert_eq!(world.numbers.move_number(reach, id, second.id, deed(at)).await?, moved);
    }
    assert_eq!(world.numbers.number(reach, id).await?, Some(moved));
    let found = world.directory.placeable(ground.scope(), ground.assistant.id, id).await?;
    assert_eq!(found.ok_or("not found")?.trunk.id, second.id);
    let heir = ground.another_boot(world).await?;
    let orphans = world.nodes.take_over(heir, ground.boot, None, 10).await?;
    let carried: Vec<_> = orphans.iter().map(|orphan| (orphan.call.id, orphan.trunk.id)).collect();
    assert_eq!(carried, [(call.id, ground.trunk.id)]);
    let told = world.audit.entries(ground.scope(), None, None, 9).await?;
    let told = told.iter().filter(|entry| entry.action == Action::NumberMove);
    let told: Vec<_> =
        told.map(|entry| (entry.deed.at, entry.subject.clone(), entry.name.as_deref())).collect();
    assert_eq!(told, [(moment(3), id.to_string(), Some("+14155550100 → second"))]);
    assert!(world.numbers.retire_number(reach, id, deed(moment(6))).await?);
    let late = world.numbers.move_number(reach, id, ground.trunk.id, deed(moment(7))).await;
    assert!(matches!(late, Err(SetupError::Unknown("number"))), "{late:?}");
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
        let moved = world.numbers.move_number(reach, id, own.trunk.id, deed(moment(1))).await;
        assert!(matches!(moved, Err(SetupError::Unknown("number"))), "{scope:?}");
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
