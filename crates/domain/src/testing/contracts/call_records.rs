//! Single call logs.

use crate::call::{CallListing, CallOrder, CallQuery, CallType, Ended, EndedReason};
use crate::ids::{CallId, OrganizationId};
use crate::page::PageRequest;
use crate::scope::Scope;
use crate::testing::LaidCall;
use crate::testing::fixtures::{Ground, TestResult, add_organization, conclusion, dialog, fresh, moment};
use crate::testing::world::World;

/// All calls of an organization, newest first.
pub(super) fn everything(organization: OrganizationId) -> CallQuery {
    CallQuery {
        organization,
        page: PageRequest { number: 1, size: 50 },
        call_type: None,
        agent_name: None,
        user_primary_intent: None,
        from: None,
        to: None,
        order: CallOrder::Newest,
    }
}

/// It is listed and read while it lives, without an end; then with it.
pub async fn a_call_is_shown_from_its_acceptance_on(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (call, fence) = ground.calling(world).await?;
    let shown = async || -> TestResult<CallListing> {
        let log = world.records.read(ground.scope(), call.id).await?.ok_or("not read")?;
        let page = world.records.page(ground.scope(), &everything(ground.organization)).await?;
        let page = page.ok_or("not listed")?;
        assert_eq!((page.items.as_slice(), page.total), ([log.listing.clone()].as_slice(), 1));
        assert_eq!(log.ended_reason.is_some(), log.listing.ended_at.is_some());
        assert_eq!(log.user_name, call.customer_name);
        Ok(log.listing)
    };
    let live = shown().await?;
    let team = live.team.clone().ok_or("no team")?;
    assert_eq!(
        live,
        CallListing {
            id: call.id,
            organization: ground.organization,
            call_type: CallType::Outbound,
            agent: Some((ground.assistant.id, ground.assistant.name.clone())),
            team: Some((team.0, "Front desk".to_owned())),
            number: Some("+14155550100".to_owned()),
            started_at: None,
            ended_at: None,
            duration: None,
            user_number: Some("(415) 555-0123".to_owned()),
            created_at: moment(0),
        }
    );
    world.calls.answered(fence, dialog(ground.trunk.id, call.id), moment(3)).await?;
    let answered = CallListing { started_at: Some(moment(3)), ..live };
    assert_eq!(shown().await?, answered);
    let reason = EndedReason::CustomerEndedCall;
    world.calls.conclude(conclusion(&call, fence, reason, Some(moment(3)), moment(64))).await?;
    let ended = CallListing { ended_at: Some(moment(64)), duration: Some(61), ..answered };
    assert_eq!(shown().await?, ended);
    let log = world.records.read(ground.scope(), call.id).await?.ok_or("not read")?;
    assert_eq!(log.ended_reason, Some(reason));
    Ok(())
}

/// What an analysis found out, too; and of a call of which nothing is known, nothing.
pub async fn all_that_is_known_of_a_call_is_shown(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let bare = LaidCall::bare(ground.tenant, ground.organization, 1);
    let full = LaidCall {
        call_type: CallType::Inbound,
        assistant: Some(ground.assistant.id),
        number: Some(ground.number.id),
        user_number: Some("+19025550177".to_owned()),
        user_name: Some("Ada".to_owned()),
        ended: Some(Ended {
            reason: EndedReason::AssistantForwardedCall,
            started_at: Some(moment(2)),
            ended_at: moment(2),
        }),
        user_primary_intent: Some("book".to_owned()),
        user_sentiment: Some("calm".to_owned()),
        outcome: Some("appointment_confirmed".to_owned()),
        summary: Some("She booked.".to_owned()),
        summary_fr: Some("Elle a réservé.".to_owned()),
        ..LaidCall::bare(ground.tenant, ground.organization, 1)
    };
    world.lay(&[bare.clone(), full.clone()]).await?;
    let log = world.records.read(ground.scope(), full.id).await?.ok_or("not there")?;
    let listing = &log.listing;
    assert_eq!((listing.call_type, listing.duration), (CallType::Inbound, Some(0)));
    assert_eq!((listing.started_at, listing.ended_at), (Some(moment(2)), Some(moment(2))));
    assert_eq!((&listing.user_number, &log.user_name), (&full.user_number, &full.user_name));
    assert_eq!(listing.number.as_deref(), Some(ground.number.number.as_str()));
    assert_eq!(log.ended_reason, Some(EndedReason::AssistantForwardedCall));
    assert_eq!(
        (log.user_primary_intent, log.user_sentiment, log.outcome, log.summary, log.summary_fr),
        (full.user_primary_intent, full.user_sentiment, full.outcome, full.summary, full.summary_fr)
    );
    let log = world.records.read(ground.scope(), bare.id).await?.ok_or("not there")?;
    let nothing = CallListing {
        id: bare.id,
        organization: ground.organization,
        call_type: CallType::Web,
        agent: None,
        team: None,
        number: None,
        started_at: None,
        ended_at: None,
        duration: None,
        user_number: None,
        created_at: moment(1),
    };
    assert_eq!(log.listing, nothing);
    let rest = (log.ended_reason, log.user_name, log.user_primary_intent, log.summary);
    assert_eq!(rest, (None, None, None, None));
    Ok(())
}

/// Neither to another tenant nor to another organization.
pub async fn a_foreign_call_log_does_not_exist(world: &World) -> TestResult {
    let (own, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let sister = add_organization(world, own.tenant).await?;
    let (call, _) = own.calling(world).await?;
    for scope in [
        foreign.scope(),
        Scope::Tenant(foreign.tenant),
        Scope::Organization(own.tenant, sister),
        Scope::Organization(foreign.tenant, own.organization),
    ] {
        assert_eq!(world.records.read(scope, call.id).await?, None, "{scope:?}");
    }
    assert_eq!(world.records.read(own.scope(), CallId::from(fresh())).await?, None);
    assert!(world.records.read(Scope::Tenant(own.tenant), call.id).await?.is_some());
    Ok(())
}

/// By its own keys and by its tenant's.
pub async fn a_deleted_organizations_calls_stay_readable(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (call, _) = ground.ended(world, moment(1)).await?;
    world.delete_organization(ground.organization, moment(2)).await?;
    for scope in [ground.scope(), Scope::Tenant(ground.tenant)] {
        assert!(world.records.read(scope, call.id).await?.is_some());
        let page = world.records.page(scope, &everything(ground.organization)).await?;
        assert_eq!(page.ok_or("not listed")?.total, 1);
    }
    Ok(())
}
