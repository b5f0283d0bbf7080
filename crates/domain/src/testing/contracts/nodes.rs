//! Boots, heartbeats, commands.

use crate::audit::{Action, AuditEntry};
use crate::call::EndedReason;
use crate::ids::{BootId, CallId, NodeId};
use crate::ports::{Acceptance, Command};
use crate::scope::{Reach, Scope};
use crate::testing::fixtures::{Ground, TestResult, conclusion, deed, fresh, moment};
use crate::testing::world::World;

/// Those that never said goodbye, of this node only.
pub async fn a_join_tells_the_earlier_boots_of_this_node(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    ground.another_boot(world).await?;
    let (second, third) = (BootId::from(fresh()), BootId::from(fresh()));
    assert_eq!(world.nodes.join(ground.node, second).await?, [ground.boot]);
    world.nodes.leave(ground.boot).await?;
    assert_eq!(world.nodes.join(ground.node, third).await?, [second]);
    Ok(())
}

/// A beat raises the counter that others see; who has left is not seen, nor counted as alive.
pub async fn others_are_seen_with_their_counters(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (node, boot) = (NodeId::from(fresh()), BootId::from(fresh()));
    world.nodes.join(node, boot).await?;
    let seen = || async {
        let others = world.nodes.others(ground.boot).await?;
        TestResult::Ok(others.into_iter().map(|o| (o.node, o.boot, o.counter)).collect::<Vec<_>>())
    };
    let before = seen().await?;
    assert_eq!(before.iter().map(|(node, boot, _)| (*node, *boot)).collect::<Vec<_>>(), [(node, boot)]);
    let beat = world.nodes.beat(boot).await?;
    assert_eq!((beat.live, beat.commands, beat.lost), (2, vec![], vec![]));
    assert_eq!(seen().await?, before.iter().map(|(n, b, c)| (*n, *b, c + 1)).collect::<Vec<_>>());
    world.nodes.leave(boot).await?;
    assert_eq!(seen().await?, []);
    assert_eq!(world.nodes.beat(ground.boot).await?.live, 1);
    assert!(world.nodes.beat(BootId::from(fresh())).await.is_err());
    Ok(())
}

/// A shutdown that ran out of time forgets no call.
pub async fn a_boot_that_leaves_live_calls_behind_is_taken_over(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (call, _) = ground.calling(world).await?;
    world.nodes.leave(ground.boot).await?;
    let next = BootId::from(fresh());
    assert_eq!(world.nodes.join(ground.node, next).await?, [ground.boot]);
    let orphans = world.nodes.take_over(next, ground.boot, None, 10).await?;
    assert_eq!(orphans.iter().map(|orphan| orphan.call.id).collect::<Vec<_>>(), [call.id]);
    Ok(())
}

/// The owner is told with its next beat, and not again.
pub async fn a_hang_up_reaches_the_owner_once(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let other = ground.another_boot(world).await?;
    let (call, _) = ground.calling(world).await?;
    assert!(world.nodes.request_hang_up(Reach::Everything, call.id, deed(moment(1))).await?);
    assert_eq!(world.nodes.beat(other).await?.commands, []);
    assert_eq!(world.nodes.beat(ground.boot).await?.commands, [Command::HangUp(call.id)]);
    assert_eq!(world.nodes.beat(ground.boot).await?.commands, []);
    Ok(())
}

/// An unknown or final call cannot be hung up.
pub async fn only_live_calls_can_be_hung_up(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    assert!(!world.nodes.request_hang_up(Reach::Everything, CallId::from(fresh()), deed(moment(1))).await?);
    let (call, fence) = ground.calling(world).await?;
    world.calls.conclude(conclusion(&call, fence, EndedReason::NoAnswer, None, moment(1))).await?;
    assert!(!world.nodes.request_hang_up(Reach::Everything, call.id, deed(moment(1))).await?);
    assert_eq!(world.nodes.beat(ground.boot).await?.commands, []);
    Ok(())
}

/// Who places or hangs up a call by hand is written down with it; foreign calls are as missing.
pub async fn calls_that_are_placed_and_hung_up_by_hand_are_noted(world: &World) -> TestResult {
    let (ground, foreign) = (Ground::lay(world, Some(1)).await?, Ground::lay(world, None).await?);
    let call = ground.call()?;
    let placed = Acceptance { by: Some(deed(moment(1))), ..ground.dial(call.clone(), ground.boot) };
    world.calls.accept(placed).await?;
    // Without a free line it is recorded all the same.
    let refused = ground.call()?;
    let failing = Acceptance { by: Some(deed(moment(2))), ..ground.dial(refused.clone(), ground.boot) };
    world.calls.accept(failing).await?;
    for (reach, found) in [(Reach::Within(foreign.scope()), false), (Reach::Within(ground.scope()), true)] {
        assert_eq!(world.nodes.request_hang_up(reach, call.id, deed(moment(3))).await?, found, "{reach:?}");
    }
    let by_hand = |entry: &&AuditEntry| matches!(entry.action, Action::CallPlace | Action::CallHangUp);
    let entries = world.audit.entries(ground.scope(), None, None, 10).await?;
    let told: Vec<_> = entries
        .iter()
        .filter(by_hand)
        .map(|entry| (entry.action, entry.subject.clone(), entry.name.clone(), entry.organization))
        .collect();
    let number = Some(call.destination.as_str().to_owned());
    let organization = Scope::organization(ground.scope());
    let expected = |action, call: CallId| (action, call.to_string(), number.clone(), organization);
    assert_eq!(
        told,
        [
            expected(Action::CallHangUp, call.id),
            expected(Action::CallPlace, refused.id),
            expected(Action::CallPlace, call.id),
        ]
    );
    let nothing = world.audit.entries(foreign.scope(), None, None, 10).await?;
    assert_eq!(nothing.iter().filter(by_hand).count(), 0);
    Ok(())
}
