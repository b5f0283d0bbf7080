//! One call, in all the ways in which it can go.

use std::time::Duration;

use application::place_call::PlaceError;
use domain::call::{CallStatus, EndedReason, FinalAnswer};
use domain::ports::{HangUp, LegEnd, Refused};
use domain::scope::Reach;
use domain::testing::{deed, moment};

use crate::support::{Brittle, Got, Node, RING_LIMIT, Seen, Wishes, is};

fn failed(code: u16) -> LegEnd {
    LegEnd::Failed(FinalAnswer { code, phrase: "Said".into() })
}

#[tokio::test(start_paused = true)]
async fn an_answered_call_is_acknowledged_once_saved_speaks_and_ends_with_the_callee() {
    let mut node = Node::new(Wishes::default()).await;
    let call = node.place().await;
    node.callee.rings();
    node.callee.answers();
    assert_eq!(node.callee.sees().await, Seen::Acknowledged);
    assert_eq!(node.status(call).await.status, CallStatus::Calling);
    let mut said = Vec::new();
    while said.len() < 2 {
        node.callee.beats(false);
        match node.callee.sees().await {
            Seen::Played(Some(frame)) => said.push(frame[0]),
            Seen::Played(None) => tokio::time::sleep(Duration::from_millis(20)).await,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(said, *b"TT", "the notice that the call is recorded comes first");
    node.callee.ends(LegEnd::ByPeer);
    assert_eq!(node.end(call).await, is("completed", "customer-ended-call"));
    assert_eq!(node.supervisor.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_cannot_be_prepared_is_recorded_as_failed_without_a_callback() {
    let no_capacity: fn() -> Refused = || Refused::NoCapacity;
    let unreachable: fn() -> Refused = || Refused::Unreachable(None);
    for (refused, reason) in
        [(no_capacity, EndedReason::CapacityExceeded), (unreachable, EndedReason::TrunkUnreachable)]
    {
        let mut node = Node::new(Wishes::default()).await;
        node.callee.refuse(refused);
        let placed = node.try_place("https://receiver.example.com/").await.unwrap();
        assert_eq!((placed.status, placed.reason), (CallStatus::Failed, Some(reason)));
        assert_eq!(node.status(placed.call).await.details.unwrap().reason, reason);
        tokio::time::sleep(Duration::from_mins(1)).await;
        assert!(node.tries.try_recv().is_err());
    }
}

#[tokio::test(start_paused = true)]
async fn the_ring_limit_cancels() {
    let mut node = Node::new(Wishes::default()).await;
    let call = node.place().await;
    node.callee.rings();
    let began = tokio::time::Instant::now();
    assert_eq!(node.callee.sees().await, Seen::HungUp(HangUp::RingLimit));
    assert_eq!(began.elapsed().as_secs(), RING_LIMIT.as_secs());
    node.callee.ends(failed(487));
    assert_eq!(node.end(call).await, is("no-answer", "no-answer"));
}

#[tokio::test(start_paused = true)]
async fn a_busy_answer_that_crosses_our_cancel_is_busy() {
    let mut node = Node::new(Wishes::default()).await;
    let call = node.place().await;
    node.callee.rings();
    assert_eq!(node.callee.sees().await, Seen::HungUp(HangUp::RingLimit));
    node.callee.ends(failed(486));
    assert_eq!(node.end(call).await, is("busy", "customer-busy"));
}

#[tokio::test(start_paused = true)]
async fn a_final_answer_is_told_apart_by_whether_it_rang() {
    for (rings, end) in [(true, is("no-answer", "no-answer")), (false, is("failed", "trunk-error"))] {
        let mut node = Node::new(Wishes::default()).await;
        let call = node.place().await;
        if rings {
            node.callee.rings();
        }
        node.callee.ends(failed(480));
        assert_eq!(node.end(call).await, end);
        assert_eq!(node.store.final_answer(call).unwrap().code, 480);
    }
}

#[tokio::test(start_paused = true)]
async fn every_end_of_a_leg_has_its_reason() {
    for (answered, end, told) in [
        (false, LegEnd::Unreachable, is("failed", "trunk-unreachable")),
        (false, LegEnd::Unusable, is("failed", "trunk-error")),
        (true, LegEnd::MediaTimeout, is("failed", "media-timeout")),
        (true, LegEnd::Lost, is("failed", "trunk-error")),
    ] {
        let mut node = Node::new(Wishes::default()).await;
        let call = node.place().await;
        if answered {
            node.callee.answers();
            assert_eq!(node.callee.sees().await, Seen::Acknowledged);
        }
        node.callee.ends(end);
        assert_eq!(node.end(call).await, told);
    }
}

#[tokio::test(start_paused = true)]
async fn a_voice_that_fails_ends_the_call_as_the_assistants_error() {
    let mut node = Node::new(Wishes { broken_voice: true, ..Wishes::default() }).await;
    let call = node.place().await;
    node.callee.answers();
    loop {
        match node.callee.sees().await {
            Seen::HungUp(cause) => break assert_eq!(cause, HangUp::Normal),
            Seen::Acknowledged | Seen::Played(None) => node.callee.beats(false),
            other => panic!("{other:?}"),
        }
    }
    node.callee.ends(LegEnd::ByUs);
    assert_eq!(node.end(call).await, is("failed", "assistant-error"));
}

#[tokio::test(start_paused = true)]
async fn a_leg_that_never_ends_after_hanging_up_is_given_up() {
    let mut node = Node::new(Wishes::default()).await;
    let call = node.place().await;
    node.supervisor.hang_up(call, EndedReason::ManuallyEnded);
    assert_eq!(node.callee.sees().await, Seen::HungUp(HangUp::Forced));
    assert_eq!(node.end(call).await, is("failed", "manually-ended"));
    assert_eq!(node.callee.sees().await, Seen::Dropped);
}

#[tokio::test(start_paused = true)]
async fn hanging_up_an_answered_call_by_hand_completes_it() {
    let mut node = Node::new(Wishes::default()).await;
    let call = node.place().await;
    node.callee.answers();
    assert_eq!(node.callee.sees().await, Seen::Acknowledged);
    assert!(node.world.nodes.request_hang_up(Reach::Everything, call, deed(moment(0))).await.unwrap());
    node.beats.beat().await.unwrap();
    assert_eq!(node.callee.sees().await, Seen::HungUp(HangUp::Forced));
    node.callee.ends(LegEnd::ByUs);
    assert_eq!(node.end(call).await, is("completed", "manually-ended"));
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_calls_task_concludes_that_call_alone() {
    let mut node = Node::new(Wishes::default()).await;
    let call = node.place().await;
    // The wire panics in the call's own task when its test end is gone.
    let gone = std::mem::replace(&mut node.callee, crate::support::Callee::new());
    drop(gone);
    assert_eq!(node.end(call).await, is("failed", "assistant-error"));
}

/// A leg that is dropped hangs up: that is its port's promise, which the wire tests of `sip` prove.
#[tokio::test(start_paused = true)]
async fn a_panicking_conversation_lets_go_of_its_leg() {
    for answered in [false, true] {
        let mut node = Node::new(Wishes { agent: true, ..Wishes::default() }).await;
        let call = node.place().await;
        assert!(matches!(node.mind.gets().await, Got::Opened { .. }));
        node.callee.rings();
        if answered {
            node.callee.answers();
            assert_eq!(node.callee.sees().await, Seen::Acknowledged);
            // The agent's double panics in the call's task when its test end is gone.
            node.mind.leaves();
        } else {
            node.callee.panics();
        }
        while node.callee.sees().await != Seen::Dropped {}
        assert_eq!(node.end(call).await, is("failed", "assistant-error"), "answered: {answered}");
        assert_eq!(node.supervisor.running(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_leg_that_broke_ends_as_our_own_error() {
    for answered in [false, true] {
        let mut node = Node::new(Wishes::default()).await;
        let call = node.place().await;
        if answered {
            node.callee.answers();
            assert_eq!(node.callee.sees().await, Seen::Acknowledged);
        }
        node.callee.ends(LegEnd::Broken);
        assert_eq!(node.end(call).await, is("failed", "assistant-error"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_while_concluding_does_not_lose_the_end() {
    let mut node = Node::new(Wishes { breaks: Some(Brittle::Conclude), ..Wishes::default() }).await;
    let call = node.place().await;
    node.callee.ends(failed(486));
    assert_eq!(node.end(call).await, is("busy", "customer-busy"));
    node.supervisor.close();
    node.supervisor.drained().await;
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_journal_hangs_up_and_concludes() {
    let mut node = Node::new(Wishes { breaks: Some(Brittle::Ringing), ..Wishes::default() }).await;
    let call = node.place().await;
    node.callee.rings();
    assert_eq!(node.callee.sees().await, Seen::HungUp(HangUp::Forced));
    assert_eq!(node.end(call).await, is("failed", "assistant-error"));
    node.callee.ends(LegEnd::ByUs);
    assert_eq!(node.callee.sees().await, Seen::Dropped);
}

#[tokio::test(start_paused = true)]
async fn a_draining_node_takes_no_calls_and_ends_those_it_has() {
    let mut node = Node::new(Wishes::default()).await;
    let call = node.place().await;
    node.supervisor.close();
    let refused = node.try_place("https://receiver.example.com/").await;
    assert!(matches!(refused, Err(PlaceError::Unavailable)), "{refused:?}");
    node.callee.ends(LegEnd::ByPeer);
    node.supervisor.end_all(Duration::from_secs(5)).await;
    assert_eq!(node.supervisor.running(), 0);
    assert!(node.status(call).await.details.is_some());
}

#[tokio::test(start_paused = true)]
async fn an_end_that_the_store_cannot_take_is_spooled_and_handed_over_when_it_is_back() {
    let mut node = Node::new(Wishes::default()).await;
    let call = node.place().await;
    node.store.set_away(true);
    node.callee.ends(failed(486));
    while node.spool.len() == 0 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    node.store.set_away(false);
    assert_eq!(node.end(call).await, is("busy", "customer-busy"));
    node.conclude.settled(Duration::from_secs(10)).await;
    assert_eq!(node.spool.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn what_a_dead_process_spooled_is_replayed_at_the_next_start() {
    let mut node = Node::new(Wishes::default()).await;
    let call = node.place().await;
    node.store.set_away(true);
    node.callee.ends(failed(603));
    while node.spool.len() == 0 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // A second node object on the same spool and store stands for the restarted process.
    node.store.set_away(false);
    assert_eq!(node.conclude.replay().await.unwrap(), 1);
    assert_eq!(node.end(call).await, is("busy", "customer-declined"));
    assert_eq!(node.spool.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_accepted_while_all_others_were_hung_up_is_hung_up_too() {
    let mut node = Node::new(Wishes::default()).await;
    node.supervisor.end_all(Duration::from_millis(1)).await;
    let call = node.place().await;
    assert_eq!(node.callee.sees().await, Seen::HungUp(HangUp::Forced));
    node.callee.ends(LegEnd::ByUs);
    assert_eq!(node.end(call).await, is("failed", "service-interrupted"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_crosses_our_hanging_up_was_no_answer() {
    let mut node = Node::new(Wishes::default()).await;
    let call = node.place().await;
    node.callee.rings();
    assert_eq!(node.callee.sees().await, Seen::HungUp(HangUp::RingLimit));
    node.callee.answers();
    node.callee.ends(LegEnd::ByUs);
    assert_eq!(node.end(call).await, is("no-answer", "no-answer"));
    assert_eq!(node.status(call).await.details.unwrap().started_at, None);
}
