//! The engine of three services, end to end, and interrupted.

use std::sync::Arc;
use std::time::Duration;

use phone::{Action, CallScript, Sound};
use test_ears::hear;
use test_providers::{Piece, Providers, Service, Settings, Voice, Written};

use super::both_ways::{ANSWER, FAREWELL, GREETING, was_talked};
use super::stage::{KEY, Stage, understood};
use super::wire::{first_word, last_word, never_pauses};
use crate::support::{says, waits};
use domain::assistant::Language;

fn assistant(providers: &Providers, first: &str) -> String {
    let service = |name: &str, model: &str| {
        let endpoint = providers.endpoint();
        format!(
            "[cascade.{name}]\nendpoint = \"{endpoint}\"\nmodel = \"{model}\"\ncredential = \"provider\"\n"
        )
    };
    let services =
        [service("chat", "llm"), service("transcription", "whisper-1"), service("speech", "tts-1")];
    format!(
        "name = \"Receptionist\"\nengine = \"cascade\"\ninstructions = \"Be kind.\"\nfirst_message = \"{first}\"\n\
         [cascade]\nvoice = \"alloy\"\n{}",
        services.concat()
    )
}

fn settings(reply: &'static str, hears: impl Fn(&[i16]) -> String + Send + Sync + 'static) -> Settings {
    let written = move || {
        Written::of(vec![Piece::Text(reply.to_owned()), Piece::Tool("call_1", "end_call", vec!["{}"])])
    };
    Settings {
        key: Some(KEY.to_owned()),
        // The analysis of the call asks too, and is not streamed.
        writes: Arc::new(move |_| written()),
        hears: Arc::new(move |heard| {
            assert_eq!(heard.rate, 8_000);
            hears(&heard.samples)
        }),
        voice: Voice::Pico(Language::EnglishUnitedStates),
        ..Settings::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn three_services_and_the_callee_understand_each_other_and_the_model_hangs_up() {
    let providers = Providers::start(settings(FAREWELL, hear)).await;
    let script = CallScript::answering().then([Action::LISTEN, says(ANSWER)]);
    let mut stage = Stage::calls(&assistant(&providers, GREETING), script).await;
    let ended = stage.ended("completed", "assistant-ended-call").await;
    was_talked(&ended);
    let heard = providers.heard();
    assert_eq!(heard.len(), 1);
    understood(&[ANSWER], &heard[0].samples);
    let asked = providers.seen(Service::Chat)[0].body["messages"].to_string();
    assert!(asked.contains("north clinic") && asked.contains("gladly"), "{asked}");
}

const SPEECH: &str = "Hello, this is the north clinic, and we would like to tell you about everything that has changed since \
    your last visit, because that is a lot.";
const STOP: &str = "Stop, wait a moment, please.";

#[tokio::test(flavor = "multi_thread")]
async fn a_cascade_stops_within_300_ms_of_the_callees_first_word() {
    let providers = Providers::start(settings("Of course.", |_| STOP.to_owned())).await;
    let script = CallScript::answering().then([waits(3_000), says(STOP)]);
    let mut stage = Stage::calls(&assistant(&providers, SPEECH), script).await;
    let ended = stage.ended("completed", "assistant-ended-call").await;
    let (packets, callee) = (stage.wire.sent_by_service(), stage.wire.sent_by_callee());
    let (began, stopped) = (first_word(&callee), last_word(&callee));
    let during: Vec<_> = packets.iter().filter(|packet| packet.at < stopped).cloned().collect();
    let after = last_word(&during).saturating_duration_since(began);
    eprintln!("stopped {after:?} after the caller's first word");
    assert!(!after.is_zero(), "the assistant was not interrupted at all");
    assert!(after <= Duration::from_millis(300), "the assistant spoke on for {after:?}");
    never_pauses(&packets);
    let [said, stop, replied] = &ended.transcript[..] else { panic!("{:?}", ended.transcript) };
    let said = said.strip_prefix("Assistant: ").unwrap().strip_suffix('…').expect("an unfinished turn");
    assert!(SPEECH.starts_with(said.trim_end()) && said.len() > 20, "{said}");
    assert_eq!((stop.as_str(), replied.as_str()), (&*format!("Customer: {STOP}"), "Assistant: Of course."));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cough_costs_nothing_of_what_a_cascade_says() {
    let words = |samples: &[i16]| {
        if samples.len() > 16_000 { "Thank you very much.".to_owned() } else { String::new() }
    };
    let providers = Providers::start(settings("Of course.", words)).await;
    let cough = Sound::Noise { length: Duration::from_millis(240) };
    let script = CallScript::answering().then([
        waits(2_000),
        Action::Say(cough),
        waits(1_000),
        says("Huh."),
        Action::LISTEN,
        says("Thank you very much indeed, that is very interesting to know."),
    ]);
    let mut stage = Stage::calls(&assistant(&providers, SPEECH), script).await;
    let ended = stage.ended("completed", "assistant-ended-call").await;
    never_pauses(&stage.wire.sent_by_service());
    understood(&[SPEECH], &ended.heard);
    assert_eq!(ended.transcript[0], format!("Assistant: {SPEECH}"));
}
