//! Taking over the calls of a dead boot.

use std::collections::BTreeSet;

use crate::call::{CallStatus, Connected, EndedReason, Live, Ringing};
use crate::ids::BootId;
use crate::ports::{Command, Concluded, SavedLeg};
use crate::scope::Reach;
use crate::testing::fixtures::{Ground, TestResult, conclusion, deed, dialog, intent, moment};
use crate::testing::world::{World, together};

async fn counter_of(world: &World, watcher: BootId, boot: BootId) -> TestResult<Option<i64>> {
    let others = world.nodes.others(watcher).await?;
    Ok(others.into_iter().find(|other| other.boot == boot).map(|other| other.counter))
}

/// Call, state, dialog and trunk come as they were, under the heir's fence.
pub async fn orphans_come_whole(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(9)).await?;
    let heir = ground.another_boot(world).await?;
    let (dialling, _) = ground.calling(world).await?;
    let (ringing, fence) = ground.calling(world).await?;
    world.calls.ringing(fence, moment(1)).await?;
    let (connected, fence) = ground.calling(world).await?;
    world.calls.ringing(fence, moment(1)).await?;
    world.calls.answered(fence, dialog(ground.trunk.id, connected.id), moment(2)).await?;
    let unanswered = |call| SavedLeg {
        intent: intent(ground.trunk.id, call),
        remote_tag: None,
        remote_target: None,
        route_set: Vec::new(),
        local_cseq: u32::MAX,
    };
    let expected = [
        (dialling.clone(), Live::dialling(), unanswered(dialling.id)),
        (ringing.clone(), Live::Ringing(Ringing { since: moment(1) }), unanswered(ringing.id)),
        (
            connected.clone(),
            Live::Connected(Connected { since: moment(2) }),
            dialog(ground.trunk.id, connected.id),
        ),
    ];
    let mut orphans = world.nodes.take_over(heir, ground.boot, None, 10).await?;
    orphans.sort_by_key(|orphan| orphan.call.id);
    assert_eq!(orphans.len(), expected.len());
    for (orphan, (call, live, leg)) in orphans.into_iter().zip(expected) {
        let fence = orphan.fence;
        assert_eq!((fence.call, fence.owner, fence.epoch), (call.id, heir, 2));
        assert_eq!((orphan.call, orphan.live, orphan.leg), (call, live, leg));
        assert_eq!(orphan.trunk, ground.trunk);
    }
    Ok(())
}

/// Only the counter that was seen to stand still counts.
pub async fn a_counter_that_moved_saves_the_calls(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let heir = ground.another_boot(world).await?;
    let (call, fence) = ground.calling(world).await?;
    let seen = counter_of(world, heir, ground.boot).await?;
    world.nodes.beat(ground.boot).await?;
    assert!(world.nodes.take_over(heir, ground.boot, seen, 10).await?.is_empty());
    assert!(world.calls.ringing(fence, moment(1)).await?);
    let seen = counter_of(world, heir, ground.boot).await?;
    let orphans = world.nodes.take_over(heir, ground.boot, seen, 10).await?;
    assert_eq!(orphans.iter().map(|orphan| orphan.call.id).collect::<Vec<_>>(), [call.id]);
    Ok(())
}

/// However many try at once, each call is taken over once.
pub async fn two_heirs_share_nothing(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let mut calls = BTreeSet::new();
    for _ in 0..10 {
        calls.insert(ground.calling(world).await?.0.id);
    }
    let seen = counter_of(world, BootId::from(crate::testing::fixtures::fresh()), ground.boot).await?;
    let mut heirs = Vec::new();
    for _ in 0..4 {
        heirs.push(ground.another_boot(world).await?);
    }
    together(heirs.iter().map(|heir| world.nodes.others(*heir))).await;
    let attempts = heirs.iter().map(|heir| world.nodes.take_over(*heir, ground.boot, seen, 4));
    let mut taken = Vec::new();
    for orphans in together(attempts).await {
        taken.extend(orphans?.into_iter().map(|orphan| (orphan.call.id, orphan.fence.epoch)));
    }
    assert!(taken.iter().all(|(_, epoch)| *epoch == 2));
    let distinct: BTreeSet<_> = taken.iter().map(|(call, _)| *call).collect();
    assert_eq!((taken.len(), distinct), (10, calls));
    Ok(())
}

