//! The real voices in real child processes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it means"
)]

use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use audio_codec_algorithms::{decode_alaw, decode_ulaw};
use domain::assistant::Language;
use domain::audio::{AudioFormat, Encoded, FRAME_BYTES};
use domain::ports::{Line, Speech, SpeechError};
use speech::{Failure, PicoSpeech, Settings};

const PROGRAM: &str = env!("CARGO_BIN_EXE_pico-speak");

fn settings(args: &[&str]) -> Settings {
    let args = args.iter().map(ToString::to_string).collect();
    Settings { program: PROGRAM.into(), args, processes: 1, cache_bytes: 1 << 20 }
}

fn line(language: Language, text: &str) -> Line {
    Line { language, text: text.into(), format: AudioFormat::Pcmu }
}

fn english(text: &str) -> Line {
    line(Language::EnglishUnitedStates, text)
}

fn samples(encoded: &Encoded) -> Vec<i16> {
    let decode = match encoded.format {
        AudioFormat::Pcmu => decode_ulaw,
        AudioFormat::Pcma => decode_alaw,
        AudioFormat::G722 => panic!("these tests are of narrow lines"),
    };
    encoded.frames.iter().flatten().map(|byte| decode(*byte)).collect()
}

/// The root mean square of the samples.
fn loudness(samples: &[i16]) -> f64 {
    let squares: f64 = samples.iter().map(|sample| f64::from(*sample).powi(2)).sum();
    (squares / f64::from(u32::try_from(samples.len()).unwrap())).sqrt()
}

/// Whether two encodings are the same words in the same voice: Pico's own noise differs a little.
fn sound_alike(one: &Encoded, other: &Encoded) -> bool {
    let difference: Vec<i16> =
        samples(one).iter().zip(samples(other)).map(|(a, b)| a.saturating_sub(b)).collect();
    one.frames.len() == other.frames.len() && loudness(&difference) * 20.0 < loudness(&samples(one))
}

fn failure(error: &SpeechError) -> &Failure {
    error.0.downcast_ref().expect("the cause is a failure of this crate")
}

