//! Whatever an assistant may be, its form loses nothing of it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use domain::assistant::tool::Tool;
use domain::assistant::{
    Agent, Awaited, Brain, CallLimits, Cascade, Conduct, Dialect, Engine, Language, OnVoicemail, Persona,
    Provider, ProviderKey, Realtime, Script, Step, TransferTarget,
};
use domain::number::E164;
use proptest::collection::{btree_map, btree_set, vec};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use url::Url;

use super::*;

/// Something to say: also lines, quotes and blanks.
fn line() -> impl Strategy<Value = String> {
    "(?s)[^\\x00]{1,12}|[ \"=\\\\\r\n#a]{1,8}".prop_filter("not blank", |text| !text.trim().is_empty())
}

fn name() -> impl Strategy<Value = String> {
    "[^\\p{C}]{1,12}"
        .prop_map(|text| text.trim().to_owned())
        .prop_filter("not empty", |text| !text.is_empty())
}

fn variables() -> impl Strategy<Value = BTreeMap<String, String>> {
    let name = name().prop_filter("findable", |name| !name.contains("}}"));
    btree_map(prop_oneof![name, "[\"=a]{1,4}".boxed()], "(?s)[^\\x00]{0,12}|[ \"=\\\\\r\n]{0,6}", 0..4)
}

fn step() -> impl Strategy<Value = Step> {
    let awaited = prop_oneof![
        Just(Awaited::Speech),
        Just(Awaited::SpeechOrDigit),
        (1..=32_u8).prop_map(Awaited::Digits)
    ];
    (awaited, btree_map("[0-9*#A-D]", line(), 0..3), of(line())).prop_map(|(wait_for, replies, say)| {
        let replies = if wait_for == Awaited::Speech { BTreeMap::new() } else { replies };
        Step { wait_for, replies, say }
    })
}

fn script() -> impl Strategy<Value = Engine> {
    (line(), vec(step(), 0..4), of(line()), of(line())).prop_map(
        |(first_message, steps, closing_line, reprompt)| {
            Engine::Builtin(Script { first_message, steps, closing_line, reprompt })
        },
    )
}

fn provider(addresses: &'static [&'static str]) -> impl Strategy<Value = Provider> {
    let key = prop_oneof![
        Just(ProviderKey::None),
        Just("OPENAI_API_KEY".to_owned()).prop_map(ProviderKey::Variable),
        Just(CredentialName::parse("openai").unwrap()).prop_map(ProviderKey::Credential),
    ];
    (select(addresses), name(), key).prop_map(|(address, model, key)| Provider {
        endpoint: Url::parse(address).unwrap(),
        model,
        key,
    })
}

fn brain() -> impl Strategy<Value = Brain> {
    let sockets = &["wss://api.openai.com/v1/realtime", "ws://10.0.0.5:8080/realtime?x=y"];
    let realtime = (provider(sockets), select(&Dialect::ALL[..]), of(name()), of(name())).prop_map(
        |(provider, dialect, voice, transcription_model)| {
            Brain::Realtime(Realtime { provider, dialect, voice, transcription_model })
        },
    );
    let bases = || provider(&["https://api.openai.com/v1", "http://10.0.0.7:8000/v1"]);
    let cascade = (bases(), bases(), bases(), name()).prop_map(|(chat, transcription, speech, voice)| {
        Brain::Cascade(Cascade { chat, transcription, speech, voice })
    });
    prop_oneof![realtime, cascade]
}

fn agent() -> impl Strategy<Value = Engine> {
    let tools = subsequence(Tool::ALL.to_vec(), 0..=Tool::ALL.len());
    let people = btree_set("[a-z]{1,9}", 1..4);
    (line(), of(line()), of(line()), tools, people, brain()).prop_map(
        |(instructions, first_message, fallback_line, tools, people, brain)| {
            let tools: BTreeSet<Tool> = tools.into_iter().collect();
            let target = |name| TransferTarget { name, number: E164::parse("+14155550100").unwrap() };
            let reached = tools.contains(&Tool::TransferCall);
            let transfer_targets = people.into_iter().filter(|_| reached).map(target).collect();
            let persona = Persona { instructions, first_message, fallback_line, tools, transfer_targets };
            Engine::Agent(Box::new(Agent { persona, brain }))
        },
    )
}

fn conduct() -> impl Strategy<Value = Conduct> {
    let voicemail = prop_oneof![Just(OnVoicemail::HangUp), line().prop_map(OnVoicemail::LeaveMessage)];
    let outcomes = btree_set("x[a-z0-9_]{0,9}", 0..4);
    (of(of(line())), of(voicemail), outcomes).prop_map(|(recorded, voicemail, outcomes)| Conduct {
        records: recorded.is_some(),
        recording_notice: recorded.flatten(),
        voicemail,
        outcomes: outcomes.into_iter().collect(),
    })
}

fn generated() -> impl Strategy<Value = Assistant> {
    let seconds = |most: u64| (1..=most).prop_map(Duration::from_secs);
    let limits = (seconds(14_400), seconds(3_600), seconds(3_600));
    let engine = prop_oneof![script(), agent()];
    (name(), of(name()), engine, select(&Language::ALL[..]), limits, conduct(), variables()).prop_map(
        |(name, team, engine, language, (max_duration, silence, reprompt), conduct, variables)| Assistant {
            name,
            team,
            engine,
            language,
            limits: CallLimits { max_duration, silence, reprompt },
            conduct,
            variables,
            ..assistant("name = 'A'\nengine = 'builtin'\nfirst_message = 'Hello'\n")
        },
    )
}

proptest! {
    #[test]
    fn an_assistant_that_is_saved_as_it_is_stays_as_it_is(own in generated()) {
        prop_assert_eq!(saved(&own), own.clone());
        // Each key has a field, but for the one that chooses the form.
        let rest = known(&own).rest;
        prop_assert_eq!(rest.keys().collect::<Vec<_>>(), ["engine"]);
    }
}
