//! What became of callbacks, and sending them again by hand.

use std::time::Duration;

use crate::audit::{Action, Actor, Deed};
use crate::call::OutboundCall;
use crate::callback::{DeliveryState, MANUAL_TRIES_MAX};
use crate::ids::{OrganizationId, UserId};
use crate::ports::{ClaimedAgain, ClaimedCallback, Delivery, DeliveryTry, Settled, TryOutcome, TryRecord};
use crate::scope::Scope;
use crate::secret::Secret;
use crate::testing::fixtures::{Ground, TestResult, deed, fresh, moment};
use crate::testing::world::{World, together};

const LEASE: Duration = Duration::from_secs(20);

fn tried(second: u64, outcome: TryOutcome) -> TryRecord {
    TryRecord { began_at: moment(second), took: Duration::from_millis(12), outcome }
}

fn by_ada(second: u64) -> Deed {
    let actor = Actor::User(UserId::from(fresh()), "ada@clinic.example".to_owned());
    Deed { actor, from: "192.0.2.7".parse().ok(), at: moment(second) }
}

/// A finished call whose callback was tried as often as there are outcomes, and then settled.
async fn settled(
    world: &World,
    ground: &Ground,
    outcomes: &[TryOutcome],
    last: Settled,
) -> TestResult<OutboundCall> {
    let (call, _) = ground.ended(world, moment(0)).await?;
    world.callbacks.claim_fresh(ground.boot, call.id, moment(0), LEASE).await?.ok_or("not ours")?;
    for (tries, outcome) in (0_u16..).zip(outcomes) {
        let second = u64::from(tries);
        let is_last = usize::from(tries) + 1 == outcomes.len();
        let next = if is_last { last } else { Settled::Again(moment(second)) };
        let record = tried(second, outcome.clone());
        assert!(world.callbacks.settle(ground.boot, call.id, tries, record, next).await?);
        if !is_last {
            assert_eq!(world.callbacks.claim(ground.boot, moment(second), LEASE, &[], 9).await?.len(), 1);
        }
    }
    Ok(call)
}

/// A callback that was given up after one try.
async fn given_up(world: &World, ground: &Ground) -> TestResult<OutboundCall> {
    settled(world, ground, &[TryOutcome::TimedOut], Settled::GivenUp).await
}

async fn shown(world: &World, ground: &Ground, call: &OutboundCall) -> TestResult<Delivery> {
    Ok(world.deliveries.of_call(ground.scope(), call.id).await?.ok_or("not shown")?)
}

async fn claim(
    world: &World,
    ground: &Ground,
    call: &OutboundCall,
    deed: &Deed,
) -> TestResult<ClaimedCallback> {
    match world.callbacks.claim_again(ground.scope(), call.id, ground.boot, LEASE, deed).await? {
        ClaimedAgain::Claimed(callback) => Ok(*callback),
        other => Err(format!("not claimed: {other:?}").into()),
    }
}

/// Every outcome comes back as it was, in order, and what is due is told.
pub async fn a_callback_is_shown_with_all_that_was_tried_of_it(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let outcomes = [
        TryOutcome::Answered(503),
        TryOutcome::TimedOut,
        TryOutcome::Broken("no route".to_owned()),
        TryOutcome::Refused("a private address".to_owned()),
    ];
    let call = settled(world, &ground, &outcomes, Settled::GivenUp).await?;
    let told = shown(world, &ground, &call).await?;
    let tries = (1..).zip(outcomes.iter().enumerate()).map(|(number, (second, outcome))| DeliveryTry {
        number,
        record: tried(u64::try_from(second).unwrap_or(0), outcome.clone()),
        by: None,
    });
    let expected = Delivery {
        call: call.id,
        organization: ground.organization,
        url: call.callback_url.clone().ok_or("it has one")?,
        prepared_at: moment(0),
        state: DeliveryState::GivenUp,
        due_at: None,
        manual_until: None,
        manual_tries: 0,
        tries: tries.collect(),
    };
    assert_eq!(told, expected);
    let (waiting, _) = ground.ended(world, moment(7)).await?;
    let told = shown(world, &ground, &waiting).await?;
    assert_eq!((told.state, told.due_at, told.tries.len()), (DeliveryState::Pending, Some(moment(7)), 0));
    Ok(())
}

