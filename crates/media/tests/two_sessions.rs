//! Two sessions that talk to each other over loopback.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests say what they mean")]

use std::future::poll_fn;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use domain::audio::{AudioFormat, Digit, FRAME_BYTES, Frame};
use domain::ports::HeardFrame;
use media::{Direction, MediaEvent, Negotiated, PortRange, RtpSocket, Seeds, Session};
use tokio::time::timeout;

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const DEADLINE: Duration = Duration::from_secs(10);

fn socket() -> RtpSocket {
    // Tests run side by side, so each takes whatever is free.
    PortRange::new(LOOPBACK, 20_000..=60_999).bind().unwrap()
}

fn seeds(ssrc: u32) -> Seeds {
    // Close to the wrap-around of both counters.
    Seeds { ssrc, sequence: u16::MAX - 5, timestamp: u32::MAX - 1_000, cname: format!("side-{ssrc}") }
}

fn terms(remote: SocketAddr) -> Negotiated {
    Negotiated {
        format: AudioFormat::Pcmu,
        payload_type: 0,
        telephone_event: Some(101),
        remote,
        direction: Direction::SendReceive,
        detect_speech: false,
    }
}

fn pair() -> (Session, Session, [SocketAddr; 2]) {
    let (here, there) = (socket(), socket());
    let addresses = [here.local_addr(), there.local_addr()];
    let mut one = Session::new(here, seeds(1));
    let mut two = Session::new(there, seeds(2));
    one.start(terms(addresses[1]));
    two.start(terms(addresses[0]));
    (one, two, addresses)
}

async fn next(session: &mut Session) -> MediaEvent {
    timeout(DEADLINE, poll_fn(|cx| session.poll_event(cx))).await.unwrap()
}

/// The next beat; keys before it are an error.
async fn beat(session: &mut Session) -> HeardFrame {
    match next(session).await {
        MediaEvent::Heard(heard) => heard,
        other => unreachable!("expected a beat, got {other:?}"),
    }
}

fn numbered(number: usize) -> Frame {
    let mut frame = [0; FRAME_BYTES];
    for (at, byte) in frame.iter_mut().enumerate() {
        *byte = u8::try_from((number * 31 + at * 7) % 251).unwrap();
    }
    frame
}

#[tokio::test]
async fn audio_arrives_identical_both_ways() {
    let (mut one, mut two, _) = pair();
    let run = async |session: &mut Session, offset: usize| {
        let mut heard = Vec::new();
        for number in 0..100 {
            heard.extend(beat(session).await.audio);
            session.play(Some(&numbered(offset + number)));
        }
        heard
    };
    let (by_one, by_two) = tokio::join!(run(&mut one, 0), run(&mut two, 1_000));
    for (heard, offset) in [(by_one, 1_000), (by_two, 0)] {
        assert!(heard.len() >= 94, "{} frames", heard.len());
        let expected: Vec<Frame> = (0..heard.len()).map(|number| numbered(offset + number)).collect();
        assert!(heard == expected, "frames differ");
    }
    let stats = one.stats();
    assert_eq!((stats.sent, stats.unsent, stats.lost, stats.ignored, stats.skipped), (100, 0, 0, 0, 0));
    assert_eq!(stats.lateness.count(), 100);
}

#[tokio::test]
async fn keys_arrive_once_and_in_order_both_ways() {
    let (mut one, mut two, _) = pair();
    let run = async |session: &mut Session, keys: &str| {
        for key in keys.chars() {
            session.press(Digit::from_char(key).unwrap(), Duration::from_millis(60));
        }
        let mut heard = String::new();
        for _ in 0..60 {
            while let MediaEvent::Pressed(key) = next(session).await {
                heard.push(key.as_char());
            }
            session.play(None);
        }
        heard
    };
    let (by_one, by_two) = tokio::join!(run(&mut one, "1066#"), run(&mut two, "*9A"));
    assert_eq!((by_one.as_str(), by_two.as_str()), ("*9A", "1066#"));
}
