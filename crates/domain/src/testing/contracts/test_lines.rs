//! Lines to the built-in phone.

use crate::audit::Action;
use crate::ids::{NumberId, TrunkId};
use crate::page::PageRequest;
use crate::ports::{FreshTestLine, SetupError};
use crate::scope::Reach;
use crate::testing::fixtures::{Ground, TestResult, deed, fresh, moment};
use crate::testing::world::{World, together};
use crate::trunk::Trunk;

fn line() -> FreshTestLine {
    FreshTestLine { trunk: TrunkId::from(fresh()), number: NumberId::from(fresh()) }
}

const ALL: PageRequest = PageRequest { number: 1, size: 50 };

async fn test_trunks(world: &World, ground: &Ground) -> TestResult<Vec<Trunk>> {
    let trunks = world.trunks.trunks_of(Reach::Everything, ground.tenant, ALL).await?;
    Ok(trunks.into_iter().filter(Trunk::leads_to_built_in_phone).collect())
}

/// Asked for again, it is the same; whoever reaches but one organization may ask.
pub async fn a_test_line_is_made_once_and_calls_can_be_placed_over_it(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let reach = Reach::Within(ground.scope());
    let wanted = line();
    let made = world.test_lines.set_up_test_line(reach, ground.organization, wanted, deed(moment(1))).await?;
    assert_eq!(made, wanted.number);
    let again =
        world.test_lines.set_up_test_line(reach, ground.organization, line(), deed(moment(2))).await?;
    assert_eq!(again, made);
    let trunks = test_trunks(world, &ground).await?;
    assert_eq!(trunks, [Trunk::to_built_in_phone(wanted.trunk, ground.tenant, moment(1))]);
    let found = world.directory.placeable(ground.scope(), ground.assistant.id, made).await?;
    assert_eq!(found.map(|placeable| placeable.trunk.id), Some(wanted.trunk));
    let entries = world.audit.entries(crate::scope::Scope::Tenant(ground.tenant), None, None, 50).await?;
    let noted = |action, subject: String| {
        entries.iter().filter(|entry| entry.action == action && entry.subject == subject).count()
    };
    assert_eq!(noted(Action::TrunkCreate, wanted.trunk.to_string()), 1);
    assert_eq!(noted(Action::NumberCreate, made.to_string()), 1);
    Ok(())
}

/// However many want it at the same moment.
pub async fn of_all_who_set_a_test_line_up_at_once_one_does(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let asking = (0..6).map(|_| {
        let (world, organization) = (world.clone(), ground.organization);
        async move {
            world.test_lines.set_up_test_line(Reach::Everything, organization, line(), deed(moment(1))).await
        }
    });
    let mut made = Vec::new();
    for number in together(asking).await {
        made.push(number?);
    }
    made.dedup();
    assert_eq!(made.len(), 1);
    assert_eq!(test_trunks(world, &ground).await?.len(), 1);
    Ok(())
}

/// What was taken out of use is made anew; what is out of reach is as missing.
pub async fn a_retired_test_line_is_made_anew_and_a_foreign_one_never(world: &World) -> TestResult {
    let (ground, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let reach = Reach::Within(ground.scope());
    let refused =
        world.test_lines.set_up_test_line(reach, foreign.organization, line(), deed(moment(1))).await;
    assert!(matches!(refused, Err(SetupError::Unknown("organization"))));
    assert_eq!(test_trunks(world, &foreign).await?, []);
    let first = line();
    world.test_lines.set_up_test_line(reach, ground.organization, first, deed(moment(1))).await?;
    assert!(world.numbers.retire_number(reach, first.number, deed(moment(2))).await?);
    let second = line();
    let made = world.test_lines.set_up_test_line(reach, ground.organization, second, deed(moment(3))).await?;
    assert_eq!(made, second.number);
    assert_eq!(test_trunks(world, &ground).await?.first().map(|trunk| trunk.id), Some(first.trunk));
    assert!(world.trunks.retire_trunk(Reach::Everything, first.trunk, deed(moment(4))).await?);
    let third = line();
    let made = world.test_lines.set_up_test_line(reach, ground.organization, third, deed(moment(5))).await?;
    assert_eq!(made, third.number);
    assert_eq!(test_trunks(world, &ground).await?.first().map(|trunk| trunk.id), Some(third.trunk));
    Ok(())
}

/// The number that is told is there, whichever comes first.
pub async fn a_test_line_is_on_a_trunk_that_was_not_retired_meanwhile(world: &World) -> TestResult {
    for _ in 0..20 {
        let ground = Ground::lay(world, None).await?;
        let (reach, organization) = (Reach::Within(ground.scope()), ground.organization);
        let first = line();
        world.test_lines.set_up_test_line(reach, organization, first, deed(moment(1))).await?;
        assert!(world.numbers.retire_number(reach, first.number, deed(moment(2))).await?);
        let second = line();
        let rush = [true, false].map(|setting_up| async move {
            if setting_up {
                let made = world.test_lines.set_up_test_line(reach, organization, second, deed(moment(3)));
                return made.await.map(|number| number == second.number);
            }
            Ok(world.trunks.retire_trunk(Reach::Everything, first.trunk, deed(moment(3))).await?)
        });
        for done in together(rush).await {
            assert!(done?);
        }
        assert!(world.numbers.number(reach, second.number).await?.is_some());
    }
    Ok(())
}
