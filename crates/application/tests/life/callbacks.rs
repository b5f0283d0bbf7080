//! Delivery of callbacks on schedule.

use std::sync::Arc;
use std::time::Duration;

use application::deliver_callbacks::Redelivery;
use domain::audit::{Actor, Deed};
use domain::call::FinalAnswer;
use domain::callback::{CallbackUrl, DeliveryState};
use domain::ids::CallId;
use domain::ports::{LegEnd, TryOutcome};
use tokio::time::Instant;

use crate::support::{Node, Wishes, end_call};

async fn end_busy(node: &Node) {
    node.callee.ends(LegEnd::Failed(FinalAnswer { code: 486, phrase: "Busy Here".into() }));
    tokio::task::yield_now().await;
}

#[tokio::test(start_paused = true)]
async fn failures_are_tried_again_after_1_5_and_30_seconds_and_never_a_fifth_time() {
    let mut node = Node::new(Wishes { outcome: |_| TryOutcome::Answered(500), ..Wishes::default() }).await;
    let deliver = Arc::clone(&node.deliver);
    let delivering = tokio::spawn(async move { deliver.run().await });
    let call = node.place().await;
    end_busy(&node).await;
    let mut bodies = Vec::new();
    let mut waits = Vec::new();
    let mut last = Instant::now();
    for _ in 0..4 {
        let tried = tokio::time::timeout(Duration::from_mins(1), node.tries.recv()).await.unwrap().unwrap();
        waits.push(last.elapsed().as_secs_f64().round());
        last = Instant::now();
        bodies.push(tried.draft.body);
    }
    assert_eq!(waits, [0.0, 1.0, 5.0, 30.0]);
    assert!(bodies.windows(2).all(|pair| pair.first() == pair.last()));
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert!(node.tries.try_recv().is_err());
    assert_eq!(node.store.tries(call).len(), 4);
    delivering.abort();
}

#[tokio::test(start_paused = true)]
async fn a_confirmed_callback_is_not_tried_again() {
    let outcome = |before| if before == 0 { TryOutcome::TimedOut } else { TryOutcome::Answered(204) };
    let mut node = Node::new(Wishes { outcome, ..Wishes::default() }).await;
    let deliver = Arc::clone(&node.deliver);
    let delivering = tokio::spawn(async move { deliver.run().await });
    let call = node.place().await;
    end_busy(&node).await;
    tokio::time::sleep(Duration::from_hours(1)).await;
    let outcomes: Vec<_> = node.store.tries(call).into_iter().map(|record| record.outcome).collect();
    assert_eq!(outcomes, [TryOutcome::TimedOut, TryOutcome::Answered(204)]);
    delivering.abort();
}

#[tokio::test(start_paused = true)]
async fn receivers_that_hang_do_not_hold_up_others() {
    let node = Node::new(Wishes::default()).await;
    let deliver = Arc::clone(&node.deliver);
    // A hundred callbacks to a receiver that hangs wait in the store before the worker starts.
    for _ in 0..100 {
        queue(&node, "https://hang.example.com/").await;
    }
    let last = queue(&node, "https://quick.example.com/").await;
    let delivering = tokio::spawn(async move { deliver.run().await });
    let began = Instant::now();
    while node.store.tries(last).is_empty() {
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(began.elapsed() < Duration::from_secs(3), "held up");
    }
    delivering.abort();
}

