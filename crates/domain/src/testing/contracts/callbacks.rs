//! Claiming, trying, settling callbacks.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::call::EndedReason;
use crate::callback::{CallbackUrl, FIRST_LEASE, wait_after};
use crate::ports::{Accepted, Settled, TryOutcome, TryRecord};
use crate::testing::fixtures::{Ground, TestResult, conclusion, moment};
use crate::testing::world::{World, together};

const LEASE: Duration = Duration::from_secs(20);

fn failed_try(second: u64) -> TryRecord {
    let outcome = TryOutcome::Broken("refused\0 by peer".to_owned());
    TryRecord { began_at: moment(second), took: Duration::from_millis(12), outcome }
}

/// Its owner takes it up once; nobody else, and not twice.
pub async fn a_fresh_callback_belongs_to_the_boot_that_ended_the_call(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (call, _) = ground.ended(world, moment(0)).await?;
    let other = ground.another_boot(world).await?;
    let fresh = |boot| world.callbacks.claim_fresh(boot, call.id, moment(0), LEASE);
    assert_eq!(fresh(other).await?, None);
    let claimed = fresh(ground.boot).await?.ok_or("not ours")?;
    assert_eq!((claimed.call, claimed.tries_before), (call.id, 0));
    assert_eq!(Some(claimed.draft.url), call.callback_url);
    assert_eq!(fresh(ground.boot).await?, None);
    Ok(())
}

/// Until then it is nobody else's; then it is anyone's, the same boot's too.
pub async fn a_claim_lasts_as_long_as_its_lease(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (call, _) = ground.ended(world, moment(0)).await?;
    world.callbacks.claim_fresh(ground.boot, call.id, moment(1), LEASE).await?.ok_or("not ours")?;
    let claim = |second| world.callbacks.claim(ground.boot, moment(second), LEASE, &[], 9);
    assert_eq!(claim(20).await?, []);
    let again = claim(21).await?;
    assert_eq!(again.iter().map(|one| (one.call, one.tries_before)).collect::<Vec<_>>(), [(call.id, 0)]);
    assert_eq!(claim(40).await?, []);
    assert_eq!(claim(41).await?.len(), 1);
    Ok(())
}

/// Whoever was too slow writes nothing; the new holder's word counts, and only once.
pub async fn a_lost_claim_settles_nothing(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (call, _) = ground.ended(world, moment(0)).await?;
    let other = ground.another_boot(world).await?;
    world.callbacks.claim_fresh(ground.boot, call.id, moment(0), LEASE).await?.ok_or("not ours")?;
    assert_eq!(world.callbacks.claim(other, moment(20), LEASE, &[], 9).await?.len(), 1);
    let settle = |boot, tries, settled| world.callbacks.settle(boot, call.id, tries, failed_try(20), settled);
    assert!(!settle(ground.boot, 0, Settled::Delivered).await?);
    assert!(!settle(other, 1, Settled::Delivered).await?);
    assert!(settle(other, 0, Settled::Again(moment(21))).await?);
    assert!(!settle(other, 0, Settled::Delivered).await?);
    assert!(!settle(other, 1, Settled::Delivered).await?);
    assert_eq!(world.callbacks.claim(other, moment(20), LEASE, &[], 9).await?, []);
    assert_eq!(world.callbacks.claim(other, moment(21), LEASE, &[], 9).await?.len(), 1);
    Ok(())
}

/// Four tries, each not before its time, each with the bytes of the first.
pub async fn every_try_sends_the_same_bytes_on_schedule(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (call, _) = ground.ended(world, moment(0)).await?;
    let first = world.callbacks.claim_fresh(ground.boot, call.id, moment(0), LEASE).await?;
    let draft = first.ok_or("not ours")?.draft;
    let mut due = moment(0);
    for (tries, second) in (0_u16..).zip([1, 10, 20, 60]) {
        let settled = match wait_after(tries + 1) {
            Some(wait) => Settled::Again(moment(second) + wait),
            None => Settled::GivenUp,
        };
        let record = failed_try(second);
        assert!(world.callbacks.settle(ground.boot, call.id, tries, record, settled).await?);
        let Settled::Again(next) = settled else { break };
        assert!(next > due);
        due = next;
        let early = due - Duration::from_millis(1);
        assert_eq!(world.callbacks.claim(ground.boot, early, LEASE, &[], 9).await?, []);
        let claimed = world.callbacks.claim(ground.boot, due, LEASE, &[], 9).await?;
        let seen: Vec<_> = claimed.iter().map(|one| (one.call, &one.draft, one.tries_before)).collect();
        assert_eq!(seen, [(call.id, &draft, tries + 1)]);
    }
    assert!(world.owes_nothing().await?);
    Ok(())
}

