//! Words arrive: what the callee says at the provider, what the provider says at the callee, through
//! the resampled way. A speech recogniser is the judge of both.
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

use std::sync::Arc;

use domain::assistant::Language;
use domain::audio::{AudioFormat, FRAME_BYTES};
use domain::ports::{AgentEvent, AgentOrder};
use test_ears::{hear, words_match};
use test_realtime::{Double, Options, Recogniser, Replies, say};

use support::{Call, TIMEOUTS, decoded, encoded, engines, realtime};

const QUESTION: &str =
    "Good morning, I would like to change my appointment, because I have to work on Tuesday.";
const ANSWER: &str = "Thank you very much for calling. Shall we find another time for you in the afternoon?";

#[tokio::test]
async fn both_sides_are_understood_through_the_resampler() {
    let options = Options {
        pcm_only: true,
        replies: Replies::lines(&[ANSWER]),
        recogniser: Recogniser::Ears(Arc::new(|samples| Some(hear(samples)))),
        ..Options::default()
    };
    let double = Double::start(options).await;
    let mut call = Call::open(&engines(TIMEOUTS), realtime(double.url()));
    call.begin(AudioFormat::Pcmu).await;
    let mut sound = encoded(AudioFormat::Pcmu, &say(Language::EnglishGreatBritain, QUESTION));
    sound.resize(sound.len().div_ceil(FRAME_BYTES) * FRAME_BYTES + 8_000, AudioFormat::Pcmu.silence());
    call.speak(&double, &sound, 6).await;
    // A pause in it may make two turns of it.
    let turns = double.until("the end of his turn", |record| !record.turns.is_empty()).await.turns.len();
    let mut words = String::new();
    for _ in 0..turns {
        let told = call.until(|event| matches!(event, AgentEvent::Recognised { .. })).await;
        let Some(AgentEvent::Recognised { text, .. }) = told.last() else { panic!("no words") };
        words = format!("{words} {text}");
    }
    let share = words_match(QUESTION, &words);
    assert!(share >= 0.8, "the provider understood {share} of it: {words}");

    call.order(AgentOrder::Answer);
    call.answered().await;
    let words = hear(&decoded(AudioFormat::Pcmu, &call.audio(0)));
    let share = words_match(ANSWER, &words);
    assert!(share >= 0.8, "the callee understood {share} of it: {words}");
}
