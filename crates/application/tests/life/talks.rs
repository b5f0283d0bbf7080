//! What is said on a call: by whom it is said, and what is kept of it.

use std::time::Duration;

use domain::audio::AudioFormat;
use domain::call::Speaker;
use domain::ports::LegEnd;

use crate::support::{Node, Seen, Wishes, is};

#[tokio::test(start_paused = true)]
async fn the_record_is_complete_when_the_call_is_over_and_holds_both_sides() {
    let mut node = Node::new(Wishes::default()).await;
    let call = node.place().await;
    assert_eq!(node.tape.taped().call, None, "nothing is kept of a call that is not answered");
    node.callee.answers();
    assert_eq!(node.callee.sees().await, Seen::Acknowledged);
    while node.tape.taped().played < 2 {
        node.callee.beats(false);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    node.callee.ends(LegEnd::ByPeer);
    assert_eq!(node.end(call).await, is("completed", "customer-ended-call"));
    let taped = node.tape.taped();
    assert!(taped.complete);
    assert_eq!(
        (taped.call, taped.format),
        (Some(call), node.ground.assistant.conduct.records.then_some(AudioFormat::Pcmu))
    );
    assert!(taped.beats >= taped.played);
    assert_eq!(taped.transcript[0].who, Speaker::Assistant);
}
