//! Requests that come again under the same idempotency key.

use std::time::Duration;

use application::place_call::PlaceError;
use domain::call::{CallStatus, EndedReason};
use domain::idempotency::{IdempotencyKey, Once};
use domain::ports::{Accepted, LegEnd, Refused};

use crate::support::{Node, Seen, Wishes};

const URL: &str = "https://receiver.example.com/";

fn once(node: &Node, fingerprint: u8) -> Once {
    let key = IdempotencyKey::parse("order-1").unwrap();
    Once { scope: node.ground.scope(), key, fingerprint: [fingerprint; 32] }
}

#[tokio::test(start_paused = true)]
async fn of_twins_on_one_node_one_is_dialled_and_the_others_are_told_of_it() {
    let mut node = Node::new(Wishes::default()).await;
    let place = || node.try_place_once(URL, once(&node, 1));
    // The wire knows one call only: a second prepared leg would panic.
    let (one, two, three) = tokio::join!(place(), place(), place());
    let (one, two, three) = (one.unwrap(), two.unwrap(), three.unwrap());
    assert_eq!((one.status, one.replayed), (CallStatus::Calling, false));
    for twin in [two, three] {
        assert_eq!((twin.call, twin.contact, twin.status), (one.call, one.contact, CallStatus::Calling));
        assert!(twin.replayed);
    }
    assert_eq!(node.callee.sees().await, Seen::Sent);
    node.callee.ends(LegEnd::Unreachable);
    node.end(one.call).await;
    // Even now it is told as it was.
    let late = node.try_place_once(URL, once(&node, 1)).await.unwrap();
    assert_eq!((late.call, late.status, late.reason), (one.call, CallStatus::Calling, None));
}

#[tokio::test(start_paused = true)]
async fn a_twin_that_another_node_recorded_in_the_meantime_drops_its_leg_unsent() {
    let mut node = Node::new(Wishes { blind: true, ..Wishes::default() }).await;
    let mut acceptance = node.ground.dial(node.ground.call().unwrap(), node.ground.boot);
    acceptance.once = Some(once(&node, 1));
    let there = acceptance.call.clone();
    assert!(matches!(node.world.calls.accept(acceptance).await.unwrap(), Accepted::Calling(_)));

    let placed = node.try_place_once(URL, once(&node, 1)).await.unwrap();
    assert_eq!((placed.call, placed.contact, placed.replayed), (there.id, there.contact, true));
    assert_eq!((placed.status, placed.reason), (CallStatus::Calling, None));
    assert!(node.callee.was_never_called());
    assert_eq!(node.supervisor.running(), 0);
    assert_eq!(node.store.calls().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_told_again_and_the_trunk_is_not_asked() {
    let node = Node::new(Wishes::default()).await;
    node.callee.refuse(|| Refused::NoCapacity);
    let first = node.try_place_once(URL, once(&node, 1)).await.unwrap();
    assert_eq!((first.reason, first.replayed), (Some(EndedReason::CapacityExceeded), false));
    node.callee.refuse(|| Refused::Unreachable(None));
    let again = node.try_place_once(URL, once(&node, 1)).await.unwrap();
    assert_eq!((again.call, again.reason, again.replayed), (first.call, first.reason, true));
}

#[tokio::test(start_paused = true)]
async fn a_key_of_another_request_is_refused_before_anything_is_looked_at() {
    let node = Node::new(Wishes::default()).await;
    node.callee.refuse(|| Refused::NoCapacity);
    node.try_place_once(URL, once(&node, 1)).await.unwrap();
    node.supervisor.close();
    let other = node.try_place_once(URL, once(&node, 2)).await;
    assert!(matches!(other, Err(PlaceError::KeyTaken)), "{other:?}");
}

#[tokio::test(start_paused = true)]
async fn twins_of_a_request_that_comes_to_nothing_are_refused_each_for_itself() {
    let node = Node::new(Wishes::default()).await;
    node.supervisor.close();
    let place = || node.try_place_once(URL, once(&node, 1));
    let twins = async { tokio::join!(place(), place(), place()) };
    let (one, two, three) = tokio::time::timeout(Duration::from_secs(1), twins).await.unwrap();
    for refused in [one, two, three] {
        assert!(matches!(refused, Err(PlaceError::Unavailable)), "{refused:?}");
    }
    assert!(node.store.calls().is_empty());
}