#[tokio::test(start_paused = true)]
async fn a_fresh_callback_gets_the_first_place_that_falls_free() {
    let node = Node::new(Wishes::default()).await;
    // Sixteen receivers that hang take every place that there is.
    for call in 0..256 {
        queue(&node, &format!("https://hang{}.example.com/", call / 16)).await;
    }
    let deliver = Arc::clone(&node.deliver);
    let delivering = tokio::spawn(async move { deliver.run().await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    let url = CallbackUrl::from_stored("https://quick.example.com/").unwrap();
    let call = end_call(&node, node.ground.boot, "https://quick.example.com/").await;
    node.deliver.fresh(call, &url);
    let began = Instant::now();
    while node.store.tries(call).is_empty() {
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(began.elapsed() < Duration::from_secs(10), "held up");
    }
    delivering.abort();
}

#[tokio::test(start_paused = true)]
async fn a_confirmed_callback_is_not_repeated_because_the_store_was_away_for_a_moment() {
    let mut node = Node::new(Wishes::default()).await;
    let deliver = Arc::clone(&node.deliver);
    let delivering = tokio::spawn(async move { deliver.run().await });
    let url = CallbackUrl::from_stored("https://slow.example.com/").unwrap();
    let call = end_call(&node, node.ground.boot, "https://slow.example.com/").await;
    node.deliver.fresh(call, &url);
    assert_eq!(node.tries.recv().await.unwrap().call, call);
    node.store.set_away(true);
    tokio::time::sleep(Duration::from_secs(5)).await;
    node.store.set_away(false);
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert_eq!(node.store.tries(call).len(), 1);
    assert!(node.tries.try_recv().is_err(), "told twice");
    delivering.abort();
}

/// Ends a call whose callback nobody holds any more.
async fn queue(node: &Node, url: &str) -> CallId {
    let boot = node.ground.another_boot(&node.world).await.unwrap();
    let call = end_call(node, boot, url).await;
    node.world.callbacks.release(&[boot]).await.unwrap();
    call
}

/// A call whose callback was given up.
async fn given_up(node: &mut Node, url: &str) -> CallId {
    let call = queue(node, url).await;
    let deliver = Arc::clone(&node.deliver);
    let delivering = tokio::spawn(async move { deliver.run().await });
    tokio::time::sleep(Duration::from_hours(1)).await;
    delivering.abort();
    assert_eq!(node.store.tries(call).len(), 4);
    while node.tries.try_recv().is_ok() {}
    call
}

fn by_hand(at: time::OffsetDateTime) -> Deed {
    Deed { actor: Actor::Operator, from: None, at }
}

#[tokio::test(start_paused = true)]
async fn a_callback_is_sent_once_more_by_hand_with_the_same_bytes_whoever_waits_for_it() {
    let outcome = |before| if before < 5 { TryOutcome::Answered(500) } else { TryOutcome::Answered(200) };
    let mut node = Node::new(Wishes { outcome, ..Wishes::default() }).await;
    let call = given_up(&mut node, "https://quick.example.com/").await;
    let body = node.store.callback(call).unwrap().body;
    let scope = node.ground.scope();
    for (outcome, state) in [
        (TryOutcome::Answered(500), DeliveryState::GivenUp),
        (TryOutcome::Answered(200), DeliveryState::Delivered),
    ] {
        let deed = by_hand(node.clock.now());
        let begun = node.deliver.redeliver(scope, call, deed).await.unwrap();
        let Redelivery::Begun(told) = begun else { panic!("{begun:?}") };
        assert_eq!(told.await.unwrap(), outcome);
        assert_eq!(node.tries.recv().await.unwrap().draft.body, body);
        let told = node.world.deliveries.of_call(scope, call).await.unwrap().unwrap();
        assert_eq!(told.state, state);
    }
    // Whoever asked is gone before the answer comes: the try is made and kept all the same.
    let deed = by_hand(node.clock.now());
    drop(node.deliver.redeliver(scope, call, deed).await.unwrap());
    node.tries.recv().await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let told = node.world.deliveries.of_call(scope, call).await.unwrap().unwrap();
    assert_eq!(told.tries.iter().map(|tried| tried.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(told.tries.iter().filter(|tried| tried.by.is_some()).count(), 3);
}

#[tokio::test(start_paused = true)]
async fn sending_by_hand_disturbs_no_schedule_and_comes_one_at_a_time() {
    let mut node = Node::new(Wishes { outcome: |_| TryOutcome::TimedOut, ..Wishes::default() }).await;
    let scope = node.ground.scope();
    let waiting = queue(&node, "https://quick.example.com/").await;
    let asked = node.deliver.redeliver(scope, waiting, by_hand(node.clock.now())).await.unwrap();
    assert!(matches!(asked, Redelivery::Pending), "{asked:?}");
    let call = given_up(&mut node, "https://slow.example.com/").await;
    let ask = || node.deliver.redeliver(scope, call, by_hand(node.clock.now()));
    let first = ask().await.unwrap();
    assert!(matches!(first, Redelivery::Begun(_)), "{first:?}");
    assert!(matches!(ask().await.unwrap(), Redelivery::UnderWay));
    assert!(matches!(
        node.deliver
            .redeliver(domain::scope::Scope::Tenant(node.ground.tenant), waiting, by_hand(node.clock.now()))
            .await,
        Ok(Redelivery::Begun(_))
    ));
    node.store.set_away(true);
    assert!(ask().await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_try_by_hand_that_finds_no_place_is_kept_as_not_made_and_bars_no_other() {
    let mut node = Node::new(Wishes { outcome: |_| TryOutcome::TimedOut, ..Wishes::default() }).await;
    let (scope, url) = (node.ground.scope(), "https://hang.example.com/");
    let call = given_up(&mut node, url).await;
    // Sixteen tries to a receiver that hangs, and all that may wait for their places.
    let address = CallbackUrl::from_stored(url).unwrap();
    for _ in 0..16 + 256 {
        let fresh = end_call(&node, node.ground.boot, url).await;
        node.deliver.fresh(fresh, &address);
    }
    let begun = node.deliver.redeliver(scope, call, by_hand(node.clock.now())).await.unwrap();
    let Redelivery::Begun(told) = begun else { panic!("{begun:?}") };
    assert!(told.await.is_err(), "it was made");
    tokio::time::sleep(Duration::from_millis(100)).await;
    let delivery = node.world.deliveries.of_call(scope, call).await.unwrap().unwrap();
    let last = delivery.tries.last().unwrap();
    assert_eq!((last.number, last.by.is_some(), last.record.took), (5, true, Duration::ZERO));
    assert!(matches!(&last.record.outcome, TryOutcome::Refused(why) if why.contains("too many tries")));
    let again = node.deliver.redeliver(scope, call, by_hand(node.clock.now())).await.unwrap();
    assert!(matches!(again, Redelivery::Begun(_)), "{again:?}");
}
