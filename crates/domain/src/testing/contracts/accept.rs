//! Accepting calls.

use crate::call::{CallStatus, EndedReason};
use crate::ids::BootId;
use crate::ports::{Acceptance, Accepted, Dispatch};
use crate::scope::{Reach, Scope};
use crate::testing::fixtures::{Ground, TestResult, conclusion, deed, fresh, moment};
use crate::testing::world::{World, together};

/// The call, its contact and its fence are there; it is `calling`, without details.
pub async fn an_accepted_call_is_calling(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(1)).await?;
    let (call, fence) = ground.calling(world).await?;
    assert_eq!((fence.call, fence.owner, fence.epoch), (call.id, ground.boot, 1));
    for scope in [ground.scope(), Scope::Tenant(ground.tenant)] {
        let status = world.calls.status(scope, call.id).await?.ok_or("not there")?;
        assert_eq!((status.call, status.contact), (call.id, call.contact));
        assert_eq!((status.status, status.details), (CallStatus::Calling, None));
    }
    assert!(world.owes_nothing().await?);
    Ok(())
}

/// A call that cannot be placed is `failed` from the start, and no callback is queued.
pub async fn a_refused_call_is_final_at_once_and_reports_nothing(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(1)).await?;
    let call = ground.call()?;
    let reason = EndedReason::TrunkUnreachable;
    let acceptance =
        Acceptance { call: call.clone(), dispatch: Dispatch::Refuse { reason }, once: None, by: None };
    assert_eq!(world.calls.accept(acceptance).await?, Accepted::Failed(reason));
    let status = world.calls.status(ground.scope(), call.id).await?.ok_or("not there")?;
    let details = status.details.ok_or("no details")?;
    assert_eq!((status.status, details.reason), (CallStatus::Failed, reason));
    assert_eq!((details.started_at, details.duration), (None, None));
    assert_eq!(details.ended_at, call.created_at);
    assert!(world.owes_nothing().await?);
    assert!(!world.nodes.request_hang_up(Reach::Everything, call.id, deed(moment(1))).await?);
    // It took no line.
    ground.calling(world).await?;
    Ok(())
}

/// A repeated acceptance is an error and changes nothing, be it later or at the same time.
pub async fn the_same_call_is_never_accepted_twice(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(4)).await?;
    let call = ground.call()?;
    let twins = (0..4).map(|_| world.calls.accept(ground.dial(call.clone(), ground.boot)));
    let placed = together(twins).await.into_iter().flatten().count();
    assert_eq!(placed, 1);
    let refusal = Dispatch::Refuse { reason: EndedReason::TrunkError };
    let refused = Acceptance { call: call.clone(), dispatch: refusal, once: None, by: None };
    assert!(world.calls.accept(refused).await.is_err());
    let status = world.calls.status(ground.scope(), call.id).await?.ok_or("not there")?;
    assert_eq!(status.status, CallStatus::Calling);
    // The losers took no lines.
    for _ in 0..3 {
        ground.calling(world).await?;
    }
    Ok(())
}

/// A contact is made with its call and is no other's, and a call is dialled by its own trunk.
pub async fn a_call_has_a_contact_and_a_trunk_of_its_own(world: &World) -> TestResult {
    let (ground, foreign) = (Ground::lay(world, Some(1)).await?, Ground::lay(world, None).await?);
    let refused = Dispatch::Refuse { reason: EndedReason::TrunkError };
    let known = Acceptance { call: ground.call()?, dispatch: refused, once: None, by: None };
    world.calls.accept(known.clone()).await?;
    let call = ground.call()?;
    let shared = crate::call::OutboundCall { contact: known.call.contact, ..call.clone() };
    assert!(world.calls.accept(ground.dial(shared.clone(), ground.boot)).await.is_err());
    assert!(world.calls.accept(Acceptance { call: shared, ..known }).await.is_err());
    let dispatch = foreign.dial(call.clone(), ground.boot).dispatch;
    assert!(
        world.calls.accept(Acceptance { call: call.clone(), dispatch, once: None, by: None }).await.is_err()
    );
    assert_eq!(world.calls.status(ground.scope(), call.id).await?, None);
    assert!(matches!(world.calls.accept(ground.dial(call, ground.boot)).await?, Accepted::Calling(_)));
    Ok(())
}

