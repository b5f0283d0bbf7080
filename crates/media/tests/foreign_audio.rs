//! What strangers send to a call's port: it is not heard, not recorded, and not answered. The callee is
//! at 127.0.0.1, a stranger at 127.0.0.2.
#![allow(clippy::unwrap_used, reason = "tests say what they mean")]

mod support;

use std::net::SocketAddr;
use std::time::Duration;

use domain::audio::{AudioFormat, FRAME_BYTES, Frame};
use domain::ids::CallId;
use domain::ports::{RecordShelf, Recorder, Recording};
use media::srtp::{Master, Stream, Suite};
use media::{DiskRecorder, Negotiated, Protection, Session, SourcePolicy, g711};
use support::{beat, packet, seeds, socket, terms};
use tokio::net::UdpSocket;

const CALLEES: Frame = [0x55; FRAME_BYTES];
const STRANGERS: Frame = [0x22; FRAME_BYTES];
const OURS: Frame = [0x33; FRAME_BYTES];

/// A call of which all that is heard is recorded, and told to an agent.
struct Call {
    session: Session,
    address: SocketAddr,
    recording: Box<dyn Recording>,
    told: Vec<Frame>,
}

impl Call {
    fn start(terms: Negotiated, recorder: &DiskRecorder) -> Self {
        let pair = socket();
        let address = pair.local_addr();
        let mut session = Session::new(pair, seeds(7));
        session.start(terms);
        let id = CallId::parse("0199a5c0-0000-7000-8000-000000000001").unwrap();
        Self { session, address, recording: recorder.begin(id, Some(AudioFormat::Pcmu)), told: Vec::new() }
    }

    async fn beats(&mut self, count: usize) {
        for _ in 0..count {
            let heard = beat(&mut self.session).await;
            self.recording.sound(heard.audio.as_ref(), Some(&OURS));
            self.told.extend(heard.audio);
            self.session.play(Some(&OURS));
        }
    }

    /// Somebody talks for so many beats.
    async fn talk(&mut self, from: &UdpSocket, ssrc: u32, first: u16, count: u16, frame: Frame) {
        for number in first..first + count {
            let datagram = packet(0, number, u32::from(number) * 160, ssrc, &frame);
            from.send_to(&datagram, self.address).await.unwrap();
            self.beats(1).await;
        }
    }
}

fn received(socket: &UdpSocket) -> usize {
    let mut count = 0;
    while socket.try_recv_from(&mut [0; 512]).is_ok() {
        count += 1;
    }
    count
}

#[tokio::test(start_paused = true)]
async fn silence_hands_the_stream_to_no_stranger() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = DiskRecorder::open(folder.path()).unwrap();
    let callee = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let stranger = UdpSocket::bind("127.0.0.2:0").await.unwrap();
    let mut call = Call::start(terms(callee.local_addr().unwrap()), &recorder);
    // Fewer than 100 beats in all: so many wait for the disk, for which the test's time does not count.
    call.talk(&stranger, 9, 0, 6, STRANGERS).await;
    call.talk(&callee, 1, 1_000, 10, CALLEES).await;
    // Longer than any silence after which a source is given up, short of the end of the call.
    for silence in [8, 15] {
        tokio::time::advance(Duration::from_secs(silence)).await;
        call.talk(&stranger, 9, 6, 8, STRANGERS).await;
        call.talk(&stranger, 1, 1_010, 8, STRANGERS).await;
    }
    call.beats(3).await;
    assert_eq!(call.session.foreign(), 38);
    assert_eq!(call.session.stats().received, 10);
    received(&callee);
    call.talk(&callee, 1, 1_010, 10, CALLEES).await;
    call.beats(20).await;
    assert_eq!((call.told.len(), call.told.contains(&STRANGERS)), (20, false));
    assert!(received(&callee) >= 30, "our audio goes to the callee");
    assert_eq!(received(&stranger), 0, "and not to the stranger");

    drop(call);
    let record = recorder.next().await.unwrap();
    let level = |frame: Frame| g711::decode(AudioFormat::Pcmu, frame[0]);
    let heard = media::wav::read_samples(record.sound.as_ref().unwrap()).unwrap();
    let share = |level| heard.iter().filter(|sample| **sample == level).count();
    assert_eq!(share(level(CALLEES)), 20 * FRAME_BYTES);
    assert_eq!(share(level(CALLEES)) + share(0), heard.len(), "nothing else was recorded");
}

