//! Calls at random: whatever the callee does, what is played is in order and the call ends.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it means"
)]

mod stage;

use std::time::Duration;

use conversation::{Output, Turn};
use domain::assistant::{Awaited, CallLimits, Script, Step};
use domain::call::EndedReason;
use proptest::prelude::*;
use stage::{Stage, Voice, step, told_by};

/// What the callee does for a while.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Silence(u64),
    Speech(u64),
    Key(char),
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        3 => (1u64..400).prop_map(|beats| Deed::Silence(beats * 20)),
        1 => (400u64..1500).prop_map(|beats| Deed::Silence(beats * 20)),
        3 => (1u64..60).prop_map(|beats| Deed::Speech(beats * 20)),
        1 => (60u64..400).prop_map(|beats| Deed::Speech(beats * 20)),
        2 => "[0-9*#]".prop_map(|key| Deed::Key(key.chars().next().unwrap())),
    ]
}

fn words() -> impl Strategy<Value = String> {
    "[a-z]{1,8}( [a-z]{1,8}){0,12}[.?]"
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let awaited =
        prop_oneof![Just(Awaited::Speech), (1u8..5).prop_map(Awaited::Digits), Just(Awaited::SpeechOrDigit)];
    let one = (awaited, proptest::option::of(words()), words())
        .prop_map(|(awaited, say, reply)| step(awaited, say.as_deref(), &[("1", &reply)]));
    proptest::collection::vec(one, 0..4)
}

prop_compose! {
    fn scripts()(
        first_message in words(),
        steps in steps(),
        closing_line in proptest::option::of(words()),
        reprompt in proptest::option::of(words()),
    ) -> Script {
        Script { first_message, steps, closing_line, reprompt }
    }
}

prop_compose! {
    fn limits()(max in 5u64..300, silence in 1u64..40, reprompt in 1u64..20) -> CallLimits {
        let seconds = Duration::from_secs;
        CallLimits { max_duration: seconds(max), silence: seconds(silence), reprompt: seconds(reprompt) }
    }
}

fn voices() -> impl Strategy<Value = Voice> {
    prop_oneof![
        8 => (0u64..300).prop_map(Voice::After),
        1 => (0usize..5).prop_map(Voice::FailsAt),
        1 => Just(Voice::Dead),
    ]
}

/// The call until its end, with the callee's deeds over and over; checks each beat.
fn run(stage: &mut Stage, deeds: &[Deed]) -> EndedReason {
    let mut deeds = deeds.iter().copied().cycle();
    loop {
        let (speech, ms) = match deeds.next().unwrap() {
            Deed::Silence(ms) => (false, ms),
            Deed::Speech(ms) => (true, ms),
            Deed::Key(key) => {
                stage.press(&key.to_string());
                // A key takes its time, or a callee of keys alone would never let a beat pass.
                (false, 100)
            }
        };
        for _ in 0..ms / 20 {
            if let Some((_, reason)) = stage.ended {
                return reason;
            }
            let before = stage.log.len();
            assert!(stage.beat(speech) <= 20, "a beat has few outputs");
            let frames = stage.log[before..]
                .iter()
                .filter(|(_, output)| matches!(output, Output::Play(_) | Output::Silence | Output::End(_)));
            assert_eq!(frames.count(), 1, "a beat is one frame, or the end");
        }
    }
}

/// The frames of each begun line follow one another from the first, and no other line's do.
fn assert_in_order(stage: &Stage) {
    let mut next: Option<(Option<usize>, usize)> = None;
    for (_, output) in &stage.log {
        match output {
            Output::Turn(Turn::AssistantBegins { .. }) => {
                assert_eq!(next, None, "one line at a time");
                next = Some((None, 0));
            }
            Output::Play(frame) => {
                let (line, place) = told_by(frame);
                let (current, due) = next.expect("a line has begun");
                assert!(current.is_none_or(|current| current == line), "no other line's frame");
                assert_eq!(place, due, "each frame once and in order");
                next = Some((Some(line), due + 1));
            }
            Output::Turn(Turn::AssistantSpoke { interrupted, .. }) => {
                let (line, played) = next.take().expect("a line has begun");
                let of = stage.length_of(line.expect("something was heard"));
                assert_eq!(*interrupted, played < of, "a line is whole or interrupted");
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_callee_does_the_audio_is_in_order_and_the_limits_end_the_call(
        script in scripts(),
        limits in limits(),
        voice in voices(),
        deeds in proptest::collection::vec(deed(), 1..30),
    ) {
        let mut stage = Stage::new(&script, limits, voice);
        let reason = run(&mut stage, &deeds);
        let (at, _) = stage.ended.unwrap();
        let longest = u64::try_from(limits.max_duration.as_millis()).unwrap();
        prop_assert!(at <= longest, "the length limit holds");
        prop_assert_eq!(reason == EndedReason::ExceededMaxDuration, at == longest);
        if reason == EndedReason::AssistantEndedCall {
            prop_assert!(script.ends_by_itself());
        }
        assert_in_order(&stage);
        let order: Vec<_> = stage.transcript();
        let mut sorted = order.clone();
        sorted.sort_by_key(|line| line[..7].to_owned());
        prop_assert_eq!(order, sorted, "the transcript is in the order of the turns");
    }

    #[test]
    fn a_silent_callee_ends_a_script_that_waits_by_the_silence_limit_and_never_later(
        script in scripts().prop_filter("it waits", |script| !script.steps.is_empty()),
        limits in limits(),
    ) {
        let limits = CallLimits { max_duration: Duration::from_mins(10), ..limits };
        let mut stage = Stage::new(&script, limits, Voice::After(3));
        let (at, reason) = stage.silence_until_the_end(600_000);
        let first = u64::try_from(script.first_message.len()).unwrap() * 60;
        let silence = u64::try_from(limits.silence.as_millis()).unwrap();
        prop_assert_eq!(reason, EndedReason::SilenceTimedOut);
        // The first message begins with the beat in which its audio is ready.
        prop_assert_eq!(at, 80 + first + silence);
    }

    #[test]
    fn a_callee_who_answers_hears_every_script_that_ends_by_itself_to_its_end(
        script in scripts().prop_filter("it ends", Script::ends_by_itself),
    ) {
        let mut stage = Stage::with(&script);
        for _ in 0..200 {
            if stage.ended.is_some() {
                break;
            }
            stage.silence_until_quiet();
            stage.speech(400);
            stage.silence(600);
            stage.press("1#");
        }
        prop_assert_eq!(stage.ended.map(|(_, reason)| reason), Some(EndedReason::AssistantEndedCall));
        if let Some(closing) = &script.closing_line {
            prop_assert_eq!(stage.said().pop(), Some(closing.as_str()));
        }
        assert_in_order(&stage);
    }
}
