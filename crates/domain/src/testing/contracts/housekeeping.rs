//! Upkeep that nobody notices.

use super::accounts::add;
use super::call_records::everything;
use crate::call::{CallQuery, CallType, OutboundCall};
use crate::idempotency::{IdempotencyKey, Once};
use crate::ports::{Acceptance, Accepted, Attempt};
use crate::session::IDLE_LIMIT;
use crate::testing::LaidCall;
use crate::testing::fixtures::{DESK, Ground, TestResult, add_tenant, deed, link, moment, sign_in};
use crate::testing::world::{World, together};
use crate::user::Role;

async fn total(world: &World, ground: &Ground, query: &CallQuery) -> TestResult<u64> {
    Ok(world.records.page(ground.scope(), query).await?.ok_or("no list")?.total)
}

/// Of no list, before, between and after, and twice is no more than once.
pub async fn folding_changes_no_total(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let all = everything(ground.organization);
    let of_type = CallQuery { call_type: Some(CallType::Outbound), ..all.clone() };
    let lately = CallQuery { from: Some(moment(60)), ..all.clone() };
    let earlier = CallQuery { to: Some(moment(1_000_000)), ..all.clone() };
    for round in 1..=4 {
        ground.calling(world).await?;
        world.lay(&[LaidCall::bare(ground.tenant, ground.organization, round * 2_000_000)]).await?;
        for _ in 0..2 {
            assert_eq!(total(world, &ground, &all).await?, 2 * round);
            assert_eq!(total(world, &ground, &of_type).await?, round);
            assert_eq!(total(world, &ground, &lately).await?, round);
            assert_eq!(total(world, &ground, &earlier).await?, round);
            while world.housekeeping.fold_call_counts().await? {}
        }
    }
    Ok(())
}

/// Any number of nodes may fold while calls are accepted.
pub async fn folders_at_once_lose_nothing(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    for round in 1..=4 {
        let work = (0..12_u64).map(|turn| {
            let ground = &ground;
            async move {
                if turn % 3 == 0 {
                    world.housekeeping.fold_call_counts().await?;
                } else {
                    ground.calling(world).await?;
                }
                TestResult::Ok(())
            }
        });
        for done in together(work).await {
            done?;
        }
        assert_eq!(total(world, &ground, &everything(ground.organization)).await?, 8 * round);
    }
    Ok(())
}

/// Those of requests before a moment: whoever comes with one of them is new.
pub async fn forgotten_idempotency_keys_are_fresh_again(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let key = IdempotencyKey::parse("again").ok_or("no key")?;
    let once = Once { scope: ground.scope(), key, fingerprint: [1; 32] };
    let ask = async |seconds: u64| -> TestResult<bool> {
        let call = OutboundCall { created_at: moment(seconds), ..ground.call()? };
        let acceptance = Acceptance { once: Some(once.clone()), ..ground.dial(call, ground.boot) };
        Ok(matches!(world.calls.accept(acceptance).await?, Accepted::Calling(_)))
    };
    assert!(ask(0).await?);
    while world.housekeeping.forget_idempotency_keys(moment(0)).await? {}
    assert!(!ask(1).await?, "it came at that moment, not before");
    while world.housekeeping.forget_idempotency_keys(moment(1)).await? {}
    assert!(ask(2).await?);
    Ok(())
}

/// Sessions and links past their time, and failures of an hour ago.
pub async fn sign_ins_that_are_over_are_forgotten(world: &World) -> TestResult {
    let user = add(world, add_tenant(world).await?, None, Role::Viewer).await?;
    let begun = world.sessions.begin(sign_in(user.id, "old", 0)).await?.ok_or("refused")?;
    let invitation = link(0, 100);
    world.accounts.invite(user.scope(), user.id, invitation, deed(moment(0))).await?;
    for _ in 0..5 {
        world.tries.begin_try(&user.email, DESK, moment(0)).await?;
    }
    let waits = async |seconds| -> TestResult<bool> {
        let attempt = world.tries.begin_try(&user.email, DESK, moment(seconds)).await?;
        Ok(matches!(attempt, Attempt::Wait(_)))
    };
    while world.housekeeping.forget_sign_ins(moment(99)).await? {}
    assert!(world.sessions.find(begun.session, moment(0)).await?.is_some());
    assert!(world.invitations.invited(invitation.digest, moment(0)).await?.is_some());
    assert!(waits(0).await?);
    while world.housekeeping.forget_sign_ins(moment(0) + IDLE_LIMIT).await? {}
    assert_eq!(world.sessions.find(begun.session, moment(0)).await?, None);
    assert_eq!(world.invitations.invited(invitation.digest, moment(0)).await?, None);
    assert!(!waits(0).await?);
    Ok(())
}
