//! Fifty beats a second: playing what waits, and listening, allocates nothing.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it means"
)]

mod stage;

use conversation::{Conversation, Input, Millis, Opening, Output};
use domain::ports::{AgentEvent, TurnId, UtteranceId};
use domain::variables::Variables;
use stage::FORMAT;
use stage::agent::{FIRST, agent, bytes};

#[global_allocator]
static COUNTED: dhat::Alloc = dhat::Alloc;

/// Beats, and how many frames were played in them.
fn beats(call: &mut Conversation, now: &mut u64, speech: bool, count: u32) -> u32 {
    let mut played = 0;
    for _ in 0..count {
        *now += 20;
        call.handle(Millis(*now), Input::Heard { speech, tone: false });
        while let Some(output) = call.next_output() {
            played += u32::from(matches!(output, Output::Play(_)));
        }
    }
    played
}

#[test]
fn a_beat_of_a_call_with_an_agent_allocates_nothing() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let assistant = agent(Some(FIRST));
    let filling = stage::filling(&assistant, &Variables::new());
    let mut call = Conversation::begin(Opening { assistant: &assistant, filling: &filling, format: FORMAT });
    let utterance = UtteranceId(0);
    let tell = |call: &mut Conversation, now: u64, event| {
        call.handle(Millis(now), Input::Agent(event));
        while call.next_output().is_some() {}
    };
    let mut now = 0;
    tell(&mut call, now, AgentEvent::Ready { detects_speech: true });
    tell(&mut call, now, AgentEvent::Words { utterance, text: FIRST.into() });
    for piece in 0..60 {
        let audio = bytes(0, piece * 4001, 4001);
        tell(&mut call, now, AgentEvent::Audio { utterance, audio });
    }
    // The first frame tells that the assistant begins.
    assert_eq!(beats(&mut call, &mut now, false, 1), 1);
    let before = dhat::HeapStats::get().total_blocks;
    assert_eq!(beats(&mut call, &mut now, false, 500), 500, "it speaks");
    assert_eq!(dhat::HeapStats::get().total_blocks - before, 0);

    tell(&mut call, now, AgentEvent::SpeechStarted(TurnId(0)));
    let before = dhat::HeapStats::get().total_blocks;
    assert_eq!(beats(&mut call, &mut now, true, 40), 0, "it is held");
    assert_eq!(dhat::HeapStats::get().total_blocks - before, 0);

    tell(&mut call, now, AgentEvent::SpeechStopped(TurnId(0)));
    let before = dhat::HeapStats::get().total_blocks;
    assert!(beats(&mut call, &mut now, false, 200) >= 90, "it goes on after 2 s");
    assert_eq!(dhat::HeapStats::get().total_blocks - before, 0);
}
