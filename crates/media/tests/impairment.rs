//! Two sessions across a network that loses 30 %, delays up to 100 ms, reorders, duplicates, and
//! mixes in what no RTP stack should have to see.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests say what they mean")]

mod support;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::audio::{AudioFormat, Digit, FRAME_BYTES, Frame};
use domain::ports::Detects;
use media::srtp::{Master, Suite};
use media::{MediaEvent, Negotiated, Protection, Session, Stats};
use support::{next, packet, seeds, socket, terms};
use tokio::net::UdpSocket;
use tokio::task::JoinSet;
use tokio::time::sleep;

const BEATS: u16 = 300;
const KEYS: &str = "1234567890*#";

/// Numbers that look random and are the same on every run (Marsaglia's xorshift).
struct Dice(u32);

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 % sides
    }
}

/// One direction of the bad network: what comes in on `from` may leave through `out`.
async fn impair(from: Arc<UdpSocket>, out: Arc<UdpSocket>, to: SocketAddr, mut dice: Dice) {
    let mut space = [0; 2_048];
    let mut delayed = JoinSet::new();
    for number in 0.. {
        let (length, _) = from.recv_from(&mut space).await.unwrap();
        let lost = dice.roll(10) < 3;
        let copies = if lost { 0 } else { 1 + dice.roll(10) / 8 };
        for _ in 0..copies {
            let delay = Duration::from_millis(dice.roll(100).into());
            let (out, datagram) = (out.clone(), space[..length].to_vec());
            delayed.spawn(async move {
                sleep(delay).await;
                let _ = out.send_to(&datagram, to).await;
            });
        }
        // Who comes first is believed, so the noise waits until the call is under way.
        if number > 20 {
            let _ = out.send_to(&noise(&space[..length], &mut dice), to).await;
        }
        while delayed.try_join_next().is_some() {}
    }
}

/// Something that is not part of the call, made from a packet that is.
fn noise(datagram: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut noise = datagram.to_vec();
    match dice.roll(9) {
        0 => noise.clear(),
        1 => noise.truncate(usize::try_from(dice.roll(12)).unwrap()),
        // Another version, sources and an extension beyond the end, padding beyond the start.
        2 => noise[0] = 0x40,
        3 => {
            noise.truncate(15 + usize::try_from(dice.roll(50)).unwrap());
            noise[0] = 0x9F;
        }
        4 => {
            noise[0] = 0xA0;
            *noise.last_mut().unwrap() = 0xFF;
        }
        // A payload type that nobody agreed on, another source, an event that is no key.
        5 => noise[1] = 97,
        6 => noise = packet(0, 77, dice.roll(u32::MAX), 0xDEAD_0000 | dice.roll(9_999), &[0x55; FRAME_BYTES]),
        7 => noise = packet(101, 78, dice.roll(u32::MAX), 0xDEAD_BEEF, &[99, 0, 0, 1]),
        _ => noise = (0..dice.roll(1_400)).map(|_| u8::try_from(dice.roll(256)).unwrap()).collect(),
    }
    noise
}

fn frame(number: u16) -> Frame {
    let mut frame = [0; FRAME_BYTES];
    for pair in frame.chunks_exact_mut(2) {
        pair.copy_from_slice(&number.to_be_bytes());
    }
    frame
}

struct Outcome {
    heard: Vec<Frame>,
    keys: String,
    stats: Stats,
}

/// Talks for a while, then goes on until the other side has been silent for long enough.
async fn talk(session: &mut Session) -> Outcome {
    let mut outcome = Outcome { heard: Vec::new(), keys: String::new(), stats: Stats::default() };
    for key in KEYS.chars() {
        session.press(Digit::from_char(key).unwrap(), Duration::from_millis(160));
    }
    let mut number = 0;
    while number < BEATS {
        match next(session).await {
            MediaEvent::Heard(heard) => {
                outcome.heard.extend(heard.audio);
                session.play(Some(&frame(number)));
                number += 1;
            }
            MediaEvent::Pressed(key) => outcome.keys.push(key.as_char()),
            MediaEvent::TimedOut => unreachable!("sound was coming"),
        }
    }
    loop {
        match next(session).await {
            // Silent ourselves, so that the other side comes to its end too.
            MediaEvent::Heard(heard) => outcome.heard.extend(heard.audio),
            MediaEvent::Pressed(key) => outcome.keys.push(key.as_char()),
            MediaEvent::TimedOut => break,
        }
    }
    outcome.stats = session.stats();
    outcome
}

#[tokio::test]
async fn a_bad_network_costs_sound_but_neither_order_nor_the_call() {
    across_a_bad_network(AudioFormat::Pcmu, None).await;
}

#[tokio::test]
async fn encrypted_wideband_is_no_worse_off() {
    let [first, second] = [1, 2].map(|byte| Master::new(&[byte; 30]));
    across_a_bad_network(AudioFormat::G722, Some([first, second])).await;
}

async fn across_a_bad_network(format: AudioFormat, masters: Option<[Master; 2]>) {
    let bind = async || Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
    let (near_one, near_two) = (bind().await, bind().await);
    let (here, there) = (socket(), socket());
    let (one_at, two_at) = (here.local_addr(), there.local_addr());
    let timeout = Duration::from_millis(1_500);
    let mut one = Session::new(here, seeds(1)).with_timeout(timeout);
    let mut two = Session::new(there, seeds(2)).with_timeout(timeout);
    let suite = Suite::Tag80;
    let protection = |ours, theirs| Protection { suite, ours, theirs };
    let with = |terms, protection| Negotiated { format, detects: Detects::ALL, protection, ..terms };
    let here = masters.map(|[first, second]| protection(first, second));
    let there = masters.map(|[first, second]| protection(second, first));
    one.start(with(terms(near_one.local_addr().unwrap()), here));
    two.start(with(terms(near_two.local_addr().unwrap()), there));
    let mut network = JoinSet::new();
    network.spawn(impair(near_one.clone(), near_two.clone(), two_at, Dice(0x1234_5678)));
    network.spawn(impair(near_two, near_one, one_at, Dice(0x8765_4321)));

    let outcomes = tokio::join!(talk(&mut one), talk(&mut two));

    assert_eq!(network.len(), 2);
    assert!(network.try_join_next().is_none(), "the network ran to the end");
    for Outcome { heard, keys, stats } in [outcomes.0, outcomes.1] {
        let numbers: Vec<u16> = heard.iter().map(|frame| u16::from_be_bytes([frame[0], frame[1]])).collect();
        assert!(heard.iter().zip(&numbers).all(|(heard, number)| *heard == frame(*number)), "foreign sound");
        assert!(numbers.is_sorted_by(|a, b| a < b), "out of order: {numbers:?}");
        // The keys take 12 × 12 of the beats; of the rest, 70 % arrive.
        let spoken = usize::from(BEATS) - KEYS.len() * 10;
        assert!(heard.len() * 100 >= spoken * 50, "{} of {spoken} frames", heard.len());
        assert!(numbers.last().is_some_and(|last| *last > BEATS - 30), "sound went on to the end");
        assert_eq!(keys, KEYS);
        assert!(stats.lost > 30 && stats.ignored > 150, "{stats:?}");
        // What is encrypted and comes twice is no packet at all.
        assert!(stats.duplicated > 10 || masters.is_some(), "{stats:?}");
    }
}
