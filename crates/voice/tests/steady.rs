//! A media thread takes nothing from the heap while it lets a session hear. Alone in its process, so
//! that only this session is counted.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "tests say what they mean"
)]

#[path = "realtime/support/mod.rs"]
mod support;

use domain::audio::FRAME_BYTES;
use test_realtime::{Double, Options};

use support::Call;

#[global_allocator]
static COUNTED: dhat::Alloc = dhat::Alloc;

#[tokio::test]
async fn hearing_takes_nothing_from_the_heap() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let double = Double::start(Options::default()).await;
    let mut call = Call::ready(&double).await;
    call.speak(&double, &[0x55; 20 * FRAME_BYTES], 1).await;
    // The session's task runs on this thread too, and so not before this is over.
    let before = dhat::HeapStats::get().total_blocks;
    for number in 0..200_u8 {
        call.session.hear(Some(&[number; FRAME_BYTES]));
        call.session.hear(None);
    }
    assert_eq!(dhat::HeapStats::get().total_blocks - before, 0, "allocations for 400 frames");
}