/// Neither delivered nor given up ever comes back.
pub async fn a_settled_callback_never_comes_back(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    for settled in [Settled::Delivered, Settled::GivenUp] {
        let (call, _) = ground.ended(world, moment(0)).await?;
        world.callbacks.claim_fresh(ground.boot, call.id, moment(0), LEASE).await?.ok_or("not ours")?;
        let outcome = TryOutcome::Answered(204);
        let record = TryRecord { outcome, ..failed_try(1) };
        assert!(world.callbacks.settle(ground.boot, call.id, 0, record, settled).await?);
        assert_eq!(world.callbacks.claim(ground.boot, moment(99_999), LEASE, &[], 9).await?, []);
        assert_eq!(world.callbacks.claim_fresh(ground.boot, call.id, moment(2), LEASE).await?, None);
        assert_eq!(world.callbacks.release(&[ground.boot]).await?, 0);
    }
    assert!(world.owes_nothing().await?);
    Ok(())
}

/// The longest overdue come first, no more than asked for, none for an excluded destination.
pub async fn excluded_destinations_and_the_limit_hold(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let mut calls = Vec::new();
    for (second, url) in
        [(3, "https://a.example/x"), (2, "https://b.example:8443/"), (1, "https://a.example/y")]
    {
        let mut call = ground.call()?;
        call.callback_url = CallbackUrl::from_stored(url);
        let accepted = world.calls.accept(ground.dial(call.clone(), ground.boot)).await?;
        let Accepted::Calling(fence) = accepted else { return Err("not accepted".into()) };
        world.calls.conclude(conclusion(&call, fence, EndedReason::NoAnswer, None, moment(second))).await?;
        calls.push(call.id);
    }
    assert_eq!(world.callbacks.release(&[ground.boot]).await?, 3);
    let claim = |excluded: &'static [&'static str], limit| async move {
        let excluded: Vec<_> = excluded.iter().map(|text| (*text).to_owned()).collect();
        let claimed = world.callbacks.claim(ground.boot, moment(3), LEASE, &excluded, limit).await?;
        TestResult::Ok(claimed.into_iter().map(|one| one.call).collect::<Vec<_>>())
    };
    assert_eq!(claim(&["a.example:443", "b.example:8443"], 9).await?, []);
    let (Some(last), Some(middle), Some(first)) = (calls.first(), calls.get(1), calls.get(2)) else {
        return Err("three were made".into());
    };
    assert_eq!(claim(&["b.example:8443"], 1).await?, [*first]);
    assert_eq!(claim(&["b.example:443"], 9).await?, [*middle, *last]);
    assert_eq!(claim(&[], 9).await?, []);
    Ok(())
}

/// Eight claims at once hand out each of thirty callbacks exactly once.
pub async fn parallel_claims_share_nothing(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    for ended in together((0..30).map(|_| ground.ended(world, moment(0)))).await {
        ended?;
    }
    let claims = (0..8).map(|_| world.callbacks.claim(ground.boot, moment(0) + FIRST_LEASE, LEASE, &[], 5));
    let mut seen = BTreeSet::new();
    let mut count = 0;
    for claimed in together(claims).await {
        for one in claimed? {
            count += 1;
            seen.insert(one.call);
        }
    }
    let rest = world.callbacks.claim(ground.boot, moment(0) + FIRST_LEASE, LEASE, &[], 50).await?;
    count += rest.len();
    seen.extend(rest.into_iter().map(|one| one.call));
    assert_eq!((count, seen.len()), (30, 30));
    Ok(())
}

/// What an earlier boot held is due again at once, leased or not yet taken up; other boots keep
/// theirs.
pub async fn claims_of_earlier_boots_are_released(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (call, _) = ground.ended(world, moment(0)).await?;
    let (taken_up, _) = ground.ended(world, moment(1)).await?;
    world.callbacks.claim_fresh(ground.boot, taken_up.id, moment(1), LEASE).await?.ok_or("not ours")?;
    let other = ground.another_boot(world).await?;
    assert_eq!(world.callbacks.release(&[other]).await?, 0);
    assert_eq!(world.callbacks.release(&[]).await?, 0);
    assert_eq!(world.callbacks.claim(other, moment(1), LEASE, &[], 9).await?, []);
    assert_eq!(world.callbacks.release(&[other, ground.boot]).await?, 2);
    assert_eq!(world.callbacks.claim_fresh(ground.boot, call.id, moment(1), LEASE).await?, None);
    let claimed = world.callbacks.claim(other, moment(1), LEASE, &[], 9).await?;
    let claimed: Vec<_> = claimed.into_iter().map(|one| one.call).collect();
    assert_eq!(claimed, [call.id, taken_up.id]);
    Ok(())
}
