//! Each rule has words in French.

use std::collections::HashSet;
use std::fmt::Debug;
use std::mem::discriminant;

use application::assistant_file::{self, Allowed};
use application::requests::{Code, Fault, JsonType, NotJson};
use application::rules::Rule;
use domain::network::{BadEndpoint, Refused, UnfitUrl, WebProtocol};

use super::*;
use english::english_word;

#[path = "../../tests/pages/support/english.rs"]
mod english;

/// One value of each kind: while a kind is missing, it does not compile.
macro_rules! every {
    ($($kind:pat => $value:expr),+ $(,)?) => {{
        let all = vec![$($value),+];
        for value in &all {
            match value { $($kind => (),)+ }
        }
        let kinds: HashSet<_> = all.iter().map(discriminant).collect();
        assert_eq!(kinds.len(), all.len(), "a kind stands there twice, and another is missing");
        all
    }};
}

fn rules() -> Vec<Rule> {
    let name = || "quote_sent".to_owned();
    every! {
        Rule::Text(_) => Rule::Text(200),
        Rule::ShortText(_) => Rule::ShortText(200),
        Rule::ShortName(_) => Rule::ShortName(50),
        Rule::TrunkAddress => Rule::TrunkAddress,
        Rule::TrunkHost(_) => Rule::TrunkHost(UnfitUrl::Localhost),
        Rule::Transport => Rule::Transport,
        Rule::Srtp => Rule::Srtp,
        Rule::DomainName => Rule::DomainName,
        Rule::CountryCode => Rule::CountryCode,
        Rule::E164 => Rule::E164,
        Rule::WholeNumber(_) => Rule::WholeNumber(10),
        Rule::Seconds(..) => Rule::Seconds(1, 3_600),
        Rule::ProviderKey(_) => Rule::ProviderKey(4_096),
        Rule::OneOf(_) => Rule::OneOf(vec!["openai", "azure"]),
        Rule::AnyOf(_) => Rule::AnyOf(vec!["end_call", "send_dtmf"]),
        Rule::AtMost(_) => Rule::AtMost(20),
        Rule::AtMostSteps(_) => Rule::AtMostSteps(100),
        Rule::Twice(_) => Rule::Twice(name()),
        Rule::GoesWith { .. } => Rule::GoesWith { key: "engine", values: &["realtime", "cascade"] },
        Rule::NothingRecorded => Rule::NothingRecorded,
        Rule::VoicemailMessage => Rule::VoicemailMessage,
        Rule::OutcomeNames(_) => Rule::OutcomeNames(50),
        Rule::StandardOutcome(_) => Rule::StandardOutcome(name()),
        Rule::VariableNames(_) => Rule::VariableNames(255),
        Rule::FirstMessage => Rule::FirstMessage,
        Rule::Digits(_) => Rule::Digits(32),
        Rule::NoRepliesToSpeech => Rule::NoRepliesToSpeech,
        Rule::Keys(_) => Rule::Keys(32),
        Rule::Instructions => Rule::Instructions,
        Rule::TransferTargets => Rule::TransferTargets,
        Rule::TransferCall => Rule::TransferCall,
        Rule::RealtimeOrCascade => Rule::RealtimeOrCascade,
        Rule::Realtime => Rule::Realtime,
        Rule::Cascade => Rule::Cascade,
        Rule::NoKeysHere => Rule::NoKeysHere,
        Rule::EndpointNeeded => Rule::EndpointNeeded,
        Rule::Endpoint(_) => Rule::Endpoint(BadEndpoint::Malformed),
        Rule::KeyVariable => Rule::KeyVariable,
    }
}

/// The rules of the guard, one by one.
fn guarded() -> Vec<Rule> {
    let addresses = every! {
        Refused::Unspecified => Refused::Unspecified,
        Refused::Loopback => Refused::Loopback,
        Refused::Private => Refused::Private,
        Refused::LinkLocal => Refused::LinkLocal,
        Refused::CarrierGradeNat => Refused::CarrierGradeNat,
        Refused::Multicast => Refused::Multicast,
        Refused::Documentation => Refused::Documentation,
        Refused::Embedded => Refused::Embedded,
        Refused::Reserved => Refused::Reserved,
        Refused::Own => Refused::Own,
    };
    let urls = every! {
        UnfitUrl::NoHost => UnfitUrl::NoHost,
        UnfitUrl::Scheme(_) => UnfitUrl::Scheme(WebProtocol::Http),
        UnfitUrl::Plain(_) => UnfitUrl::Plain(WebProtocol::Http),
        UnfitUrl::Localhost => UnfitUrl::Localhost,
        UnfitUrl::Address(_) => UnfitUrl::Address(Refused::Private),
    };
    let endpoints = every! {
        BadEndpoint::Malformed => BadEndpoint::Malformed,
        BadEndpoint::TooLong => BadEndpoint::TooLong,
        BadEndpoint::Extras => BadEndpoint::Extras,
        BadEndpoint::Unfit(_) => BadEndpoint::Unfit(UnfitUrl::Plain(WebProtocol::WebSocket)),
    };
    let hosts = urls.into_iter().chain(addresses.into_iter().map(UnfitUrl::Address)).map(Rule::TrunkHost);
    hosts.chain(endpoints.into_iter().map(Rule::Endpoint)).collect()
}

