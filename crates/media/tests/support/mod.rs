//! What the tests of sessions share: bound sockets, terms, and the next event with a deadline.
#![allow(dead_code, clippy::unwrap_used, reason = "each test file uses a part; tests say what they mean")]

use std::future::poll_fn;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use domain::audio::{AudioFormat, FRAME_BYTES, Frame};
use domain::ports::{Detects, Entropy, HeardFrame};
use media::{Direction, MediaEvent, Negotiated, PortRange, RtpSocket, Seeds, Session, SourcePolicy};
use tokio::time::timeout;

/// How long any event may take.
const DEADLINE: Duration = Duration::from_secs(10);

/// A free pair on loopback; tests run side by side, so each takes what it finds.
pub(crate) fn socket() -> RtpSocket {
    PortRange::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 20_000..=60_999).bind(&Scattered).unwrap()
}

/// Numbers that differ from test to test, each of which is a process of its own.
struct Scattered;

impl Entropy for Scattered {
    fn fill(&self, bytes: &mut [u8]) {
        static DRAWN: AtomicU32 = AtomicU32::new(0);
        let drawn = DRAWN.fetch_add(1, Ordering::Relaxed).wrapping_add(std::process::id());
        let drawn = drawn.wrapping_mul(0x9E37_79B1).to_be_bytes();
        bytes.iter_mut().zip(drawn).for_each(|(place, byte)| *place = byte);
    }
}

/// Seeds close to the wrap-around of both counters.
pub(crate) fn seeds(ssrc: u32) -> Seeds {
    Seeds { ssrc, sequence: u16::MAX - 5, timestamp: u32::MAX - 1_000, cname: format!("side-{ssrc}") }
}

/// µ-law both ways, with keys.
pub(crate) fn terms(remote: SocketAddr) -> Negotiated {
    Negotiated {
        format: AudioFormat::Pcmu,
        payload_type: 0,
        telephone_event: Some(101),
        remote,
        direction: Direction::SendReceive,
        sources: SourcePolicy::default(),
        detects: Detects::default(),
        protection: None,
    }
}

/// Two sessions that know each other, and where they listen.
pub(crate) fn pair() -> (Session, Session, [SocketAddr; 2]) {
    let (here, there) = (socket(), socket());
    let addresses = [here.local_addr(), there.local_addr()];
    let mut one = Session::new(here, seeds(1));
    let mut two = Session::new(there, seeds(2));
    one.start(terms(addresses[1]));
    two.start(terms(addresses[0]));
    (one, two, addresses)
}

/// The next event.
pub(crate) async fn next(session: &mut Session) -> MediaEvent {
    timeout(DEADLINE, poll_fn(|cx| session.poll_event(cx))).await.unwrap()
}

/// The next beat; anything else before it is an error.
pub(crate) async fn beat(session: &mut Session) -> HeardFrame {
    match next(session).await {
        MediaEvent::Heard(heard) => heard,
        other => unreachable!("expected a beat, got {other:?}"),
    }
}

/// A frame that no other number gives.
pub(crate) fn numbered(number: usize) -> Frame {
    let mut frame = [0; FRAME_BYTES];
    for (at, byte) in frame.iter_mut().enumerate() {
        *byte = u8::try_from((number * 31 + at * 7) % 251).unwrap();
    }
    frame
}

/// An RTP packet without any extras.
pub(crate) fn packet(payload_type: u8, sequence: u16, timestamp: u32, ssrc: u32, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x80, payload_type];
    packet.extend(sequence.to_be_bytes());
    packet.extend(timestamp.to_be_bytes());
    packet.extend(ssrc.to_be_bytes());
    packet.extend(payload);
    packet
}
