//! The fence, and what becomes of a dead node's calls.

use std::time::Duration;

use application::place_call::PlaceError;
use domain::call::CallStatus;
use domain::ports::{Accepted, HangUp, LegEnd};

use crate::support::{Node, Seen, Wishes, end_call, is};

#[tokio::test(start_paused = true)]
async fn eight_seconds_after_its_last_good_beat_a_node_dials_nothing() {
    let node = Node::new(Wishes::default()).await;
    tokio::time::sleep(Duration::from_millis(8001)).await;
    let refused = node.try_place("https://receiver.example.com/").await;
    assert!(matches!(refused, Err(PlaceError::Unavailable)), "{refused:?}");
    assert!(node.store.calls().is_empty());
    node.beats.beat().await.unwrap();
    assert!(node.try_place("https://receiver.example.com/").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn without_the_store_ringing_calls_are_cancelled_and_connected_ones_go_on() {
    for connected in [false, true] {
        let mut node = Node::new(Wishes::default()).await;
        let call = node.place().await;
        node.callee.rings();
        if connected {
            node.callee.answers();
            assert_eq!(node.callee.sees().await, Seen::Acknowledged);
        } else {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let keep = std::sync::Arc::clone(&node.beats);
        let beating = tokio::spawn(async move { keep.run().await });
        node.store.set_away(true);
        tokio::time::sleep(Duration::from_secs(12)).await;
        node.store.set_away(false);
        if connected {
            node.callee.ends(LegEnd::ByPeer);
            assert_eq!(node.end(call).await, is("completed", "customer-ended-call"));
        } else {
            assert_eq!(node.callee.sees().await, Seen::HungUp(HangUp::Forced));
            node.callee.ends(LegEnd::ByUs);
            assert_eq!(node.end(call).await, is("failed", "service-interrupted"));
        }
        beating.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn a_beat_that_hangs_keeps_no_call_ringing() {
    let mut node = Node::new(Wishes::default()).await;
    let call = node.place().await;
    node.callee.rings();
    let keep = std::sync::Arc::clone(&node.beats);
    let beating = tokio::spawn(async move { keep.run().await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    node.nodes.hold(true);
    let began = tokio::time::Instant::now();
    assert_eq!(node.callee.sees().await, Seen::HungUp(HangUp::Forced));
    assert!(began.elapsed() < Duration::from_secs(9), "{:?}", began.elapsed());
    node.callee.ends(LegEnd::ByUs);
    assert_eq!(node.end(call).await, is("failed", "service-interrupted"));
    beating.abort();
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hung_for_us_hung_for_the_others_too() {
    let node = Node::new(Wishes::default()).await;
    let call = call_of_another(&node).await;
    let keep = std::sync::Arc::clone(&node.beats);
    let beating = tokio::spawn(async move { keep.run().await });
    tokio::time::sleep(Duration::from_secs(3)).await;
    node.nodes.hold(true);
    tokio::time::sleep(Duration::from_secs(11)).await;
    node.nodes.hold(false);
    tokio::time::sleep(Duration::from_secs(8)).await;
    assert_eq!(node.status(call).await.status, CallStatus::Calling);
    beating.abort();
}

#[tokio::test(start_paused = true)]
async fn the_heart_beats_on_while_a_taking_over_takes_long() {
    let mut node = Node::new(Wishes::default()).await;
    let call = call_of_another(&node).await;
    node.nodes.hold_take_over(true);
    let keep = std::sync::Arc::clone(&node.beats);
    let beating = tokio::spawn(async move { keep.run().await });
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert!(node.try_place("https://receiver.example.com/").await.is_ok(), "the lease ran out");
    node.nodes.hold_take_over(false);
    while !matches!(node.callee.sees().await, Seen::OrphanEnded(_)) {}
    assert_eq!(node.end(call).await, is("failed", "service-interrupted"));
    beating.abort();
}

#[tokio::test(start_paused = true)]
async fn a_node_that_was_alive_after_all_keeps_its_callbacks() {
    let node = Node::new(Wishes::default()).await;
    let other = node.ground.another_boot(&node.world).await.unwrap();
    let call = end_call(&node, other, "https://receiver.example.com/").await;
    node.world.nodes.beat(other).await.unwrap();
    let stale = Some(0);
    node.take_over.take_over(other, stale).await.unwrap();
    let lease = Duration::from_secs(9);
    let claimed = node.world.callbacks.claim_fresh(other, call, node.clock.now(), lease).await.unwrap();
    assert!(claimed.is_some());
}

#[tokio::test(start_paused = true)]
async fn what_a_dead_node_was_analysing_is_free_at_once_and_a_living_ones_is_not() {
    let node = Node::new(Wishes::default()).await;
    let other = node.ground.another_boot(&node.world).await.unwrap();
    let call = end_call(&node, other, "https://receiver.example.com/").await;
    let facts = domain::call::CallFacts::default();
    node.world.filing.file_transcript(call, &[], &facts, node.clock.now()).await.unwrap();
    let claim = async |boot| {
        let claimed = node.world.analyses.claim_analyses(boot, node.clock.now(), 9).await.unwrap();
        claimed.into_iter().map(|due| due.call).collect::<Vec<_>>()
    };
    assert_eq!(claim(other).await, [call]);
    node.world.nodes.beat(other).await.unwrap();
    node.take_over.take_over(other, Some(0)).await.unwrap();
    assert_eq!(claim(node.ground.boot).await, []);
    node.take_over.take_over(other, None).await.unwrap();
    assert_eq!(claim(node.ground.boot).await, [call]);
}

/// A call of another node that has beaten for the last time.
async fn call_of_another(node: &Node) -> domain::ids::CallId {
    let boot = node.ground.another_boot(&node.world).await.unwrap();
    node.world.nodes.beat(boot).await.unwrap();
    let call = node.ground.call().unwrap();
    let accepted = node.world.calls.accept(node.ground.dial(call.clone(), boot)).await.unwrap();
    assert!(matches!(accepted, Accepted::Calling(_)));
    call.id
}

#[tokio::test(start_paused = true)]
async fn a_node_that_stood_still_for_ten_seconds_is_taken_over_and_its_call_hung_up_first() {
    let mut node = Node::new(Wishes::default()).await;
    let call = call_of_another(&node).await;
    let keep = std::sync::Arc::clone(&node.beats);
    let beating = tokio::spawn(async move { keep.run().await });
    tokio::time::sleep(Duration::from_millis(9_500)).await;
    assert_eq!(node.status(call).await.status, CallStatus::Calling);
    assert!(matches!(node.callee.sees().await, Seen::OrphanEnded(_)));
    assert_eq!(node.end(call).await, is("failed", "service-interrupted"));
    beating.abort();
}

#[tokio::test(start_paused = true)]
async fn a_gap_in_our_own_contact_starts_the_ten_seconds_anew() {
    let node = Node::new(Wishes::default()).await;
    let call = call_of_another(&node).await;
    let keep = std::sync::Arc::clone(&node.beats);
    let beating = tokio::spawn(async move { keep.run().await });
    tokio::time::sleep(Duration::from_secs(7)).await;
    node.store.set_away(true);
    tokio::time::sleep(Duration::from_secs(3)).await;
    node.store.set_away(false);
    tokio::time::sleep(Duration::from_secs(7)).await;
    assert_eq!(node.status(call).await.status, CallStatus::Calling);
    beating.abort();
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_taken_over_ends_here_and_is_not_reported_twice() {
    let mut node = Node::new(Wishes::default()).await;
    let call = node.place().await;
    node.callee.answers();
    assert_eq!(node.callee.sees().await, Seen::Acknowledged);
    let heir = node.ground.another_boot(&node.world).await.unwrap();
    let orphans = node.world.nodes.take_over(heir, node.ground.boot, None, 10).await.unwrap();
    assert_eq!(orphans.len(), 1);
    node.beats.beat().await.unwrap();
    assert_eq!(node.callee.sees().await, Seen::HungUp(HangUp::Forced));
    node.callee.ends(LegEnd::ByUs);
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(node.status(call).await.status, CallStatus::Calling, "the heir concludes it, nobody else");
    assert!(node.tries.try_recv().is_err());
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_the_store_could_not_take_is_saved_when_it_is_back() {
    let mut node = Node::new(Wishes::default()).await;
    node.place().await;
    node.store.set_away(true);
    node.callee.answers();
    assert_eq!(node.callee.sees().await, Seen::Acknowledged);
    tokio::time::sleep(Duration::from_secs(3)).await;
    node.store.set_away(false);
    tokio::time::sleep(Duration::from_secs(2)).await;
    let heir = node.ground.another_boot(&node.world).await.unwrap();
    let orphans = node.world.nodes.take_over(heir, node.ground.boot, None, 10).await.unwrap();
    assert!(orphans[0].live.is_connected());
    assert_eq!(orphans[0].leg.remote_tag.as_deref(), Some("callee"), "nobody could say BYE");
}
