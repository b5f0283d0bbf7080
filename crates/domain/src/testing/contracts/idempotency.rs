//! Requests that may come again.

use std::time::Duration;

use time::OffsetDateTime;

use crate::call::{CallStatus, EndedReason, OutboundCall};
use crate::idempotency::{Earlier, IdempotencyKey, LIFETIME, Once};
use crate::ids::BootId;
use crate::ports::{Acceptance, Accepted, Dispatch, Recorded};
use crate::scope::Scope;
use crate::testing::fixtures::{Ground, TestResult, conclusion, fresh, moment};
use crate::testing::world::{World, together};

fn once(scope: Scope, key: &str) -> TestResult<Once> {
    let key = IdempotencyKey::parse(key).ok_or("no key")?;
    Ok(Once { scope, key, fingerprint: [1; 32] })
}

fn recorded(call: &OutboundCall, failed: Option<EndedReason>) -> Recorded {
    Recorded { call: call.id, contact: call.contact, failed }
}

/// An acceptance of a fresh call at `at`.
fn dial(ground: &Ground, once: &Once, at: OffsetDateTime) -> TestResult<Acceptance> {
    let call = OutboundCall { created_at: at, ..ground.call()? };
    Ok(Acceptance { once: Some(once.clone()), ..ground.dial(call, ground.boot) })
}

/// Of 32 twins at once one is recorded and takes a line; the others are told of it.
pub async fn of_twins_at_once_one_is_recorded(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(2)).await?;
    // Every connection of the store is open before the rush.
    together((0..16).map(|_| world.nodes.others(ground.boot))).await;
    let once = once(ground.scope(), "twins")?;
    let twins = (0..32).map(|_| dial(&ground, &once, moment(0))).collect::<TestResult<Vec<_>>>()?;
    let attempts = together(twins.iter().map(|twin| world.calls.accept(twin.clone()))).await;
    let (mut placed, mut told) = (Vec::new(), Vec::new());
    for (twin, accepted) in twins.iter().zip(attempts) {
        match accepted? {
            Accepted::Calling(fence) => {
                assert_eq!((fence.call, fence.owner, fence.epoch), (twin.call.id, ground.boot, 1));
                placed.push(recorded(&twin.call, None));
            }
            Accepted::Earlier(Earlier::Same(earlier)) => {
                assert_eq!(world.calls.status(ground.scope(), twin.call.id).await?, None);
                told.push(earlier);
            }
            other => return Err(format!("{other:?}").into()),
        }
    }
    assert_eq!(placed.len(), 1);
    assert_eq!(told, placed.repeat(31));
    // One of the two lines is free.
    ground.calling(world).await?;
    let full = world.calls.accept(ground.dial(ground.call()?, ground.boot)).await?;
    assert_eq!(full, Accepted::Failed(EndedReason::CapacityExceeded));
    Ok(())
}

/// A request that is told of an earlier one takes no line, not even for a moment.
pub async fn twins_keep_no_line_from_others(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(11)).await?;
    let once = once(ground.scope(), "twins")?;
    world.calls.accept(dial(&ground, &once, moment(0))?).await?;
    let mut rush = Vec::new();
    for number in 0..60 {
        let twin = number % 6 != 0;
        let acceptance = dial(&ground, &once, moment(1))?;
        rush.push(Acceptance { once: acceptance.once.filter(|_| twin), ..acceptance });
    }
    let attempts = together(rush.iter().map(|acceptance| world.calls.accept(acceptance.clone()))).await;
    for (acceptance, accepted) in rush.iter().zip(attempts) {
        match accepted? {
            Accepted::Calling(_) => assert_eq!(acceptance.once, None),
            Accepted::Earlier(Earlier::Same(_)) => assert!(acceptance.once.is_some()),
            other => return Err(format!("{other:?}").into()),
        }
    }
    Ok(())
}

/// Whatever became of the call, its request is answered as it was the first time.
pub async fn an_answer_is_told_as_it_was(world: &World) -> TestResult {
    let ground = Ground::lay(world, Some(1)).await?;
    let (placed, full, refused) =
        (once(ground.scope(), "placed")?, once(ground.scope(), "full")?, once(ground.scope(), "refused")?);
    let first = dial(&ground, &placed, moment(0))?;
    let Accepted::Calling(fence) = world.calls.accept(first.clone()).await? else {
        return Err("not placed".into());
    };
    let second = dial(&ground, &full, moment(0))?;
    let capacity = EndedReason::CapacityExceeded;
    assert_eq!(world.calls.accept(second.clone()).await?, Accepted::Failed(capacity));
    let dispatch = Dispatch::Refuse { reason: EndedReason::InvalidNumber };
    let third = Acceptance { dispatch, ..dial(&ground, &refused, moment(0))? };
    assert_eq!(world.calls.accept(third.clone()).await?, Accepted::Failed(EndedReason::InvalidNumber));
    let end = conclusion(&first.call, fence, EndedReason::TrunkError, None, moment(1));
    world.calls.conclude(end).await?;
    for (once, answer) in [
        (placed, recorded(&first.call, None)),
        (full, recorded(&second.call, Some(capacity))),
        (refused, recorded(&third.call, Some(EndedReason::InvalidNumber))),
    ] {
        let same = Earlier::Same(answer);
        assert_eq!(world.calls.earlier(&once, moment(2)).await?, Some(same));
        // The line is free again, and yet neither is dialled nor refused anew.
        let again = dial(&ground, &once, moment(2))?;
        assert_eq!(world.calls.accept(again.clone()).await?, Accepted::Earlier(same));
        let dispatch = Dispatch::Refuse { reason: EndedReason::TrunkError };
        assert_eq!(world.calls.accept(Acceptance { dispatch, ..again }).await?, Accepted::Earlier(same));
    }
    ground.calling(world).await?;
    Ok(())
}

