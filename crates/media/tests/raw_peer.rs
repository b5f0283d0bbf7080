//! A session against a bare UDP socket, which sees and sends every byte.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests say what they mean")]

mod support;

use std::net::SocketAddr;
use std::time::Duration;

use domain::audio::FRAME_BYTES;
use media::srtp::{Master, Stream, Suite};
use media::{MediaEvent, Negotiated, Protection, Session};
use support::{beat, next, packet, seeds, socket, terms};
use tokio::net::UdpSocket;
use tokio::time::{Instant, timeout};

const DEADLINE: Duration = Duration::from_secs(10);

async fn receive(peer: &UdpSocket) -> (Vec<u8>, SocketAddr) {
    let mut space = [0; 2_048];
    let (length, from) = timeout(DEADLINE, peer.recv_from(&mut space)).await.unwrap().unwrap();
    (space[..length].to_vec(), from)
}

/// A session that was told to send to `remote`, and its address.
fn session(remote: SocketAddr) -> (Session, SocketAddr) {
    let socket = socket();
    let address = socket.local_addr();
    let mut session = Session::new(socket, seeds(7));
    session.start(terms(remote));
    (session, address)
}

#[tokio::test]
async fn packets_leave_every_20_ms_with_running_numbers() {
    let peer = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let (mut session, _) = session(peer.local_addr().unwrap());
    let begin = Instant::now();
    for _ in 0..50 {
        beat(&mut session).await;
        session.play(Some(&[5; FRAME_BYTES]));
    }
    let elapsed = begin.elapsed();
    // What a busy machine makes us leave out shows in the timestamps, not in the pace.
    let skipped = u32::try_from(session.stats().skipped).unwrap();
    let due = Duration::from_millis(20) * (49 + skipped);
    assert!(elapsed + Duration::from_millis(5) >= due, "50 beats took {elapsed:?}, {skipped} were skipped");
    assert!(elapsed <= due + Duration::from_millis(200), "50 beats took {elapsed:?}, {skipped} were skipped");
    let mut last = 0;
    for number in 0..50_u16 {
        let (datagram, _) = receive(&peer).await;
        let sequence = (u16::MAX - 5).wrapping_add(number);
        last = u32::from_be_bytes(datagram[4..8].try_into().unwrap());
        let marker = datagram[1];
        assert!(marker == 0x80 || number > 0 && marker == 0);
        assert_eq!(datagram, packet(marker, sequence, last, 7, &[5; FRAME_BYTES]));
    }
    assert_eq!(last, (u32::MAX - 1_000).wrapping_add((49 + skipped) * 160));
}

#[tokio::test]
async fn our_key_stream_goes_on_when_only_the_other_side_has_a_new_key() {
    let peer = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let (mut session, _) = session(peer.local_addr().unwrap());
    let ours = Master::new(&[1; 30]);
    let mut stream = Stream::new(Suite::Tag80, &ours);
    // The sequence numbers wrap around after six packets.
    for theirs in [2, 2, 3].map(|byte| Master::new(&[byte; 30])) {
        let protection = Some(Protection { suite: Suite::Tag80, ours, theirs });
        session.start(Negotiated { protection, ..terms(peer.local_addr().unwrap()) });
        for _ in 0..10 {
            beat(&mut session).await;
            session.play(Some(&[5; FRAME_BYTES]));
            let (mut datagram, _) = receive(&peer).await;
            let plain = stream.open(&mut datagram).expect("a packet under a key stream that was used before");
            assert_eq!(plain[12..], [5; FRAME_BYTES]);
        }
    }
}

#[tokio::test]
async fn after_a_stall_three_beats_are_caught_up_and_the_rest_left_out() {
    let peer = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let (mut session, _) = session(peer.local_addr().unwrap());
    beat(&mut session).await;
    session.play(None);
    let (first, _) = receive(&peer).await;
    std::thread::sleep(Duration::from_millis(210));
    for _ in 0..3 {
        beat(&mut session).await;
        session.play(None);
    }
    let skipped = u32::try_from(session.stats().skipped).unwrap();
    assert!(skipped >= 7, "{skipped} beats were left out");
    for number in 0..3 {
        let (datagram, _) = receive(&peer).await;
        let stamp = |datagram: &[u8]| u32::from_be_bytes(datagram[4..8].try_into().unwrap());
        let gap = stamp(&datagram).wrapping_sub(stamp(&first)) / 160;
        assert!((1 + number..=1 + number + skipped).contains(&gap), "{gap} beats after the first");
        assert_eq!(u32::from(datagram[3]), (u32::from(first[3]) + number + 1) % 256);
    }
}