/// Waits for something that another process does.
async fn eventually(what: &str, done: impl Fn() -> bool) {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(10);
    while !done() {
        assert!(tokio::time::Instant::now() < deadline, "{what} does not happen");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn every_language_speaks_for_as_long_as_its_words_take() {
    let speech = PicoSpeech::start(&settings(&[]));
    let greetings = [
        (Language::EnglishUnitedStates, "Good morning, this is the dental clinic. How are you today?"),
        (Language::EnglishGreatBritain, "Good morning, this is the dental clinic. How are you today?"),
        (Language::French, "Bonjour, ici le cabinet dentaire. Comment allez-vous aujourd’hui ?"),
        (Language::German, "Guten Morgen, hier ist die Zahnarztpraxis. Wie geht es Ihnen heute?"),
        (Language::Spanish, "Buenos días, le llamamos de la clínica dental. ¿Cómo está usted hoy?"),
        (Language::Italian, "Buongiorno, è lo studio dentistico. Come sta oggi?"),
    ];
    let mut voices = HashSet::new();
    for (language, text) in greetings {
        let encoded = speech.say(line(language, text)).await.unwrap();
        let heard = samples(&encoded);
        let seconds = encoded.length().as_secs_f64();
        assert!((2.0..7.0).contains(&seconds), "{language:?} takes {seconds} s");
        assert!(
            (1500.0..4500.0).contains(&loudness(&heard)),
            "{language:?} is as loud as {}",
            loudness(&heard)
        );
        let peak = heard.iter().map(|sample| sample.unsigned_abs()).max().unwrap();
        assert!((4000..30_000).contains(&peak), "{language:?} peaks at {peak}");
        voices.insert(encoded.frames.to_vec());
    }
    assert_eq!(voices.len(), 6, "six different voices");
}

#[tokio::test]
async fn both_codecs_carry_the_same_words() {
    let speech = PicoSpeech::start(&settings(&[]));
    let ulaw = speech.say(english("Hello there.")).await.unwrap();
    let alaw = speech.say(Line { format: AudioFormat::Pcma, ..english("Hello there.") }).await.unwrap();
    assert_eq!((ulaw.format, alaw.format), (AudioFormat::Pcmu, AudioFormat::Pcma));
    assert!(sound_alike(&ulaw, &alaw), "they differ by the codecs' noise only");
    let other = speech.say(english("Hello hare.")).await.unwrap();
    assert!(!sound_alike(&ulaw, &other));
}

#[tokio::test]
async fn more_words_take_longer_and_a_long_text_is_spoken_to_its_end() {
    let speech = PicoSpeech::start(&settings(&[]));
    let sentence = "The quick brown fox jumps over the lazy dog. ";
    let one = speech.say(english(sentence)).await.unwrap().length().as_secs_f64();
    let twenty = speech.say(english(&sentence.repeat(20))).await.unwrap().length().as_secs_f64();
    assert!((16.0..24.0).contains(&(twenty / one)), "twenty take {} times as long", twenty / one);
}

#[tokio::test]
async fn nothing_to_say_is_no_audio_and_too_much_is_refused() {
    let speech = PicoSpeech::start(&settings(&[]));
    assert!(speech.say(english(" \u{0}<>\n")).await.unwrap().frames.is_empty());
    let error = speech.say(english(&"word ".repeat(3000))).await.unwrap_err();
    assert!(matches!(failure(&error), Failure::TooLong), "{error:?}");
}

#[tokio::test]
async fn odd_texts_harm_nothing() {
    let speech = PicoSpeech::start(&settings(&[]));
    let odd = [
        "😀 日本語 مرحبا \u{301}\u{FFFD}",
        "((((((((((",
        "....!!!??,,",
        "1234567890123456789012345678901234567890",
        "http://example.org/?a=b#c",
        "\\pause=1000\\ <pitch level=\"200\"> x",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "-1.5e10 % $ € £ § @ # ^ ~ | ` _ = + * / { } [ ]",
    ];
    for text in odd {
        for language in Language::ALL {
            let said = speech.say(line(language, text)).await;
            assert!(said.is_ok(), "{language:?} fails at {text:?}: {said:?}");
        }
    }
    let hello = speech.say(english("Hello.")).await.unwrap();
    let afresh = PicoSpeech::start(&settings(&[])).say(english("Hello.")).await.unwrap();
    assert!(sound_alike(&hello, &afresh), "a voice remembers nothing");
}

#[tokio::test]
async fn an_equal_line_is_spoken_once_and_shared_also_while_it_is_being_spoken() {
    let speech = PicoSpeech::start(&settings(&[]));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let speech = Arc::clone(&speech);
        tasks.spawn(async move { speech.say(english("We all say the same.")).await.unwrap() });
    }
    let said = tasks.join_all().await;
    let again = speech.say(english("  We all say\tthe same. ")).await.unwrap();
    assert!(said.iter().all(|encoded| Arc::ptr_eq(&encoded.frames, &again.frames)));
    assert!(!again.frames.is_empty());
}

#[tokio::test]
async fn many_different_lines_at_once_are_all_spoken_by_several_processes() {
    let speech = PicoSpeech::start(&Settings { processes: 3, ..settings(&[]) });
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..60 {
        let speech = Arc::clone(&speech);
        let language = Language::ALL[number % Language::ALL.len()];
        tasks.spawn(async move {
            let text = format!("{number}, {}.", "la ".repeat(number % 7 + 1));
            (text.clone(), speech.say(line(language, &text)).await.unwrap(), language)
        });
    }
    let alone = PicoSpeech::start(&settings(&[]));
    for (text, encoded, language) in tasks.join_all().await {
        let other = alone.say(line(language, &text)).await.unwrap();
        assert!(sound_alike(&other, &encoded), "{text}");
    }
}

#[tokio::test]
async fn what_does_not_fit_into_the_cache_is_spoken_again() {
    let speech = PicoSpeech::start(&Settings { cache_bytes: 100 * FRAME_BYTES, ..settings(&[]) });
    let text = "This sentence takes rather longer than two seconds to say, does it not?";
    let first = speech.say(english(text)).await.unwrap();
    let second = speech.say(english(text)).await.unwrap();
    assert!(sound_alike(&first, &second), "the same words sound the same");
    assert!(!Arc::ptr_eq(&first.frames, &second.frames));
}

#[tokio::test]
async fn a_child_that_crashes_or_hangs_in_the_middle_of_a_line_is_replaced() {
    for fault in ["crash", "hang"] {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("mark");
        let speech = PicoSpeech::start(&settings(&[fault, mark.to_str().unwrap()]));
        let encoded = speech.say(english("I am still here.")).await.unwrap();
        assert!(loudness(&samples(&encoded)) > 500.0);
        assert!(mark.exists(), "it did {fault}");
    }
}

#[tokio::test]
async fn a_killed_child_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let speech = PicoSpeech::start(&settings(&["note", mark.to_str().unwrap()]));
    speech.say(english("One.")).await.unwrap();
    let first = std::fs::read_to_string(&mark).unwrap();
    assert!(Command::new("kill").args(["-9", &first]).status().unwrap().success());
    speech.say(english("Two.")).await.unwrap();
    assert_ne!(std::fs::read_to_string(&mark).unwrap(), first);
}

#[tokio::test]
async fn a_child_that_always_crashes_is_a_failure_for_each_line_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let speech = PicoSpeech::start(&settings(&["always-crash", mark.to_str().unwrap()]));
    for text in ["One.", "One.", "Two."] {
        let error = speech.say(english(text)).await.unwrap_err();
        assert!(matches!(failure(&error), Failure::Broken), "{error:?}");
    }
}

#[tokio::test]
async fn a_program_that_cannot_be_started_is_a_failure() {
    let speech = PicoSpeech::start(&Settings { program: "/nowhere/to/be/found".into(), ..settings(&[]) });
    let error = speech.say(english("One.")).await.unwrap_err();
    assert!(matches!(failure(&error), Failure::Start(_)), "{error:?}");
}

#[tokio::test]
async fn the_child_inherits_no_environment_and_ends_when_speech_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let speech = PicoSpeech::start(&settings(&["note", mark.to_str().unwrap()]));
    speech.say(english("One.")).await.unwrap();
    let process = Path::new("/proc").join(std::fs::read_to_string(&mark).unwrap());
    assert_eq!(std::fs::read(process.join("environ")).unwrap(), b"");
    drop(speech);
    // A process that was killed but not yet reaped has no memory any more.
    eventually("its end", || {
        std::fs::read(process.join("statm")).is_ok_and(|it| it.starts_with(b"0 ")) || !process.exists()
    })
    .await;
}

#[test]
fn the_child_ends_by_itself_when_its_parent_is_gone() {
    let mut child = Command::new(PROGRAM).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}
