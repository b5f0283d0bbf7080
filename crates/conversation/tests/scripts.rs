//! Calls that follow their script.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it means"
)]

mod stage;

use std::time::Duration;

use conversation::{Conversation, Input, Millis, Opening, Output};
use domain::assistant::{Awaited, CallLimits, Engine, Script};
use domain::audio::AudioFormat;
use domain::call::EndedReason;
use domain::variables::Variables;
use stage::{Stage, Voice, assistant, audio, filling, script, step};

fn survey() -> Script {
    Script {
        steps: vec![
            step(Awaited::Speech, Some("Thank you. Press one or two."), &[]),
            step(Awaited::Digits(1), Some("Never mind."), &[("1", "One it is."), ("2", "Two it is.")]),
        ],
        closing_line: Some("Goodbye.".into()),
        ..script("Hello, how are you?")
    }
}

#[test]
fn a_first_message_and_a_closing_line_are_said_and_200_ms_later_the_assistant_hangs_up() {
    let mut stage = Stage::with(&Script { closing_line: Some("Bye.".into()), ..script("Hello.") });
    let (at, reason) = stage.silence_until_the_end(10_000);
    // 18 frames, 12 frames and 10 of silence; the end comes with the beat after them.
    assert_eq!((at, reason), (820, EndedReason::AssistantEndedCall));
    assert_eq!(stage.begun(), [(20, "Hello."), (380, "Bye.")]);
    assert_eq!(stage.transcript(), ["[00:00] Assistant: Hello.", "[00:00] Assistant: Bye."]);
}

#[test]
fn steps_wait_for_speech_then_keys_and_the_transcript_shows_what_was_heard() {
    let mut stage = Stage::with(&survey());
    stage.silence_until_quiet();
    stage.silence(1000);
    stage.speech(2300);
    stage.silence(500);
    stage.silence_until_quiet();
    stage.press("2");
    let (_, reason) = stage.silence_until_the_end(10_000);
    assert_eq!(reason, EndedReason::AssistantEndedCall);
    assert_eq!(
        stage.transcript(),
        [
            "[00:00] Assistant: Hello, how are you?",
            "[00:02] Customer: [caller spoke, 2.3 s]",
            "[00:04] Assistant: Thank you. Press one or two.",
            "[00:06] Customer: [pressed 2]",
            "[00:06] Assistant: Two it is.",
            "[00:07] Assistant: Goodbye.",
        ]
    );
}

#[test]
fn speech_does_not_answer_for_keys_nor_keys_for_speech() {
    let mut stage = Stage::with(&survey());
    stage.silence_until_quiet();
    stage.press("1");
    stage.silence(1000);
    assert_eq!(stage.said(), ["Hello, how are you?"], "a key is no speech");
    stage.speech(400);
    stage.silence(600);
    stage.silence_until_quiet();
    stage.speech(3000);
    stage.silence(1000);
    assert_eq!(stage.said().len(), 2, "speech is no key");
    stage.press("7");
    stage.silence_until_the_end(10_000);
    assert_eq!(stage.said()[2..], ["Never mind.", "Goodbye."], "no reply matches 7");
}

#[test]
fn so_many_keys_or_fewer_ended_by_a_hash_make_an_answer() {
    let keyed = |keys| {
        let digits =
            step(Awaited::Digits(3), Some("Other."), &[("123", "All."), ("12", "Two."), ("#", "Hash.")]);
        let mut stage = Stage::with(&Script { steps: vec![digits], ..script("Keys, please.") });
        stage.silence_until_quiet();
        stage.press(keys);
        stage.silence(500);
        stage.said().get(1).map(ToString::to_string)
    };
    assert_eq!(keyed("12"), None);
    assert_eq!(keyed("123").as_deref(), Some("All."));
    assert_eq!(keyed("12#").as_deref(), Some("Two."));
    assert_eq!(keyed("#").as_deref(), Some("Hash."));
    assert_eq!(keyed("9*#").as_deref(), Some("Other."));
}

#[test]
fn a_step_for_speech_or_a_key_takes_whichever_comes_first() {
    let either = step(Awaited::SpeechOrDigit, Some("I hear you."), &[("1", "One.")]);
    let script = Script { steps: vec![either], ..script("Speak or press.") };
    for (press, said) in [(true, "One."), (false, "I hear you.")] {
        let mut stage = Stage::with(&script);
        stage.silence_until_quiet();
        if press {
            stage.press("1");
        } else {
            stage.speech(300);
        }
        let (_, reason) = stage.silence_until_the_end(10_000);
        assert_eq!((stage.said()[1], reason), (said, EndedReason::AssistantEndedCall));
    }
}

