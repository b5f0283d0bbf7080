//! Both directions of sound are real: words are said, and understood at the other end.

use std::sync::Arc;

use phone::{Action, CallScript};
use test_ears::{hear, words_match};
use test_realtime::{Double, Options, Part, Recogniser, Replies};

use super::stage::{Ended, Stage, double, realtime, understood};
use crate::support::says;

pub const GREETING: &str = "Hello, this is the north clinic. Will you come on Monday morning?";
pub const ANSWER: &str = "Yes, I will gladly come to see the doctor on Monday.";
pub const FAREWELL: &str = "Wonderful, thank you very much. We will see you on Monday. Goodbye.";

/// What a call was in which each side said its line.
pub fn was_talked(ended: &Ended) {
    understood(&[GREETING, FAREWELL], &ended.heard);
    let [greeting, answer, farewell] = &ended.transcript[..] else { panic!("{:?}", ended.transcript) };
    assert_eq!(greeting, &format!("Assistant: {GREETING}"));
    assert_eq!(farewell, &format!("Assistant: {FAREWELL}"));
    let said = answer.strip_prefix("Customer: ").expect("the callee's turn");
    assert!(words_match(ANSWER, said) >= 0.75, "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_realtime_engine_and_the_callee_understand_each_other_and_the_engine_hangs_up() {
    let options = Options {
        replies: Replies::new([vec![Part::say(FAREWELL), Part::call("end_call", "{}")]]),
        recogniser: Recogniser::Ears(Arc::new(|samples| Some(hear(samples)))),
        ..double()
    };
    let double = Double::start(options).await;
    let assistant = realtime(&double, &format!("first_message = \"{GREETING}\""), "");
    let mut stage =
        Stage::calls(&assistant, CallScript::answering().then([Action::LISTEN, says(ANSWER)])).await;
    let ended = stage.ended("completed", "assistant-ended-call").await;
    was_talked(&ended);
    let record = double.record();
    assert_eq!(record.turns.len(), 1);
    understood(&[ANSWER], &record.turns[0].samples);
    assert!(record.errors.is_empty(), "{:?}", record.errors);
}
