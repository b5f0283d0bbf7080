//! A connected leg works without the heap. A program of its own: the counter counts every thread.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::format_push_string,
    reason = "a peer or call that misbehaves fails its test"
)]

#[path = "wire/support/mod.rs"]
mod support;

use std::future::poll_fn;
use std::time::Duration;

use domain::ports::{Leg, LegEvent, Telephony};
use support::peer::Peer;
use support::{Caller, plan, trunk};

#[global_allocator]
static HEAP: dhat::Alloc = dhat::Alloc;

/// Sends every packet back from another source, without touching the heap.
fn echo(socket: &std::net::UdpSocket) {
    let mut packet = [0; 512];
    socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    while let Ok((length, from)) = socket.recv_from(&mut packet) {
        packet[8] ^= 0xff;
        socket.send_to(&packet[..length], from).unwrap();
    }
}

/// Takes so many beats, playing one frame in each.
async fn beats(leg: &mut dyn Leg, count: u32) -> u32 {
    let mut heard = 0;
    for _ in 0..count {
        match poll_fn(|cx| leg.poll_event(cx)).await {
            LegEvent::Heard(frame) => {
                heard += u32::from(frame.audio.is_some());
                leg.play(Some(&[0x55; 160]));
            }
            other => panic!("{other:?}"),
        }
    }
    heard
}

#[tokio::test]
async fn a_connected_leg_allocates_nothing_per_frame() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let (caller, mut peer) = (Caller::start().await, Peer::bind().await);
    let prepared = caller.telephony.prepare(plan(&trunk(peer.address()))).await.unwrap();
    let mut leg = prepared.send().await.unwrap();
    let invite = peer.request("INVITE").await;
    peer.answer(&invite).await;
    let answered = poll_fn(|cx| leg.poll_event(cx)).await;
    assert!(matches!(answered, LegEvent::Answered(_)));
    leg.acknowledge();
    peer.request("ACK").await;
    let Peer { rtp, .. } = peer;
    let rtp = rtp.into_std().unwrap();
    rtp.set_nonblocking(false).unwrap();
    std::thread::spawn(move || echo(&rtp));
    // Buffers and timers settle first.
    beats(leg.as_mut(), 100).await;

    let before = dhat::HeapStats::get().total_blocks;
    let heard = beats(leg.as_mut(), 200).await;
    let allocated = dhat::HeapStats::get().total_blocks - before;
    assert!(heard > 150, "only {heard} frames came back");
    // RTCP reports every few seconds are no frames.
    assert!(allocated <= 4, "{allocated} allocations in 200 frames");
}
