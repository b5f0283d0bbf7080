//! Two sessions that talk to each other over loopback.
#![allow(clippy::unwrap_used, reason = "tests say what they mean")]

mod support;

use std::time::Duration;

use domain::audio::{AudioFormat, Digit, Frame};
use media::{Direction, MediaEvent, Negotiated, Session};
use support::{beat, next, numbered, pair, socket, terms};

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
        assert!(heard.len() >= 90, "{} frames", heard.len());
        // A busy machine may cost frames, but never change or misplace one.
        let mut played = (0..100).map(|number| numbered(offset + number));
        assert!(heard.iter().all(|heard| played.any(|frame| frame == *heard)), "frames differ");
    }
    let stats = one.stats();
    assert_eq!((stats.unsent, stats.lost, stats.ignored), (0, 0, 0));
    assert_eq!((stats.sent, stats.lateness.count()), (100, 100));
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

#[tokio::test]
async fn a_key_without_telephone_event_is_counted_not_sent() {
    let (mut one, _two, [_, remote]) = pair();
    one.start(Negotiated { telephone_event: None, ..terms(remote) });
    one.press(Digit::from_char('1').unwrap(), Duration::from_millis(60));
    beat(&mut one).await;
    one.play(None);
    assert_eq!(one.stats().unsent_keys, 1);
}

/// Runs both sides for so many beats; each plays `frames` and tells what it heard.
async fn exchange(one: &mut Session, two: &mut Session, beats: u32, frames: &[Frame; 2]) -> [Vec<Frame>; 2] {
    let run = async |session: &mut Session, frame: &Frame| {
        let mut heard = Vec::new();
        for _ in 0..beats {
            heard.extend(beat(session).await.audio);
            session.play(Some(frame));
        }
        heard
    };
    let [here, there] = frames;
    let (by_one, by_two) = tokio::join!(run(one, here), run(two, there));
    [by_one, by_two]
}

#[tokio::test]
async fn hold_stops_the_held_side_and_resuming_brings_it_back() {
    let (mut one, mut two, [first, second]) = pair();
    let frames = [[1; 160], [2; 160]];
    exchange(&mut one, &mut two, 20, &frames).await;
    one.start(Negotiated { direction: Direction::SendOnly, ..terms(second) });
    two.start(Negotiated { direction: Direction::ReceiveOnly, ..terms(first) });
    let sent_before = two.stats().sent;
    let [by_one, by_two] = exchange(&mut one, &mut two, 20, &frames).await;
    assert!(by_one.is_empty(), "who holds hears nothing");
    assert!(by_two.len() >= 15, "who is held hears the music");
    assert_eq!(two.stats().sent, sent_before, "who is held sends nothing");

    one.start(terms(second));
    two.start(terms(first));
    let [by_one, _] = exchange(&mut one, &mut two, 20, &frames).await;
    assert!(by_one.len() >= 12 && by_one.iter().all(|frame| *frame == [2; 160]));
}

#[tokio::test]
async fn a_new_agreement_changes_address_and_format() {
    let (mut one, mut two, [first, _]) = pair();
    exchange(&mut one, &mut two, 20, &[[1; 160], [2; 160]]).await;
    let moved = socket();
    let address = moved.local_addr();
    let alaw = |remote| Negotiated { format: AudioFormat::Pcma, payload_type: 8, ..terms(remote) };
    drop(two);
    let mut two = Session::new(moved, support::seeds(3));
    one.start(alaw(address));
    two.start(alaw(first));
    let [by_one, by_two] = exchange(&mut one, &mut two, 30, &[[3; 160], [4; 160]]).await;
    assert!(by_two.len() >= 20 && by_two.iter().all(|frame| *frame == [3; 160]));
    assert!(by_one.len() >= 20 && by_one.iter().all(|frame| *frame == [4; 160]), "{}", by_one.len());
}

#[test]
fn a_session_is_made_anywhere_and_runs_where_it_is_polled() {
    let (mut one, mut two, _) = pair();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let [by_one, by_two] = runtime.block_on(exchange(&mut one, &mut two, 20, &[[1; 160], [2; 160]]));
    assert!(by_one.len() >= 12 && by_two.len() >= 12);
    drop(one);
}