/// None is left out, none comes twice, and each brings its tries.
pub async fn the_callbacks_of_an_organization_come_newest_first_page_by_page(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let mut calls = Vec::new();
    for _ in 0..5 {
        calls.push(
            settled(world, &ground, &[TryOutcome::TimedOut, TryOutcome::TimedOut], Settled::GivenUp)
                .await?
                .id,
        );
    }
    calls.sort_unstable();
    calls.reverse();
    for scope in [ground.scope(), Scope::Tenant(ground.tenant)] {
        let (mut seen, mut before) = (Vec::new(), None);
        loop {
            let page = world.deliveries.page(scope, ground.organization, None, before, 2).await?;
            let page = page.ok_or("out of scope")?;
            assert!(page.iter().all(|delivery| delivery.tries.len() == 2));
            let Some(last) = page.last() else { break };
            before = Some(last.call);
            seen.extend(page.iter().map(|delivery| delivery.call));
        }
        assert_eq!(seen, calls);
    }
    Ok(())
}

/// And a callback goes from one to another.
pub async fn of_one_state_only_those_are_shown(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (pending, _) = ground.ended(world, moment(0)).await?;
    let delivered = settled(world, &ground, &[TryOutcome::Answered(204)], Settled::Delivered).await?;
    let lost = given_up(world, &ground).await?;
    let (scope, own) = (ground.scope(), ground.organization);
    let of = |state| async move {
        let page = world.deliveries.page(scope, own, Some(state), None, 9).await?;
        TestResult::Ok(page.ok_or("out of scope")?.into_iter().map(|one| one.call).collect::<Vec<_>>())
    };
    assert_eq!(of(DeliveryState::Pending).await?, [pending.id]);
    assert_eq!(of(DeliveryState::Delivered).await?, [delivered.id]);
    assert_eq!(of(DeliveryState::GivenUp).await?, [lost.id]);
    Ok(())
}

/// Neither shown nor sent; an organization without callbacks is told from a foreign one.
pub async fn foreign_callbacks_do_not_exist(world: &World) -> TestResult {
    let (ground, foreign) = (Ground::lay(world, None).await?, Ground::lay(world, None).await?);
    let call = given_up(world, &ground).await?;
    let page = |scope, organization| world.deliveries.page(scope, organization, None, None, 9);
    assert_eq!(page(foreign.scope(), foreign.organization).await?, Some(Vec::new()));
    let mixed = Scope::Organization(foreign.tenant, ground.organization);
    for scope in [foreign.scope(), Scope::Tenant(foreign.tenant), mixed] {
        assert_eq!(page(scope, ground.organization).await?, None);
        assert_eq!(world.deliveries.of_call(scope, call.id).await?, None);
        let claimed = world.callbacks.claim_again(scope, call.id, ground.boot, LEASE, &by_ada(1)).await?;
        assert_eq!(claimed, ClaimedAgain::Unknown);
    }
    assert_eq!(page(ground.scope(), OrganizationId::from(fresh())).await?, None);
    let unknown = ground.call()?.id;
    let claimed =
        world.callbacks.claim_again(ground.scope(), unknown, ground.boot, LEASE, &by_ada(1)).await?;
    assert_eq!(claimed, ClaimedAgain::Unknown);
    // A deleted organization's stay readable.
    assert!(
        page(Scope::Tenant(ground.tenant), ground.organization).await?.is_some_and(|page| page.len() == 1)
    );
    Ok(())
}