/// Its writes come to nothing, and its next beat tells it once what it lost.
pub async fn the_old_owner_is_fenced_off_and_told(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(1)).await?;
    let heir = ground.another_boot(world).await?;
    let (call, fence) = ground.calling(world).await?;
    let orphans = world.nodes.take_over(heir, ground.boot, None, 10).await?;
    let taken = orphans.first().ok_or("nothing was taken over")?.fence;
    assert!(!world.calls.ringing(fence, moment(1)).await?);
    assert!(!world.calls.answered(fence, dialog(ground.trunk.id, call.id), moment(1)).await?);
    let late = conclusion(&call, fence, EndedReason::NoAnswer, None, moment(2));
    assert_eq!(world.calls.conclude(late).await?, Concluded::Superseded);
    assert!(world.owes_nothing().await?);
    assert_eq!(world.nodes.beat(ground.boot).await?.lost, [call.id]);
    assert_eq!(world.nodes.beat(ground.boot).await?.lost, []);
    assert_eq!(world.nodes.beat(heir).await?.lost, []);
    let end = conclusion(&call, taken, EndedReason::ServiceInterrupted, None, moment(3));
    assert_eq!(world.calls.conclude(end).await?, Concluded::Final);
    let status = world.calls.status(ground.scope(), call.id).await?.ok_or("not there")?;
    assert_eq!(status.status, CallStatus::Failed);
    let lease = std::time::Duration::from_secs(9);
    assert!(world.callbacks.claim_fresh(heir, call.id, moment(3), lease).await?.is_some());
    // The line is free again.
    world.nodes.beat(ground.boot).await?;
    ground.calling(world).await?;
    Ok(())
}

/// What is over is over.
pub async fn a_final_call_is_never_taken_over(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let heir = ground.another_boot(world).await?;
    ground.ended(world, moment(1)).await?;
    assert!(world.nodes.take_over(heir, ground.boot, None, 10).await?.is_empty());
    assert_eq!(world.nodes.beat(ground.boot).await?.lost, []);
    Ok(())
}

/// The dead boot stays on the list until nothing of it is left.
pub async fn the_limit_leaves_the_rest_for_the_next_round(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let heir = ground.another_boot(world).await?;
    for _ in 0..5 {
        ground.calling(world).await?;
    }
    for expected in [2, 2, 1, 0] {
        let seen = counter_of(world, heir, ground.boot).await?;
        assert!(seen.is_some());
        let orphans = world.nodes.take_over(heir, ground.boot, seen, 2).await?;
        assert_eq!(orphans.len(), expected);
    }
    assert_eq!(counter_of(world, heir, ground.boot).await?, None);
    assert!(world.nodes.take_over(heir, heir, None, 10).await?.is_empty());
    Ok(())
}

/// Nothing to take over: it is struck off all the same, but not while its counter moves.
pub async fn a_boot_that_carried_nothing_is_struck_off(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let heir = ground.another_boot(world).await?;
    let seen = counter_of(world, heir, ground.boot).await?;
    world.nodes.beat(ground.boot).await?;
    assert!(world.nodes.take_over(heir, ground.boot, seen, 10).await?.is_empty());
    let seen = counter_of(world, heir, ground.boot).await?;
    assert!(seen.is_some());
    assert!(world.nodes.take_over(heir, ground.boot, seen, 10).await?.is_empty());
    assert_eq!(counter_of(world, heir, ground.boot).await?, None);
    Ok(())
}

/// The command goes to whoever carries the call.
pub async fn a_hang_up_follows_the_call_to_its_heir(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let heir = ground.another_boot(world).await?;
    let (call, _) = ground.calling(world).await?;
    world.nodes.take_over(heir, ground.boot, None, 10).await?;
    assert!(world.nodes.request_hang_up(Reach::Everything, call.id, deed(moment(1))).await?);
    assert_eq!(world.nodes.beat(ground.boot).await?.commands, []);
    assert_eq!(world.nodes.beat(heir).await?.commands, [Command::HangUp(call.id)]);
    Ok(())
}
