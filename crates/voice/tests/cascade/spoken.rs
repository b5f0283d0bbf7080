//! Words in both directions, in real voices: what arrives is what was said.

use std::sync::Arc;

use domain::assistant::Language;
use domain::ports::{AgentOrder, TurnId};
use test_ears::{hear, words_match};
use test_providers::{Heard, Settings, Voice, Written};

use crate::support::Call;

const ASKED: &str = "Good morning, I would like to keep my appointment on Tuesday.";
const ANSWERED: &str = "Thank you very much, that is good to hear. We shall see you on Tuesday. Goodbye.";

#[tokio::test(flavor = "multi_thread")]
async fn the_words_of_both_arrive_at_the_other() {
    // The recogniser takes its time to start.
    tokio::task::block_in_place(|| hear(&[0; 8_000]));
    let asked = speech::child::say(Language::EnglishGreatBritain, ASKED).unwrap();
    let mut call = Call::patient(Settings {
        voice: Voice::Pico(Language::EnglishUnitedStates),
        hears: Arc::new(|heard: &Heard| tokio::task::block_in_place(|| hear(&heard.samples))),
        writes: Arc::new(|_| Written::text(ANSWERED)),
        ..Settings::default()
    })
    .await;
    // A turn is noticed some time after it began.
    let (first, rest) = asked.split_at(asked.len().min(160 * 15));
    call.hears_samples(first).await;
    call.order(AgentOrder::TurnBegan(TurnId(0)));
    call.hears_samples(rest).await;
    call.order(AgentOrder::TurnEnded(TurnId(0)));
    call.order(AgentOrder::Answer);
    let told = call.answer().await;
    assert_eq!(told.broken, None);
    let (_, recognised) = &told.recognised[0];
    assert!(words_match(ASKED, recognised) >= 0.9, "{recognised}");
    assert_eq!(told.words, ANSWERED);
    let samples = told.samples();
    let heard = tokio::task::block_in_place(|| hear(&samples));
    assert!(words_match(ANSWERED, &heard) >= 0.9, "{heard}");
}
