//! The callee interrupts, measured packet by packet.

use std::time::Duration;

use phone::{Action, CallScript, Sound};
use test_realtime::{Double, Options, Part, Recogniser, Replies};

use super::stage::{Stage, double, realtime};
use super::wire::{Packet, audible, first_word, frames, never_pauses, sent};
use crate::support::{says, waits};

const SPEECH: &str = "Hello, this is the north clinic, and we would like to tell you about everything that has changed since \
    your last visit, because that is a lot.";
const STOP: &str = "Stop, wait a moment, please.";
const REPLY: &str = "Of course, please go on.";

/// From the first packet of the caller's speech to the last of the assistant's.
const AT_MOST: Duration = Duration::from_millis(300);

#[tokio::test(flavor = "multi_thread")]
async fn speech_stops_within_300_ms_and_the_engine_is_told_what_was_heard() {
    let options = Options {
        replies: Replies::new([vec![Part::say(REPLY), Part::call("end_call", "{}")]]),
        recogniser: Recogniser::script([Some(STOP)]),
        ..double()
    };
    let double = Double::start(options).await;
    let assistant = realtime(&double, &format!("first_message = \"{SPEECH}\""), "");
    let script = CallScript::answering().then([waits(3_000), says(STOP)]);
    let mut stage = Stage::calls(&assistant, script).await;
    let ended = stage.ended("completed", "assistant-ended-call").await;

    let record = double.record();
    let (packets, callee) = (stage.wire.sent_by_service(), stage.wire.sent_by_callee());
    let spoken = frames(&record.spoken[0].1);
    let reply = frames(&record.spoken[1].1);
    let interrupted = first_word(&callee);
    let is_of = |packet: &&Packet| packet.is_loud() && spoken.contains(&&packet.sound[..]);
    let last = packets.iter().rfind(is_of).expect("the assistant spoke").at;
    let after = last.saturating_duration_since(interrupted);
    eprintln!("stopped {after:?} after the caller's first word");
    assert!(last > interrupted, "the assistant was not interrupted at all");
    assert!(after <= AT_MOST, "the assistant spoke on for {after:?}");
    never_pauses(&packets);

    let places = sent(&packets, &spoken);
    assert!(places.is_sorted() && places.windows(2).all(|pair| pair[0] < pair[1]), "{places:?}");
    let heard = places.last().unwrap() + 1;
    let [(item, ms)] = &record.truncated[..] else { panic!("{:?}", record.truncated) };
    assert_eq!(item, &record.spoken[0].0);
    let ms = usize::try_from(*ms).unwrap();
    assert!((heard * 20..=heard * 20 + 60).contains(&ms), "told {ms} ms, heard {heard} frames");
    assert!(record.errors.is_empty(), "{:?}", record.errors);

    let [said, stop, replied] = &ended.transcript[..] else { panic!("{:?}", ended.transcript) };
    let said = said.strip_prefix("Assistant: ").unwrap().strip_suffix('…').expect("an unfinished turn");
    assert!(SPEECH.starts_with(said.trim_end()) && said.len() > 20, "{said}");
    assert_eq!(
        (stop.as_str(), replied.as_str()),
        (&*format!("Customer: {STOP}"), &*format!("Assistant: {REPLY}"))
    );
    let wholly = sent(&packets, &reply);
    assert!(wholly.is_sorted() && wholly.len() * 2 > reply.len(), "{} of {}", wholly.len(), reply.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cough_costs_nothing_of_what_is_said() {
    let options = Options {
        replies: Replies::new([vec![Part::say(REPLY), Part::call("end_call", "{}")]]),
        recogniser: Recogniser::script([None, None, None]),
        ..double()
    };
    let double = Double::start(options).await;
    let assistant = realtime(&double, &format!("first_message = \"{SPEECH}\""), "");
    // To the detector of speech the first is nothing at all, and the second might become a word.
    let (cough, hum) = (Sound::Noise { length: Duration::from_millis(240) }, says("Huh."));
    let script = CallScript::answering().then([
        waits(2_000),
        Action::Say(cough),
        waits(1_000),
        hum,
        Action::LISTEN,
        says("Thank you, I see."),
    ]);
    let mut stage = Stage::calls(&assistant, script).await;
    let ended = stage.ended("completed", "assistant-ended-call").await;
    let record = double.record();
    let spoken = frames(&record.spoken[0].1);
    let packets = stage.wire.sent_by_service();
    never_pauses(&packets);
    let places = sent(&packets, &spoken);
    let told = audible(&spoken);
    assert_eq!(places, told, "{:?}", ended.transcript);
    // It did pause: what was said took longer than what there was to say.
    let when = |frame: &[u8]| packets.iter().find(|packet| packet.sound == frame).unwrap().at;
    let took = when(spoken[*told.last().unwrap()]) - when(spoken[told[0]]);
    let held = took
        .saturating_sub(Duration::from_millis(20) * u32::try_from(told.last().unwrap() - told[0]).unwrap());
    eprintln!("held for {held:?}; {} turns", record.turns.len());
    assert!(held >= Duration::from_millis(200), "it spoke on over the cough");
    assert!(record.truncated.is_empty(), "{:?}", record.truncated);
    assert_eq!(ended.transcript[0], format!("Assistant: {SPEECH}"));
}