/// A key stands for one request: with another it is an error of the client, and nothing is done.
pub async fn a_key_with_another_request_is_told_apart(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let first = once(ground.scope(), "key")?;
    world.calls.accept(dial(&ground, &first, moment(0))?).await?;
    let other = Once { fingerprint: [2; 32], ..first.clone() };
    assert_eq!(world.calls.earlier(&other, moment(1)).await?, Some(Earlier::Different));
    let again = dial(&ground, &other, moment(1))?;
    assert_eq!(world.calls.accept(again.clone()).await?, Accepted::Earlier(Earlier::Different));
    assert_eq!(world.calls.status(ground.scope(), again.call.id).await?, None);
    assert!(matches!(world.calls.earlier(&first, moment(1)).await?, Some(Earlier::Same(_))));
    Ok(())
}

/// Equal keys of another organization, of the tenant, or of another tenant are other keys.
pub async fn keys_of_other_scopes_are_other_keys(world: &World) -> TestResult {
    let (own, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let sister = crate::testing::fixtures::add_organization(world, own.tenant).await?;
    let scopes = [
        (&own, own.scope()),
        (&own, Scope::Tenant(own.tenant)),
        (&own, Scope::Organization(own.tenant, sister)),
        (&foreign, foreign.scope()),
        (&foreign, Scope::Tenant(foreign.tenant)),
    ];
    let mut calls = Vec::new();
    for (ground, scope) in scopes {
        let once = once(scope, "key")?;
        assert_eq!(world.calls.earlier(&once, moment(0)).await?, None);
        let acceptance = dial(ground, &once, moment(0))?;
        calls.push(acceptance.call.clone());
        assert!(matches!(world.calls.accept(acceptance).await?, Accepted::Calling(_)));
    }
    for ((ground, scope), call) in scopes.into_iter().zip(calls) {
        let earlier = Accepted::Earlier(Earlier::Same(recorded(&call, None)));
        let again = dial(ground, &once(scope, "key")?, moment(0))?;
        assert_eq!(world.calls.accept(again).await?, earlier);
        // Letters of another case are another key as well.
        assert_eq!(world.calls.earlier(&once(scope, "KEY")?, moment(0)).await?, None);
    }
    Ok(())
}

/// A key is held for its lifetime, then it is free, for one of many.
pub async fn an_expired_key_is_free_again(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let first = once(ground.scope(), "key")?;
    let acceptance = dial(&ground, &first, moment(0))?;
    world.calls.accept(acceptance.clone()).await?;
    let (last, after) = (moment(0) + LIFETIME, moment(0) + LIFETIME + Duration::from_millis(1));
    let same = Earlier::Same(recorded(&acceptance.call, None));
    assert_eq!(world.calls.earlier(&first, last).await?, Some(same));
    assert_eq!(world.calls.accept(dial(&ground, &first, last)?).await?, Accepted::Earlier(same));
    assert_eq!(world.calls.earlier(&first, after).await?, None);
    // The next may ask for something else.
    let next = Once { fingerprint: [2; 32], ..first.clone() };
    let twins = (0..8).map(|_| dial(&ground, &next, after)).collect::<TestResult<Vec<_>>>()?;
    let mut placed = 0;
    for accepted in together(twins.into_iter().map(|twin| world.calls.accept(twin))).await {
        placed += usize::from(matches!(accepted?, Accepted::Calling(_)));
    }
    assert_eq!(placed, 1);
    assert_eq!(world.calls.earlier(&first, after).await?, Some(Earlier::Different));
    let status = world.calls.status(ground.scope(), acceptance.call.id).await?;
    assert_eq!(status.map(|status| status.status), Some(CallStatus::Calling));
    Ok(())
}

/// A call and its key are recorded together or not at all.
pub async fn what_is_not_recorded_takes_no_key(world: &World) -> TestResult {
    let (ground, foreign) = (Ground::lay(world, Some(1)).await?, Ground::lay(world, None).await?);
    let once = once(ground.scope(), "key")?;
    let fitting = dial(&ground, &once, moment(0))?;
    let stranger = ground.dial(fitting.call.clone(), BootId::from(fresh())).dispatch;
    let mixed = OutboundCall { number: foreign.number.id, ..fitting.call.clone() };
    let refusal = Dispatch::Refuse { reason: EndedReason::TrunkError };
    for broken in [
        Acceptance { dispatch: stranger, ..fitting.clone() },
        Acceptance { call: mixed.clone(), ..fitting.clone() },
        Acceptance { call: mixed, dispatch: refusal, ..fitting.clone() },
    ] {
        assert!(world.calls.accept(broken).await.is_err());
        assert_eq!(world.calls.earlier(&once, moment(0)).await?, None);
    }
    assert!(matches!(world.calls.accept(fitting).await?, Accepted::Calling(_)));
    Ok(())
}

/// Upkeep forgets the keys of requests before a moment, and no others.
pub async fn upkeep_forgets_old_keys_alone(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (old, young) = (once(ground.scope(), "old")?, once(ground.scope(), "young")?);
    let first = dial(&ground, &old, moment(0))?;
    world.calls.accept(first.clone()).await?;
    world.calls.accept(dial(&ground, &young, moment(1))?).await?;
    while world.housekeeping.forget_idempotency_keys(moment(1)).await? {}
    assert_eq!(world.calls.earlier(&old, moment(2)).await?, None);
    assert!(world.calls.earlier(&young, moment(2)).await?.is_some());
    assert!(world.calls.status(ground.scope(), first.call.id).await?.is_some());
    assert!(matches!(world.calls.accept(dial(&ground, &old, moment(2))?).await?, Accepted::Calling(_)));
    Ok(())
}
