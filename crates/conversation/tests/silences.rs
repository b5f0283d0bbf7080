//! Calls in which nobody speaks.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it means"
)]

mod stage;

use std::time::Duration;

use domain::assistant::{Awaited, CallLimits, Script};
use domain::call::EndedReason;
use stage::{Stage, Voice, script, step};

const HELLO: &str = "Hello, who is it?";
/// When that line is over: its first frame is played in the first beat.
const HELLO_OVER: u64 = 17 * 60 + 20;

fn question(reprompt: Option<&str>) -> Script {
    let steps = vec![step(Awaited::Digits(2), Some("Thanks."), &[("12", "Twelve.")])];
    Script { steps, reprompt: reprompt.map(Into::into), ..script(HELLO) }
}

#[test]
fn a_silent_callee_is_asked_again_and_the_call_ends_at_the_silence_limit() {
    let mut stage = Stage::with(&question(Some("Are you there?")));
    assert_eq!(stage.silence_until_the_end(60_000), (HELLO_OVER + 30_000, EndedReason::SilenceTimedOut));
    let asked = 14 * 60;
    assert_eq!(
        stage.begun(),
        [
            (20, HELLO),
            (HELLO_OVER + 10_000, "Are you there?"),
            (HELLO_OVER + 20_000 + asked, "Are you there?"),
        ]
    );
}

#[test]
fn without_a_reprompt_the_last_line_is_repeated() {
    let mut stage = Stage::with(&question(None));
    stage.silence(12_000);
    assert_eq!(stage.said(), [HELLO, HELLO]);
}

#[test]
fn words_that_do_not_fit_into_the_silence_left_are_not_begun() {
    let limits = CallLimits { silence: Duration::from_secs(11), ..CallLimits::default() };
    let mut stage = Stage::new(&question(Some(&"Are you there? ".repeat(4))), limits, Voice::After(0));
    assert_eq!(stage.silence_until_the_end(60_000), (HELLO_OVER + 11_000, EndedReason::SilenceTimedOut));
    assert_eq!(stage.said(), [HELLO]);
}

#[test]
fn every_word_and_key_of_the_callee_starts_the_silence_anew() {
    let mut stage = Stage::with(&question(None));
    stage.silence(9000);
    stage.speech(300);
    let spoke_until = stage.now;
    stage.silence(9900);
    assert_eq!(stage.said(), [HELLO], "he spoke less than 10 s ago");
    stage.press("1");
    let pressed = stage.now;
    assert!(pressed > spoke_until);
    assert_eq!(stage.silence_until_the_end(60_000), (pressed + 30_000, EndedReason::SilenceTimedOut));
}

#[test]
fn asking_again_forgets_the_keys_of_half_an_answer() {
    let mut stage = Stage::with(&question(None));
    stage.silence_until_quiet();
    stage.press("9");
    stage.silence(10_100);
    assert_eq!(stage.said(), [HELLO, HELLO]);
    stage.press("12");
    stage.silence(100);
    assert_eq!(stage.said()[2], "Twelve.");
}

#[test]
fn noises_do_not_defeat_the_silence_limit() {
    let mut stage = Stage::with(&question(None));
    while stage.ended.is_none() && stage.now < 120_000 {
        stage.speech(100);
        stage.silence(900);
    }
    assert_eq!(stage.ended.map(|(_, reason)| reason), Some(EndedReason::SilenceTimedOut));
    assert!(stage.now < HELLO_OVER + 32_000);
}

#[test]
fn a_long_line_of_the_assistant_is_no_silence() {
    let limits = CallLimits { silence: Duration::from_secs(2), ..CallLimits::default() };
    let text = "word ".repeat(40);
    let over = 199 * 60 + 20;
    let mut stage = Stage::new(&script(text.trim_end()), limits, Voice::After(0));
    assert_eq!(stage.silence_until_the_end(60_000), (over + 2000, EndedReason::SilenceTimedOut));
    assert_eq!(stage.said().len(), 1, "nothing waits, so nothing is asked again");
}

#[test]
fn a_listener_without_steps_ends_by_the_silence_or_length_limit_alone() {
    let limits = CallLimits { max_duration: Duration::from_mins(1), ..CallLimits::default() };
    let mut stage = Stage::new(&script("Go on."), limits, Voice::After(0));
    while stage.ended.is_none() {
        stage.speech(3000);
        stage.silence(3000);
    }
    assert_eq!(stage.ended, Some((60_000, EndedReason::ExceededMaxDuration)));
}
