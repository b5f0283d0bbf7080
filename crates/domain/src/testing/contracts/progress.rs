//! Ringing and answered.

use crate::call::{Connected, EndedReason, Live};
use crate::ids::BootId;
use crate::ports::Fence;
use crate::testing::fixtures::{Ground, TestResult, conclusion, dialog, fresh, moment};
use crate::testing::world::World;

/// Another owner, another epoch and an unknown call write nothing.
pub async fn ringing_and_answer_hold_only_under_the_fence(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(1)).await?;
    let (call, fence) = ground.calling(world).await?;
    let leg = dialog(ground.trunk.id, call.id);
    for wrong in [
        Fence { epoch: 0, ..fence },
        Fence { epoch: 2, ..fence },
        Fence { owner: BootId::from(fresh()), ..fence },
        Fence { call: crate::ids::CallId::from(fresh()), ..fence },
    ] {
        assert!(!world.calls.ringing(wrong, moment(1)).await?);
        assert!(!world.calls.answered(wrong, leg.clone(), moment(2)).await?);
    }
    assert!(world.calls.ringing(fence, moment(1)).await?);
    assert!(world.calls.ringing(fence, moment(2)).await?);
    assert!(world.calls.answered(fence, leg, moment(3)).await?);
    Ok(())
}

/// Only the first ringing and the first answer count.
pub async fn a_late_ringing_does_not_undo_the_answer(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(1)).await?;
    let (call, fence) = ground.calling(world).await?;
    let leg = dialog(ground.trunk.id, call.id);
    assert!(world.calls.answered(fence, leg.clone(), moment(3)).await?);
    assert!(world.calls.ringing(fence, moment(4)).await?);
    assert!(world.calls.answered(fence, leg, moment(5)).await?);
    let heir = ground.another_boot(world).await?;
    let orphans = world.nodes.take_over(heir, ground.boot, None, 10).await?;
    let lives: Vec<_> = orphans.iter().map(|orphan| orphan.live).collect();
    assert_eq!(lives, [Live::Connected(Connected { since: moment(3) })]);
    Ok(())
}

/// A final call neither rings nor is answered.
pub async fn nothing_moves_after_the_end(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(1)).await?;
    let (call, fence) = ground.calling(world).await?;
    world.calls.conclude(conclusion(&call, fence, EndedReason::CustomerBusy, None, moment(1))).await?;
    let before = world.calls.status(ground.scope(), call.id).await?;
    assert!(!world.calls.ringing(fence, moment(2)).await?);
    assert!(!world.calls.answered(fence, dialog(ground.trunk.id, call.id), moment(3)).await?);
    assert_eq!(world.calls.status(ground.scope(), call.id).await?, before);
    Ok(())
}