#[track_caller]
fn assert_told(wrong: &(impl Tell + Debug)) {
    assert_eq!(wrong.tell(Language::English), wrong.to_string());
    let french = wrong.tell(Language::French);
    assert_eq!(english_word(&french), None, "{wrong:?}: {french}");
    assert_ne!(french, wrong.to_string(), "{wrong:?}");
}

#[test]
fn every_rule_is_told_in_french() {
    rules().iter().chain(&guarded()).for_each(assert_told);
    let told = Rule::GoesWith { key: "engine", values: &["realtime", "cascade"] }.tell(Language::French);
    assert_eq!(told, "ne va qu’avec engine = \"realtime\" ou \"cascade\"");
}

#[test]
fn what_has_not_the_form_of_a_file_is_told_in_french() {
    let least = "name = 'A'\nengine = 'builtin'\nfirst_message = 'Bonjour'\n";
    for (more, told) in [
        ("team = B", "ligne 4 : ce n’est pas du TOML valide"),
        ("name = 'B'", "ligne 4 : cette clé y figure deux fois"),
        (
            "limits.silence = 2",
            "ligne 4 : la clé silence n’existe pas; clés permises : max_duration_seconds, silence_seconds, \
             reprompt_seconds",
        ),
        ("[voicemail]", "ligne 4 : il manque la clé action"),
        ("voicemail.action = 'x'", "ligne 4 : on attend l’une de ces valeurs : hang-up, leave-message"),
        ("record = 'x'", "ligne 4 : on attend true ou false"),
        ("team = 7", "ligne 4 : on attend un texte entre guillemets"),
        ("limits.silence_seconds = -1", "ligne 4 : on attend un nombre entier, ni négatif ni trop grand"),
        ("outcomes = 'a'", "ligne 4 : on attend une liste entre crochets"),
        ("limits = 5", "ligne 4 : on attend une table"),
        ("outcomes = ['A']", "outcomes : on attend des noms tels que quote_sent, d’au plus 50 caractères"),
    ] {
        let bad = assistant_file::parse(&format!("{least}{more}\n"), &Allowed::default()).unwrap_err();
        assert_eq!(bad.tell(Language::French), told);
        assert_told(&bad);
    }
}

#[test]
fn what_the_interface_refuses_is_told_in_french() {
    let faults = every! {
        Fault::Missing => Fault::Missing,
        Fault::WrongType { .. } =>
            Fault::WrongType { expected: JsonType::String, received: JsonType::Number },
        Fault::TooShort(_) => Fault::TooShort(7),
        Fault::TooLong(_) => Fault::TooLong(255),
        Fault::TooManyKeys(_) => Fault::TooManyKeys(1_000),
        Fault::NotAPhoneNumber => Fault::NotAPhoneNumber,
        Fault::NotAnEmail => Fault::NotAnEmail,
        Fault::NotAUrl => Fault::NotAUrl,
        Fault::NotAUuid => Fault::NotAUuid,
        Fault::NotHttps => Fault::NotHttps,
        Fault::NotPublic => Fault::NotPublic,
        Fault::NoneOf(_) => Fault::NoneOf(vec!["24h", "7d"]),
        Fault::OfRequest(..) => Fault::of_request(Code::Custom, "Must not be given more than once"),
    };
    for fault in faults.iter().filter(|fault| !matches!(fault, Fault::OfRequest(..))) {
        assert_told(fault);
    }
    let types = every! {
        JsonType::Null => JsonType::Null,
        JsonType::Boolean => JsonType::Boolean,
        JsonType::Number => JsonType::Number,
        JsonType::String => JsonType::String,
        JsonType::Array => JsonType::Array,
        JsonType::Object => JsonType::Object,
    };
    for received in types {
        let told = Fault::WrongType { expected: JsonType::Object, received }.tell(Language::French);
        assert!(english_word(&told).is_none() && told.starts_with("On attend un objet, pas "), "{told}");
    }
    let unreadable = every! {
        NotJson::TooDeep => NotJson::TooDeep,
        NotJson::Invalid { .. } => NotJson::Invalid { line: 1, column: 2 },
        NotJson::Nul => NotJson::Nul,
    };
    unreadable.into_iter().map(Unreadable).for_each(|bad| assert_told(&bad));
}
