//! A stranger who knows the media port and sends loud sound to it: the call does not notice.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use domain::audio::{AudioFormat, FRAME_BYTES};
use media::g711;
use phone::{Action, CallScript};
use test_ears::hear;
use test_realtime::{Double, Options, Part, Recogniser, Replies};
use tokio::net::UdpSocket;

use super::both_ways::{ANSWER, FAREWELL, GREETING, was_talked};
use super::stage::{Stage, double, realtime, understood};
use crate::support::installation::client;
use crate::support::record::Recording;
use crate::support::says;

/// What the stranger sends: one loud level.
const LOUD: u8 = 0x22;

/// Sends 50 packets a second from another address than the callee's.
async fn attack(media: SocketAddr) {
    let stranger = UdpSocket::bind("127.0.0.2:0").await.unwrap();
    for number in 0_u16.. {
        let mut packet = vec![0x80, 0];
        packet.extend(number.to_be_bytes());
        packet.extend((u32::from(number) * 160).to_be_bytes());
        packet.extend([6, 6, 6, 6]);
        packet.extend([LOUD; FRAME_BYTES]);
        // A port that is not open yet, or not any more, is no reason to stop.
        let _ = stranger.send_to(&packet, media).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Whether five milliseconds of that level are in the samples.
fn holds_the_strangers_sound(samples: &[i16]) -> bool {
    let level = g711::decode(AudioFormat::Pcmu, LOUD);
    samples.windows(40).any(|window| window.iter().all(|sample| sample.abs_diff(level) < 400))
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_audio_reaches_neither_engine_nor_recording() {
    let options = Options {
        replies: Replies::new([vec![Part::say(FAREWELL), Part::call("end_call", "{}")]]),
        recogniser: Recogniser::Ears(Arc::new(|samples| Some(hear(samples)))),
        ..double()
    };
    let double = Double::start(options).await;
    let assistant = realtime(&double, &format!("first_message = \"{GREETING}\""), "");
    let mut stage =
        Stage::calls(&assistant, CallScript::answering().then([Action::LISTEN, says(ANSWER)])).await;
    let media = loop {
        match stage.wire.service_media() {
            Some(media) => break media,
            None => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    };
    let attack = tokio::spawn(attack(media));
    let ended = stage.ended("completed", "assistant-ended-call").await;
    attack.abort();

    was_talked(&ended);
    let record = double.record();
    assert_eq!(record.turns.len(), 1);
    understood(&[ANSWER], &record.turns[0].samples);
    assert!(!holds_the_strangers_sound(&record.turns[0].samples), "the engine heard the stranger");
    let file = client().get(ended.record["recordingUrl"].as_str().unwrap()).send().await.unwrap();
    let recording = Recording::read(&file.bytes().await.unwrap());
    understood(&[ANSWER], &recording.left);
    assert!(!holds_the_strangers_sound(&recording.left), "the stranger was recorded");
    let facts = stage.installation.rows("SELECT facts->>'foreign_packets' FROM call_transcripts").await;
    let counted: u64 = facts[0][0].as_deref().unwrap().parse().unwrap();
    assert!(counted > 100, "{counted} packets");
}
