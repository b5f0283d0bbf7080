//! Upkeep that nobody notices.

use super::call_records::everything;
use crate::call::{CallQuery, CallType};
use crate::testing::LaidCall;
use crate::testing::fixtures::{Ground, TestResult, moment};
use crate::testing::world::{World, together};

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