/// The same bytes to the same address; it says who did it, and so does the audit log.
pub async fn a_given_up_callback_is_sent_again_and_becomes_delivered(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let outcomes = [TryOutcome::TimedOut, TryOutcome::Answered(500)];
    let call = settled(world, &ground, &outcomes, Settled::GivenUp).await?;
    let ada = by_ada(100);
    let claimed = claim(world, &ground, &call, &ada).await?;
    assert_eq!((claimed.call, claimed.tries_before), (call.id, 2));
    assert_eq!(Some(&claimed.draft.url), call.callback_url.as_ref());
    assert!(String::from_utf8(claimed.draft.body)?.contains(&call.id.to_string()));
    let under_way = shown(world, &ground, &call).await?;
    assert_eq!((under_way.state, under_way.tries.len()), (DeliveryState::GivenUp, 2));
    assert_eq!((under_way.manual_tries, under_way.manual_until), (1, Some(moment(100) + LEASE)));
    let record = tried(101, TryOutcome::Answered(200));
    assert!(world.callbacks.settle_again(ground.boot, call.id, 2, record.clone(), &ada.actor).await?);
    assert!(!world.callbacks.settle_again(ground.boot, call.id, 2, record.clone(), &ada.actor).await?);
    let told = shown(world, &ground, &call).await?;
    assert_eq!((told.state, told.manual_until), (DeliveryState::Delivered, None));
    assert_eq!(told.tries.last(), Some(&DeliveryTry { number: 3, record, by: Some(ada.actor.clone()) }));
    let noted = world.audit.entries(ground.scope(), None, None, 1).await?;
    let noted = noted.first().ok_or("nothing was noted")?;
    assert_eq!((noted.action, &noted.deed), (Action::CallbackRedeliver, &ada));
    assert_eq!(
        (noted.subject.clone(), noted.name.as_deref()),
        (call.id.to_string(), Some("receiver.example.com:443"))
    );
    assert!(world.owes_nothing().await?);
    Ok(())
}

/// What was delivered stays so, what was given up too.
pub async fn a_failed_try_by_hand_changes_no_state(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let delivered = settled(world, &ground, &[TryOutcome::Answered(204)], Settled::Delivered).await?;
    let lost = given_up(world, &ground).await?;
    for (call, state) in [(delivered, DeliveryState::Delivered), (lost, DeliveryState::GivenUp)] {
        for tries in 1..4 {
            let claimed = claim(world, &ground, &call, &deed(moment(100))).await?;
            assert_eq!(claimed.tries_before, tries);
            let record = tried(100, TryOutcome::Broken("no\0 route".to_owned()));
            let settled = world.callbacks.settle_again(ground.boot, call.id, tries, record, &Actor::Operator);
            assert!(settled.await?);
        }
        let told = shown(world, &ground, &call).await?;
        assert_eq!((told.state, told.tries.len(), told.manual_tries), (state, 4, 3));
        let by_hand = told.tries.iter().filter(|tried| tried.by == Some(Actor::Operator)).count();
        assert_eq!(by_hand, 3);
    }
    Ok(())
}

/// It is refused, whether a try waits or is under way, and nothing is noted.
pub async fn a_schedule_that_is_not_over_is_not_disturbed(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let (call, _) = ground.ended(world, moment(0)).await?;
    let claim_again = || world.callbacks.claim_again(ground.scope(), call.id, ground.boot, LEASE, &NOTHING);
    assert_eq!(claim_again().await?, ClaimedAgain::Pending);
    world.callbacks.claim_fresh(ground.boot, call.id, moment(0), LEASE).await?.ok_or("not ours")?;
    assert_eq!(claim_again().await?, ClaimedAgain::Pending);
    let record = tried(0, TryOutcome::TimedOut);
    assert!(world.callbacks.settle(ground.boot, call.id, 0, record, Settled::Again(moment(9))).await?);
    assert_eq!(claim_again().await?, ClaimedAgain::Pending);
    let next = world.callbacks.claim(ground.boot, moment(9), LEASE, &[], 9).await?;
    assert_eq!(next.iter().map(|one| one.tries_before).collect::<Vec<_>>(), [1]);
    let noted = world.audit.entries(ground.scope(), None, None, 9).await?;
    assert!(noted.iter().all(|entry| entry.action != Action::CallbackRedeliver));
    Ok(())
}

