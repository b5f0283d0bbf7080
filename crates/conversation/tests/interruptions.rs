//! Calls in which both speak at once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it means"
)]

mod stage;

use conversation::Output;
use domain::assistant::{Awaited, Script};
use domain::call::EndedReason;
use stage::{Stage, script, step};

const QUESTION: &str = "Would you like to keep your appointment next Monday?";

fn question(wait_for: Awaited) -> Script {
    Script { steps: vec![step(wait_for, Some("Thank you."), &[])], ..script(QUESTION) }
}

/// How many frames were played, and how many beats were silent, after a moment.
fn beats_after(stage: &Stage, at: u64) -> (usize, usize) {
    let count = |wanted: fn(&Output) -> bool| {
        stage.log.iter().filter(|(then, output)| *then > at && wanted(output)).count()
    };
    (count(|output| matches!(output, Output::Play(_))), count(|output| matches!(output, Output::Silence)))
}

#[test]
fn a_word_in_passing_holds_the_line_and_it_goes_on_where_it_stopped() {
    let mut stage = Stage::with(&question(Awaited::Speech));
    stage.silence(1200);
    stage.speech(400);
    stage.silence(400);
    // 180 ms until it is speech, then the hold until 500 ms after the word.
    assert_eq!(beats_after(&stage, 1200), (9, 31));
    stage.silence(200);
    stage.silence_until_quiet();
    assert_eq!(stage.said(), [QUESTION], "a word in passing answers nothing");
    let frames = stage.log.iter().filter(|(_, output)| matches!(output, Output::Play(_))).count();
    assert_eq!(frames, QUESTION.len() * 3, "every frame was played");
}

#[test]
fn a_noise_does_not_even_hold_the_line() {
    let mut stage = Stage::with(&question(Awaited::Speech));
    stage.silence(1200);
    stage.speech(180);
    stage.silence(500);
    assert_eq!(beats_after(&stage, 1200), (34, 0));
}

#[test]
fn an_interruption_drops_the_rest_and_is_the_answer() {
    let mut stage = Stage::with(&question(Awaited::Speech));
    stage.silence(1200);
    stage.speech(900);
    let (_, reason) = stage.silence_until_the_end(5000);
    assert_eq!(reason, EndedReason::AssistantEndedCall);
    assert_eq!(
        stage.transcript(),
        [
            "[00:00] Assistant: Would you like to keep…",
            "[00:01] Customer: [caller spoke, 0.9 s]",
            "[00:02] Assistant: Thank you.",
        ]
    );
}

#[test]
fn a_short_answer_over_the_last_words_counts() {
    let mut stage = Stage::with(&question(Awaited::Speech));
    let length = u64::try_from(QUESTION.len()).unwrap() * 60;
    stage.silence(length - 800);
    stage.speech(300);
    stage.silence(600);
    assert_eq!(stage.said(), [QUESTION, "Thank you."]);
}

#[test]
fn the_greeting_holds_the_first_message_but_answers_nothing() {
    let mut stage = Stage::with(&question(Awaited::Speech));
    stage.silence(500);
    stage.speech(1500);
    stage.silence(500);
    stage.silence_until_quiet();
    assert_eq!(stage.said(), [QUESTION]);
    assert_eq!(
        stage.transcript(),
        [format!("[00:00] Assistant: {QUESTION}"), "[00:00] Customer: [caller spoke, 1.5 s]".into()]
    );
    stage.speech(300);
    stage.silence(600);
    assert_eq!(stage.said(), [QUESTION, "Thank you."]);
}

#[test]
fn speech_that_cannot_be_an_answer_holds_the_line_for_at_most_5_s() {
    let mut stage = Stage::with(&question(Awaited::Digits(1)));
    stage.silence(1000);
    stage.speech(6000);
    assert_eq!(beats_after(&stage, 1000), (9 + 41, 250));
    stage.speech(2000);
    assert_eq!(stage.said(), [QUESTION], "nor does it drop it");
}

#[test]
fn a_key_that_is_waited_for_drops_the_line_and_another_does_not() {
    let mut stage = Stage::with(&question(Awaited::SpeechOrDigit));
    stage.silence(1000);
    stage.press("1");
    stage.silence(40);
    assert_eq!(stage.said(), [QUESTION, "Thank you."]);

    let mut stage = Stage::with(&question(Awaited::Speech));
    stage.silence(1000);
    stage.press("1");
    stage.silence(1000);
    assert_eq!(beats_after(&stage, 1000), (50, 0));
}

#[test]
fn the_first_of_several_keys_drops_the_line() {
    let mut stage = Stage::with(&question(Awaited::Digits(4)));
    stage.silence(1000);
    stage.press("4");
    stage.silence(1000);
    assert_eq!(beats_after(&stage, 1000), (0, 50));
    stage.press("711");
    stage.silence(40);
    assert_eq!(stage.said(), [QUESTION, "Thank you."]);
}

#[test]
fn the_closing_line_waits_for_the_callee_to_finish() {
    let mut stage =
        Stage::with(&Script { closing_line: Some("Thank you and goodbye.".into()), ..script("Hello.") });
    stage.silence(300);
    stage.speech(2000);
    let (_, reason) = stage.silence_until_the_end(5000);
    assert_eq!(reason, EndedReason::AssistantEndedCall);
    assert_eq!(stage.transcript().len(), 3);
    assert!(stage.begun()[1].0 >= 2300, "it began after his turn: {:?}", stage.begun());
}
