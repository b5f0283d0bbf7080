//! A session in steady state takes nothing from the heap. Alone in its process, so that only the
//! two sessions here are counted.
#![allow(clippy::unwrap_used, reason = "tests say what they mean")]

mod support;

use domain::audio::AudioFormat;
use domain::ports::Detects;
use media::srtp::{Master, Suite};
use media::{Negotiated, Protection, Session};
use support::{beat, numbered, pair, terms};

#[global_allocator]
static COUNTED: dhat::Alloc = dhat::Alloc;

async fn run(session: &mut Session, beats: usize) -> usize {
    let mut heard = 0;
    for number in 0..beats {
        heard += usize::from(beat(session).await.audio.is_some());
        session.play(Some(&numbered(number)));
    }
    heard
}

/// Blocks that two sessions take from the heap in 400 beats under these terms.
fn blocks_taken(format: AudioFormat, payload_type: u8, masters: Option<[Master; 2]>) -> u64 {
    let (mut one, mut two, [first, second]) = pair();
    let protection = |ours, theirs| Protection { suite: Suite::Tag80, ours, theirs };
    let here = masters.map(|[first, second]| protection(first, second));
    let there = masters.map(|[first, second]| protection(second, first));
    let detects = Detects::ALL;
    one.start(Negotiated { detects, format, payload_type, protection: here, ..terms(second) });
    two.start(Negotiated { detects, format, payload_type, protection: there, ..terms(first) });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (heard, before, after) = runtime.block_on(async {
        // Long enough that sockets, timers and tables exist.
        tokio::join!(run(&mut one, 25), run(&mut two, 25));
        let before = dhat::HeapStats::get().total_blocks;
        let (by_one, by_two) = tokio::join!(run(&mut one, 200), run(&mut two, 200));
        (by_one + by_two, before, dhat::HeapStats::get().total_blocks)
    });
    assert!(heard >= 380, "{heard} frames were heard");
    after - before
}

#[test]
fn frames_are_sent_and_heard_without_an_allocation_also_wide_and_encrypted() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let masters = [1, 2].map(|byte| Master::new(&[byte; 30]));
    for (format, payload_type, masters) in [
        (AudioFormat::Pcmu, 0, None),
        (AudioFormat::Pcmu, 0, Some(masters)),
        (AudioFormat::G722, 9, None),
        (AudioFormat::G722, 9, Some(masters)),
    ] {
        let taken = blocks_taken(format, payload_type, masters);
        assert_eq!(taken, 0, "allocations for 400 beats of {format:?}, encrypted: {}", masters.is_some());
    }
}
