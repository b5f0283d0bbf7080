//! What is said on a call: by whom it is said, and what is kept of it.

use std::time::Duration;

use domain::audio::{AudioFormat, FRAME_BYTES};
use domain::call::{Fact, Speaker};
use domain::ports::{AgentEvent, AgentOrder, LegEnd, TurnId, UtteranceId};

use crate::support::{Got, Node, Seen, Wishes, is};

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

#[tokio::test(start_paused = true)]
async fn dropped_foreign_audio_is_noted_once_at_the_end() {
    for (packets, expected) in [(250, vec![Fact::ForeignAudio { packets: 250 }]), (0, Vec::new())] {
        let mut node = Node::new(Wishes::default()).await;
        let call = node.place().await;
        node.callee.answers();
        assert_eq!(node.callee.sees().await, Seen::Acknowledged);
        node.callee.is_attacked(packets);
        beats(&node, 5).await;
        assert_eq!(node.tape.taped().facts, []);
        node.callee.ends(LegEnd::ByPeer);
        assert_eq!(node.end(call).await, is("completed", "customer-ended-call"));
        assert_eq!(node.tape.taped().facts, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_is_opened_while_it_rings_and_hears_and_is_heard() {
    let mut node = Node::new(Wishes { agent: true, ..Wishes::default() }).await;
    let call = node.place().await;
    assert_eq!(node.mind.gets().await, Got::Opened { instructions: "Be kind.".to_owned() });
    node.callee.answers();
    assert_eq!(node.callee.sees().await, Seen::Acknowledged);
    assert_eq!(node.mind.gets().await, Got::Began(AudioFormat::Pcmu));
    node.mind.tells(AgentEvent::Ready { detects_speech: true });

    node.mind.tells(AgentEvent::SpeechStarted(TurnId(0)));
    beats(&node, 20).await;
    node.callee.hears_frame([7; FRAME_BYTES]);
    node.mind.hears([7; FRAME_BYTES]).await;
    node.mind.tells(AgentEvent::SpeechStopped(TurnId(0)));
    assert_eq!(node.mind.gets().await, Got::Order(AgentOrder::Answer));
    node.mind.tells(AgentEvent::Recognised { turn: TurnId(0), text: "Hello?".to_owned() });

    let utterance = UtteranceId(0);
    node.mind.tells(AgentEvent::Words { utterance, text: "Good day.".to_owned() });
    node.mind.tells(AgentEvent::Audio { utterance, audio: vec![9; 3 * FRAME_BYTES] });
    node.mind.tells(AgentEvent::UtteranceEnded(utterance));
    node.mind.tells(AgentEvent::Answered);
    while node.tape.taped().played < 3 {
        beats(&node, 1).await;
    }
    beats(&node, 3).await;
    node.callee.ends(LegEnd::ByPeer);
    assert_eq!(node.end(call).await, is("completed", "customer-ended-call"));
    assert_eq!(node.mind.gets().await, Got::Dropped);
    let taped = node.tape.taped();
    let said: Vec<_> = taped.transcript.iter().map(|entry| (entry.who, entry.text.as_str())).collect();
    assert_eq!(said, [(Speaker::Customer, "Hello?"), (Speaker::Assistant, "Good day.")]);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_is_lost_while_it_rings_costs_the_call_a_fallback_line() {
    let mut node = Node::new(Wishes { agent: true, ..Wishes::default() }).await;
    let call = node.place().await;
    node.mind.tells(AgentEvent::Broken { cause: "refused".into() });
    node.callee.answers();
    assert_eq!(node.callee.sees().await, Seen::Acknowledged);
    while node.tape.taped().played < 2 {
        beats(&node, 1).await;
    }
    loop {
        beats(&node, 1).await;
        if let Seen::HungUp(_) = node.callee.sees().await {
            break;
        }
    }
    node.callee.ends(LegEnd::ByUs);
    assert_eq!(node.end(call).await, is("failed", "assistant-error"));
}

#[tokio::test(start_paused = true)]
async fn lines_are_rehearsed_in_the_format_that_is_offered_first() {
    for (wideband, first) in [(false, AudioFormat::Pcmu), (true, AudioFormat::G722)] {
        let mut node = Node::new(Wishes { wideband, ..Wishes::default() }).await;
        let call = node.place().await;
        node.callee.rings();
        // Paused time passes once nothing else is left to do.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let rehearsed = node.voice.formats.lock().unwrap().clone();
        assert!(!rehearsed.is_empty() && rehearsed.iter().all(|format| *format == first), "{rehearsed:?}");
        // The callee takes µ-law, whatever was rehearsed.
        node.callee.answers();
        assert_eq!(node.callee.sees().await, Seen::Acknowledged);
        while node.tape.taped().played < 2 {
            beats(&node, 1).await;
        }
        let spoken = node.voice.formats.lock().unwrap()[rehearsed.len()..].to_vec();
        assert!(!spoken.is_empty() && spoken.iter().all(|format| *format == AudioFormat::Pcmu), "{spoken:?}");
        node.callee.ends(LegEnd::ByPeer);
        assert_eq!(node.end(call).await, is("completed", "customer-ended-call"));
    }
}

async fn beats(node: &Node, count: usize) {
    for _ in 0..count {
        node.callee.beats(false);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