#[test]
fn a_step_without_words_goes_straight_on() {
    let steps = vec![step(Awaited::Speech, None, &[]), step(Awaited::Digits(1), Some("Done."), &[])];
    let mut stage = Stage::with(&Script { steps, ..script("Hello.") });
    stage.silence_until_quiet();
    stage.speech(400);
    stage.silence(600);
    stage.press("5");
    stage.silence_until_the_end(5000);
    assert_eq!(stage.said(), ["Hello.", "Done."]);
}

#[test]
fn every_line_can_be_spoken_ahead_the_first_one_first_with_its_places_filled() {
    let mut script = survey();
    script.first_message = "Hello {{name}}.".into();
    script.steps[0].say = Some("  {{nothing}} ".into());
    script.reprompt = Some("Goodbye.".into());
    let values = Variables::from([("name".into(), "Ada".into())]);
    let assistant = assistant(Engine::Builtin(script), CallLimits::default());
    assert_eq!(
        Conversation::lines(&assistant, &filling(&assistant, &values)),
        ["Hello Ada.", "Never mind.", "One it is.", "Two it is.", "Goodbye."]
    );
}

#[test]
fn a_late_line_is_awaited_in_silence_for_5_s_and_then_the_assistant_has_failed() {
    let mut stage = Stage::new(&script("Hello."), CallLimits::default(), Voice::After(245));
    stage.silence(4900);
    assert_eq!(stage.said(), [""; 0]);
    stage.silence(40);
    assert_eq!(stage.said(), ["Hello."]);

    let mut stage = Stage::new(&script("Hello."), CallLimits::default(), Voice::Dead);
    assert_eq!(stage.silence_until_the_end(10_000), (5000, EndedReason::AssistantError));
}

#[test]
fn a_line_that_fails_ends_the_call_only_when_it_is_due() {
    let mut stage = Stage::new(&survey(), CallLimits::default(), Voice::FailsAt(0));
    assert_eq!(stage.silence_until_the_end(1000), (20, EndedReason::AssistantError));

    let mut stage = Stage::new(&survey(), CallLimits::default(), Voice::FailsAt(1));
    stage.silence_until_quiet();
    assert_eq!(stage.ended, None);
    stage.speech(300);
    let (_, reason) = stage.silence_until_the_end(1000);
    assert_eq!(reason, EndedReason::AssistantError);
}

#[test]
fn audio_in_another_format_is_no_audio() {
    let assistant = assistant(Engine::Builtin(script("Hello.")), CallLimits::default());
    let filling = filling(&assistant, &Variables::new());
    let opening = Opening { assistant: &assistant, filling: &filling, format: AudioFormat::Pcma };
    let mut call = Conversation::begin(opening);
    let Some(Output::Synthesise { line, text }) = call.next_output() else {
        panic!("the first line is asked for")
    };
    call.handle(Millis(0), Input::LineReady { line, audio: audio(line, &text) });
    call.handle(Millis(20), Input::Heard { speech: false, tone: false });
    assert_eq!(call.next_output(), Some(Output::End(EndedReason::AssistantError)));
}

#[test]
fn a_call_ended_from_outside_closes_the_turns_under_way() {
    let mut stage = Stage::with(&script("A rather long first message."));
    stage.silence(600);
    stage.speech(400);
    stage.call.handle(Millis(stage.now), Input::Over(EndedReason::CustomerEndedCall));
    stage.drain();
    assert_eq!(stage.ended, Some((1000, EndedReason::CustomerEndedCall)));
    assert_eq!(
        stage.transcript(),
        ["[00:00] Assistant: A rather long…", "[00:00] Customer: [caller spoke, 0.4 s]"]
    );
    stage.beat(true);
    assert!(stage.call.next_output().is_none(), "nothing follows");
}

#[test]
fn the_length_limit_ends_the_call_at_its_very_moment_whatever_is_being_said() {
    let limits = CallLimits { max_duration: Duration::from_secs(2), ..CallLimits::default() };
    let text = "word ".repeat(100);
    let mut stage = Stage::new(&script(&text), limits, Voice::After(0));
    stage.speech(1000);
    assert_eq!(stage.silence_until_the_end(5000), (2000, EndedReason::ExceededMaxDuration));
}