/// Assistant and number must be the organization's own, the trunk the tenant's.
pub async fn a_call_never_mixes_tenants_or_organizations(world: &World) -> TestResult {
    let (own, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let mut mixed = Vec::new();
    let call = own.call()?;
    mixed.push(crate::call::OutboundCall { assistant: foreign.assistant.id, ..call.clone() });
    mixed.push(crate::call::OutboundCall { number: foreign.number.id, ..call.clone() });
    mixed.push(crate::call::OutboundCall { organization: foreign.organization, ..call.clone() });
    mixed.push(crate::call::OutboundCall { tenant: foreign.tenant, ..call.clone() });
    for call in mixed {
        assert!(world.calls.accept(own.dial(call, own.boot)).await.is_err());
    }
    let foreign_trunk = crate::call::OutboundCall { trunk: foreign.trunk.id, ..call.clone() };
    assert!(world.calls.accept(foreign.dial(foreign_trunk, own.boot)).await.is_err());
    assert_eq!(world.calls.status(own.scope(), call.id).await?, None);
    assert!(matches!(world.calls.accept(own.dial(call, own.boot)).await?, Accepted::Calling(_)));
    Ok(())
}

/// Fifty calls at once on twenty lines: twenty are placed, the others fail with the reason.
pub async fn lines_are_never_taken_twice(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(20)).await?;
    // Every connection of the store is open before the rush.
    together((0..16).map(|_| world.nodes.others(ground.boot))).await;
    let calls = (0..50).map(|_| ground.call()).collect::<TestResult<Vec<_>>>()?;
    let attempts = calls.iter().map(|call| world.calls.accept(ground.dial(call.clone(), ground.boot)));
    let mut placed = 0;
    for (call, accepted) in calls.iter().zip(together(attempts).await) {
        let status = world.calls.status(ground.scope(), call.id).await?.ok_or("not there")?;
        match accepted? {
            Accepted::Calling(_) => {
                placed += 1;
                assert_eq!(status.status, CallStatus::Calling);
            }
            Accepted::Failed(reason) => {
                assert_eq!(reason, EndedReason::CapacityExceeded);
                assert_eq!(status.status, CallStatus::Failed);
                let details = status.details.ok_or("no details")?;
                assert_eq!((details.reason, details.ended_at), (reason, call.created_at));
            }
            Accepted::Earlier(earlier) => return Err(format!("no key was given: {earlier:?}").into()),
        }
    }
    assert_eq!(placed, 20);
    assert!(world.owes_nothing().await?);
    Ok(())
}

/// Lines are not counted when the trunk has no limit.
pub async fn a_trunk_without_a_limit_takes_every_call(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    for accepted in together((0..12).map(|_| ground.calling(world))).await {
        accepted?;
    }
    Ok(())
}

/// The limit of the acceptance counts, even where more lines are there.
pub async fn a_lower_limit_than_lines_counts(world: &World) -> TestResult {
    let mut ground = Ground::lay(world, Some(3)).await?;
    ground.trunk.max_calls = Some(1);
    let (call, fence) = ground.calling(world).await?;
    let second = world.calls.accept(ground.dial(ground.call()?, ground.boot)).await?;
    assert_eq!(second, Accepted::Failed(EndedReason::CapacityExceeded));
    world.calls.conclude(conclusion(&call, fence, EndedReason::TrunkError, None, moment(1))).await?;
    ground.calling(world).await?;
    Ok(())
}

/// A call of a boot that nobody watches could be lost, so there is none.
pub async fn a_boot_that_is_unknown_or_gone_places_no_call(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(1)).await?;
    let call = ground.call()?;
    let stranger = BootId::from(fresh());
    assert!(world.calls.accept(ground.dial(call.clone(), stranger)).await.is_err());
    world.nodes.leave(ground.boot).await?;
    assert!(world.calls.accept(ground.dial(call.clone(), ground.boot)).await.is_err());
    assert_eq!(world.calls.status(ground.scope(), call.id).await?, None);
    // Whoever beats is there again, and the line was not lost.
    world.nodes.beat(ground.boot).await?;
    assert!(matches!(world.calls.accept(ground.dial(call, ground.boot)).await?, Accepted::Calling(_)));
    Ok(())
}
