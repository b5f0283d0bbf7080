//! Ending calls.

use std::time::Duration;

use crate::call::{CallStatus, EndedReason, FinalAnswer};
use crate::callback::FIRST_LEASE;
use crate::ids::BootId;
use crate::ports::{Accepted, Concluded, Conclusion, Fence};
use crate::testing::fixtures::{Ground, TestResult, conclusion, dialog, fresh, moment};
use crate::testing::world::{World, together};

/// Status, times, length and reason of an answered call.
pub async fn the_end_is_final_and_shown(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(1)).await?;
    let (call, fence) = ground.calling(world).await?;
    world.calls.answered(fence, dialog(ground.trunk.id, call.id), moment(2)).await?;
    let end = conclusion(&call, fence, EndedReason::CustomerEndedCall, Some(moment(2)), moment(65));
    assert_eq!(world.calls.conclude(end).await?, Concluded::Final);
    let status = world.calls.status(ground.scope(), call.id).await?.ok_or("not there")?;
    let details = status.details.ok_or("no details")?;
    assert_eq!(status.status, CallStatus::Completed);
    assert_eq!(details.reason, EndedReason::CustomerEndedCall);
    assert_eq!((details.started_at, details.ended_at), (Some(moment(2)), moment(65)));
    assert_eq!(details.duration, Some(63));
    Ok(())
}

/// Every way to end without an answer shows its own status and no length; the peer's words are
/// kept whatever they hold.
pub async fn an_unanswered_call_has_no_length(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(1)).await?;
    for (reason, status) in [
        (EndedReason::CustomerBusy, CallStatus::Busy),
        (EndedReason::CustomerDeclined, CallStatus::Busy),
        (EndedReason::NoAnswer, CallStatus::NoAnswer),
        (EndedReason::TrunkError, CallStatus::Failed),
        (EndedReason::ManuallyEnded, CallStatus::Failed),
    ] {
        let (call, fence) = ground.calling(world).await?;
        let answer = Some(FinalAnswer { code: 486, phrase: "Busy \0 Hére".to_owned() });
        let end = conclusion(&call, fence, reason, None, moment(9));
        world.calls.conclude(Conclusion { answer, ..end }).await?;
        let shown = world.calls.status(ground.scope(), call.id).await?.ok_or("not there")?;
        assert_eq!(shown.status, status);
        let details = shown.details.ok_or("no details")?;
        assert_eq!((details.reason, details.started_at, details.duration), (reason, None, None));
    }
    Ok(())
}

/// Eight conclusions at once: one is final, the others are superseded and change nothing.
pub async fn of_many_conclusions_one_wins(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(1)).await?;
    let (call, fence) = ground.calling(world).await?;
    let ends = (1..9).map(|second| {
        let end = conclusion(&call, fence, EndedReason::NoAnswer, None, moment(second));
        let at = end.ended.ended_at;
        async move { (at, world.calls.conclude(end).await) }
    });
    let mut winners = Vec::new();
    for (at, concluded) in together(ends).await {
        if concluded? == Concluded::Final {
            winners.push(at);
        }
    }
    assert_eq!(winners.len(), 1);
    let late = conclusion(&call, fence, EndedReason::TrunkError, None, moment(50));
    assert_eq!(world.calls.conclude(late).await?, Concluded::Superseded);
    let status = world.calls.status(ground.scope(), call.id).await?.ok_or("not there")?;
    assert_eq!(status.status, CallStatus::NoAnswer);
    assert_eq!(status.details.map(|details| details.ended_at), winners.first().copied());
    Ok(())
}

/// A wrong fence leaves the call live, its line taken and its callback unwritten.
pub async fn a_foreign_owner_or_epoch_ends_nothing(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(1)).await?;
    let (call, fence) = ground.calling(world).await?;
    for wrong in [
        Fence { epoch: 2, ..fence },
        Fence { owner: BootId::from(fresh()), ..fence },
        Fence { call: crate::ids::CallId::from(fresh()), ..fence },
    ] {
        let end = conclusion(&call, wrong, EndedReason::NoAnswer, None, moment(1));
        assert_eq!(world.calls.conclude(end).await?, Concluded::Superseded);
    }
    let status = world.calls.status(ground.scope(), call.id).await?.ok_or("not there")?;
    assert_eq!(status.status, CallStatus::Calling);
    assert!(world.owes_nothing().await?);
    let second = world.calls.accept(ground.dial(ground.call()?, ground.boot)).await?;
    assert_eq!(second, Accepted::Failed(EndedReason::CapacityExceeded));
    Ok(())
}

/// Lines come back, every one, when calls end side by side.
pub async fn the_end_frees_the_line(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(3)).await?;
    for round in 0..3 {
        let mut ends = Vec::new();
        for _ in 0..3 {
            let (call, fence) = ground.calling(world).await?;
            ends.push(conclusion(&call, fence, EndedReason::TrunkError, None, moment(round)));
        }
        for concluded in together(ends.into_iter().map(|end| world.calls.conclude(end))).await {
            assert_eq!(concluded?, Concluded::Final);
        }
    }
    Ok(())
}

/// The callback is there with the end, already claimed by the boot that ended the call.
pub async fn the_end_and_its_callback_come_together(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(1)).await?;
    let (call, fence) = ground.calling(world).await?;
    let end = conclusion(&call, fence, EndedReason::NoAnswer, None, moment(5));
    let draft = end.callback.clone();
    assert_eq!(world.calls.conclude(end.clone()).await?, Concluded::Final);
    assert_eq!(world.calls.conclude(end).await?, Concluded::Superseded);
    let other = ground.another_boot(world).await?;
    let lease = Duration::from_secs(20);
    let within = moment(5) + FIRST_LEASE - Duration::from_millis(1);
    assert_eq!(world.callbacks.claim(other, within, lease, &[], 10).await?, []);
    let claimed = world.callbacks.claim(other, moment(5) + FIRST_LEASE, lease, &[], 10).await?;
    let claimed: Vec<_> = claimed.into_iter().map(|one| (one.call, Some(one.draft))).collect();
    assert_eq!(claimed, [(call.id, draft)]);
    Ok(())
}

/// No address, no callback.
pub async fn a_call_without_an_address_queues_nothing(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(1)).await?;
    let mut call = ground.call()?;
    call.callback_url = None;
    let Accepted::Calling(fence) = world.calls.accept(ground.dial(call.clone(), ground.boot)).await? else {
        return Err("not accepted".into());
    };
    let end = conclusion(&call, fence, EndedReason::NoAnswer, None, moment(1));
    assert_eq!(world.calls.conclude(end).await?, Concluded::Final);
    assert!(world.owes_nothing().await?);
    Ok(())
}
