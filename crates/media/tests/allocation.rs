//! A session in steady state takes nothing from the heap. Alone in its process, so that only the
//! two sessions here are counted.
#![allow(clippy::unwrap_used, reason = "tests say what they mean")]

mod support;

use domain::ports::Detects;
use media::{Negotiated, Session};
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

#[test]
fn frames_are_sent_and_heard_without_an_allocation() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let (mut one, mut two, [first, second]) = pair();
    one.start(Negotiated { detects: Detects::ALL, ..terms(second) });
    two.start(Negotiated { detects: Detects::ALL, ..terms(first) });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (heard, before, after) = runtime.block_on(async {
        // Long enough that sockets, timers and tables exist.
        tokio::join!(run(&mut one, 25), run(&mut two, 25));
        let before = dhat::HeapStats::get().total_blocks;
        let (by_one, by_two) = tokio::join!(run(&mut one, 200), run(&mut two, 200));
        (by_one + by_two, before, dhat::HeapStats::get().total_blocks)
    });
    assert!(heard >= 380, "{heard} frames were heard");
    assert_eq!(after - before, 0, "allocations for 400 beats");
}
