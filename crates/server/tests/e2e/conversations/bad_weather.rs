//! A wire that loses, delays, repeats and garbles what goes over it.

use std::sync::Arc;
use std::time::Duration;

use phone::{Action, CallScript, Happening};
use test_ears::{hear, words_match};
use test_realtime::{Double, Options, Recogniser, Replies};

use super::both_ways::{ANSWER, FAREWELL, GREETING};
use super::stage::{Stage, double, realtime};
use super::wire::Weather;
use crate::support::says;

const STORM: Weather = Weather { lost: 30, twice: 10, late: Duration::from_millis(100), malformed: 10 };

#[tokio::test(flavor = "multi_thread")]
async fn a_call_goes_on_in_a_storm_and_most_of_it_is_understood() {
    let options = Options {
        replies: Replies::lines(&[FAREWELL]),
        recogniser: Recogniser::Ears(Arc::new(|samples| Some(hear(samples)))),
        ..double()
    };
    let double = Double::start(options).await;
    let assistant = realtime(&double, &format!("first_message = \"{GREETING}\""), "");
    let script = CallScript::answering().then([Action::LISTEN, says(ANSWER), Action::LISTEN, Action::HangUp]);
    let mut stage = Stage::calls_in(STORM, &assistant, script).await;
    let ended = stage.ended("completed", "customer-ended-call").await;
    assert!(!ended.story.contains(&Happening::MediaTimedOut));
    let record = double.record();
    let turns: Vec<i16> = record.turns.iter().flat_map(|turn| turn.samples.clone()).collect();
    let (callee, engine) = (hear(&ended.heard), hear(&turns));
    let both = format!("{GREETING} {FAREWELL}");
    let shares = (words_match(&both, &callee), words_match(ANSWER, &engine));
    assert!(shares.0 >= 0.4 && shares.1 >= 0.4, "{shares:?}: {callee:?} / {engine:?}");
    assert!(!stage.installation.log().contains("panicked"));
}
