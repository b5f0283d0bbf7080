//! Additions that come twice: one thing is made, and the second is told that its id is taken.

use std::fmt::Debug;

use crate::audit::Action;
use crate::ports::Added;
use crate::scope::{Reach, Scope};
use crate::testing::fixtures::{
    Ground, TestResult, add_organization, assistant, deed, moment, number, trunk,
};
use crate::testing::world::{World, together};
use crate::trunk::{Number, Trunk};

/// One was fresh, and all others came again.
fn one_fresh<E: Debug>(outcomes: Vec<Result<Added, E>>) -> TestResult {
    let mut added = Vec::new();
    for outcome in outcomes {
        added.push(outcome.map_err(|error| format!("{error:?}"))?);
    }
    assert_eq!(added.iter().filter(|one| **one == Added::Fresh).count(), 1, "{added:?}");
    Ok(())
}

async fn noted(world: &World, scope: Scope, action: Action) -> TestResult<usize> {
    let entries = world.audit.entries(scope, None, None, 50).await?;
    // What the ground was laid with came at another time.
    Ok(entries.iter().filter(|entry| entry.action == action && entry.deed.at == moment(7)).count())
}

/// Whatever else the second says, and whoever sends it.
pub async fn a_trunk_is_added_once(world: &World) -> TestResult {
    let (own, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let made = trunk(own.tenant, Some(2));
    let add = |trunk: Trunk| world.trunks.add_trunk(Reach::Everything, trunk, deed(moment(7)));
    one_fresh(together((0..4).map(|_| add(made.clone()))).await)?;
    assert_eq!(add(Trunk { name: "other".to_owned(), ..made.clone() }).await?, Added::Repeated);
    assert_eq!(add(Trunk { tenant: foreign.tenant, ..made.clone() }).await?, Added::Repeated);
    assert_eq!(world.trunks.trunk(Reach::Everything, made.id).await?, Some(made));
    assert_eq!(noted(world, Scope::Tenant(own.tenant), Action::TrunkCreate).await?, 1);
    Ok(())
}

/// The same, for a number.
pub async fn a_number_is_added_once(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let sister = add_organization(world, ground.tenant).await?;
    let made = number(ground.tenant, ground.organization, ground.trunk.id)?;
    let add = |number: Number| world.numbers.add_number(Reach::Everything, number, deed(moment(7)));
    one_fresh(together((0..4).map(|_| add(made.clone()))).await)?;
    assert_eq!(add(Number { organization: sister, ..made.clone() }).await?, Added::Repeated);
    let found = world.numbers.number(Reach::Everything, made.id).await?;
    assert_eq!(found.map(|found| found.number), Some(made));
    assert_eq!(noted(world, Scope::Tenant(ground.tenant), Action::NumberCreate).await?, 1);
    Ok(())
}

/// The same, for an assistant.
pub async fn an_assistant_is_added_once(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let sister = add_organization(world, ground.tenant).await?;
    let made = assistant(ground.tenant, ground.organization);
    let add = |made| world.assistants.add_assistant(Reach::Everything, made, deed(moment(7)));
    one_fresh(together((0..4).map(|_| add(made.clone()))).await)?;
    let mut other = made.clone();
    other.organization = sister;
    other.team = Some("a team of nobody".to_owned());
    assert_eq!(add(other).await?, Added::Repeated);
    assert_eq!(world.assistants.assistant(Reach::Everything, made.id).await?, Some(made));
    assert_eq!(noted(world, Scope::Tenant(ground.tenant), Action::AssistantCreate).await?, 1);
    Ok(())
}