#[tokio::test(start_paused = true)]
async fn with_nat_four_packets_of_a_stranger_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = DiskRecorder::open(folder.path()).unwrap();
    let callee = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let stranger = UdpSocket::bind("127.0.0.2:0").await.unwrap();
    let nat = SourcePolicy { nat: true, ..SourcePolicy::default() };
    let mut call = Call::start(Negotiated { sources: nat, ..terms(callee.local_addr().unwrap()) }, &recorder);
    call.talk(&callee, 1, 1_000, 10, CALLEES).await;
    tokio::time::advance(Duration::from_secs(8)).await;
    for round in 0..10 {
        call.talk(&stranger, 9, round * 7, 4, STRANGERS).await;
    }
    call.beats(3).await;
    assert_eq!((call.session.foreign(), received(&stranger)), (40, 0));
    call.talk(&callee, 1, 1_010, 10, CALLEES).await;
    call.beats(20).await;
    assert_eq!((call.told.len(), call.told.contains(&STRANGERS)), (20, false));
}

#[tokio::test(start_paused = true)]
async fn with_nat_silence_hands_the_stream_to_no_stranger() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = DiskRecorder::open(folder.path()).unwrap();
    let callee = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let [stranger, moved] = [UdpSocket::bind("127.0.0.2:0").await, UdpSocket::bind("127.0.0.3:0").await];
    let (stranger, moved) = (stranger.unwrap(), moved.unwrap());
    let nat = SourcePolicy { nat: true, ..SourcePolicy::default() };
    let mut call = Call::start(Negotiated { sources: nat, ..terms(callee.local_addr().unwrap()) }, &recorder);
    call.talk(&callee, 1, 1_000, 10, CALLEES).await;
    for silence in [8, 15] {
        tokio::time::advance(Duration::from_secs(silence)).await;
        call.talk(&stranger, 9, 20, 10, STRANGERS).await;
    }
    call.beats(3).await;
    assert_eq!((call.session.foreign(), received(&stranger)), (20, 0));
    // The callee's own stream goes on from elsewhere.
    call.talk(&moved, 1, 1_010, 10, CALLEES).await;
    call.beats(20).await;
    assert_eq!((call.told.len(), call.told.contains(&STRANGERS)), (16, false));
    assert_eq!(call.session.foreign(), 20, "the move was not foreign");
    assert!(received(&moved) >= 20, "our audio goes there");
    assert_eq!(received(&stranger), 0, "and not to the stranger");
}

#[tokio::test(start_paused = true)]
async fn what_srtp_authenticates_is_heard_from_any_address() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = DiskRecorder::open(folder.path()).unwrap();
    let callee = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let moved = UdpSocket::bind("127.0.0.2:0").await.unwrap();
    let [ours, theirs] = [1, 2].map(|byte| Master::new(&[byte; 30]));
    let protection = Some(Protection { suite: Suite::Tag80, ours, theirs });
    let mut call = Call::start(Negotiated { protection, ..terms(callee.local_addr().unwrap()) }, &recorder);
    // Without the key it is only counted.
    call.talk(&moved, 1, 0, 5, STRANGERS).await;
    call.beats(3).await;
    assert_eq!(call.session.foreign(), 5);
    let mut stream = Stream::new(Suite::Tag80, &theirs);
    for number in 0..10_u16 {
        let mut datagram = packet(0, number, u32::from(number) * 160, 1, &CALLEES);
        datagram.resize(datagram.len() + 10, 0);
        let length = stream.protect(&mut datagram, 172).unwrap();
        moved.send_to(datagram.get(..length).unwrap(), call.address).await.unwrap();
        call.beats(1).await;
    }
    call.beats(20).await;
    assert_eq!((call.told.len(), call.told.contains(&STRANGERS)), (10, false));
    assert!(received(&moved) >= 20, "our audio goes there");
    assert_eq!(call.session.foreign(), 5);
}