#[tokio::test]
async fn packets_go_where_the_first_good_one_came_from() {
    let named = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let real = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let stranger = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let (mut session, address) = session(named.local_addr().unwrap());
    beat(&mut session).await;
    session.play(None);
    receive(&named).await;

    stranger.send_to(b"GET / HTTP/1.1", address).await.unwrap();
    stranger.send_to(&packet(8, 1, 0, 9, &[0; 160]), address).await.unwrap();
    real.send_to(&packet(0, 1, 0, 1, &[0; 160]), address).await.unwrap();
    stranger.send_to(&packet(0, 1, 0, 9, &[0; 160]), address).await.unwrap();
    while session.stats().received == 0 || session.stats().ignored < 3 {
        beat(&mut session).await;
        session.play(None);
    }
    beat(&mut session).await;
    session.play(Some(&[9; FRAME_BYTES]));
    loop {
        let (datagram, from) = receive(&real).await;
        assert_eq!(from, address);
        if datagram[12..] == [9; FRAME_BYTES] {
            break;
        }
    }
    assert_eq!(session.stats().received, 1);
}

#[tokio::test]
async fn silence_on_the_wire_times_out_once_and_again_after_sound() {
    let peer = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let pair = socket();
    let address = pair.local_addr();
    let mut session = Session::new(pair, seeds(7)).with_timeout(Duration::from_millis(200));
    session.start(terms(peer.local_addr().unwrap()));
    for round in 0..2_u16 {
        let mut beats = 0;
        let mut timeouts = 0;
        while beats < 25 {
            match next(&mut session).await {
                MediaEvent::TimedOut => timeouts += 1,
                _ => beats += 1,
            }
        }
        assert_eq!(timeouts, 1, "round {round}");
        peer.send_to(&packet(0, round, 0, 1, &[0; 160]), address).await.unwrap();
        while session.stats().received <= u64::from(round) {
            beat(&mut session).await;
        }
    }
}

#[tokio::test]
async fn reports_are_sent_and_the_end_is_a_bye() {
    let (audio, reports, remote) = loop {
        let audio = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let remote = audio.local_addr().unwrap();
        let Some(port) = remote.port().checked_add(1) else { continue };
        if let Ok(control) = UdpSocket::bind(("127.0.0.1", port)).await {
            break (audio, control, remote);
        }
    };
    let (mut session, address) = session(remote);
    let control = SocketAddr::new(address.ip(), address.port() + 1);
    for number in 0..30_u16 {
        audio.send_to(&packet(0, number, u32::from(number) * 160, 1, &[0; 160]), address).await.unwrap();
        beat(&mut session).await;
        session.play(None);
    }
    // A sender report of ours, and nonsense beside it.
    let mut report = vec![0x80, 200, 0, 6, 0, 0, 0, 1, 0, 0, 0xAB, 0xCD, 0x12, 0x34, 0, 0];
    report.extend([0; 12]);
    for datagram in [&report[..], b"nonsense", &[0x81, 203, 0xFF, 0xFF], &[]] {
        reports.send_to(datagram, control).await.unwrap();
    }
    let first = async {
        let (datagram, from) = receive(&reports).await;
        assert_eq!(from, control);
        datagram
    };
    tokio::pin!(first);
    let first = loop {
        tokio::select! {
            datagram = &mut first => break datagram,
            _ = beat(&mut session) => session.play(None),
        }
    };
    assert_eq!(first[..8], [0x81, 200, 0, 12, 0, 0, 0, 7], "a sender report of SSRC 7 with one block");
    assert_eq!(first[28..32], [0, 0, 0, 1], "about SSRC 1");
    assert_eq!(first[36..40], [0, 1, 0, 29], "up to sequence 29");
    assert_eq!(first[44..48], [0xAB, 0xCD, 0x12, 0x34], "our report is named");
    assert_eq!(first[52..], [&[0x81, 202, 0, 4, 0, 0, 0, 7, 1, 6][..], b"side-7\0\0\0\0"].concat());
    drop(session);
    let (last, _) = receive(&reports).await;
    assert_eq!(last[last.len() - 8..], [0x81, 203, 0, 1, 0, 0, 0, 7]);
}