const NOTHING: Deed = Deed { actor: Actor::Operator, from: None, at: time::OffsetDateTime::UNIX_EPOCH };

/// The others are told so, and are not noted.
pub async fn of_many_at_once_one_is_sent(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let call = given_up(world, &ground).await?;
    let deed = by_ada(100);
    let claims =
        (0..8).map(|_| world.callbacks.claim_again(ground.scope(), call.id, ground.boot, LEASE, &deed));
    let (mut claimed, mut refused) = (0, 0);
    for claim in together(claims).await {
        match claim? {
            ClaimedAgain::Claimed(_) => claimed += 1,
            ClaimedAgain::UnderWay => refused += 1,
            other => return Err(format!("{other:?}").into()),
        }
    }
    assert_eq!((claimed, refused), (1, 7));
    let noted = world.audit.entries(ground.scope(), None, None, 20).await?;
    assert_eq!(noted.iter().filter(|entry| entry.action == Action::CallbackRedeliver).count(), 1);
    Ok(())
}

/// It counts all the same, and whoever comes back late with it writes nothing.
pub async fn a_try_by_hand_that_nobody_settles_makes_room(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let call = given_up(world, &ground).await?;
    let first = claim(world, &ground, &call, &by_ada(100)).await?;
    let early =
        world.callbacks.claim_again(ground.scope(), call.id, ground.boot, LEASE, &by_ada(119)).await?;
    assert_eq!(early, ClaimedAgain::UnderWay);
    let second = claim(world, &ground, &call, &by_ada(120)).await?;
    assert_eq!((first.tries_before, second.tries_before), (1, 2));
    let record = tried(120, TryOutcome::Answered(200));
    let settle =
        |tries| world.callbacks.settle_again(ground.boot, call.id, tries, record.clone(), &Actor::Operator);
    assert!(!settle(1).await?);
    assert!(settle(2).await?);
    let told = shown(world, &ground, &call).await?;
    assert_eq!(told.tries.iter().map(|tried| tried.number).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(told.untold(moment(120)), [2]);
    claim(world, &ground, &call, &by_ada(130)).await?;
    let told = shown(world, &ground, &call).await?;
    assert_eq!((told.untold(moment(149)), told.untold(moment(150))), (vec![2], vec![2, 4]));
    Ok(())
}

/// Whatever became of them.
pub async fn at_most_twenty_are_sent_by_hand(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let call = given_up(world, &ground).await?;
    for number in 1..=MANUAL_TRIES_MAX {
        let claimed = claim(world, &ground, &call, &deed(moment(100))).await?;
        let record = tried(100, TryOutcome::TimedOut);
        let tries = claimed.tries_before;
        assert_eq!(tries, number);
        let settled = world.callbacks.settle_again(ground.boot, call.id, tries, record, &Actor::Operator);
        assert!(settled.await?);
    }
    let over = world.callbacks.claim_again(ground.scope(), call.id, ground.boot, LEASE, &by_ada(999)).await?;
    assert_eq!(over, ClaimedAgain::TooMany);
    assert_eq!(shown(world, &ground, &call).await?.tries.len(), 21);
    Ok(())
}

/// Not with those of the time when the call ended.
pub async fn it_is_signed_with_the_secrets_in_force(world: &World) -> TestResult {
    let ground = Ground::lay(world, None).await?;
    let call = given_up(world, &ground).await?;
    let fresh = Secret::new(b"second".to_vec());
    let reach = crate::scope::Reach::Everything;
    let (id, by) = (ground.organization, deed(moment(1)));
    assert!(world.signing.rotate_signing_secret(reach, id, None, fresh, moment(500), by).await?);
    let claimed = claim(world, &ground, &call, &by_ada(99)).await?;
    assert_eq!(claimed.secrets.current.reveal(), b"second");
    assert_eq!(
        claimed.secrets.previous.as_ref().map(|old| old.reveal().clone()),
        Some(b"first secret".to_vec())
    );
    Ok(())
}
