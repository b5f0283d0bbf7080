//! Each rule has words in French.

use std::collections::HashSet;
use std::fmt::Debug;
use std::mem::discriminant;

use application::assistant_file::{self, Allowed};
use application::requests::{Code, Fault, JsonType, NotJson};
use application::rules::Rule;
use domain::assistant::filling::FilledText;
use domain::network::{BadEndpoint, Refused, UnfitUrl, WebProtocol};
use domain::schema::{Broken, DataType, Flaw, Mismatch, Reason, UnsafeSchema};

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
        Rule::Networks => Rule::Networks,
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
        Rule::Credential => Rule::Credential,
        Rule::KeyOrigins(_) => Rule::KeyOrigins(vec!["https://a.example".to_owned()]),
        Rule::OneKey => Rule::OneKey,
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
        Fault::TooManyBytes(_) => Fault::TooManyBytes(65_536),
        Fault::FilledTooLong(..) => Fault::FilledTooLong(FilledText::Line, 10_000),
        Fault::NotAPhoneNumber => Fault::NotAPhoneNumber,
        Fault::NotAnEmail => Fault::NotAnEmail,
        Fault::NotAUrl => Fault::NotAUrl,
        Fault::NotAUuid => Fault::NotAUuid,
        Fault::NotHttps => Fault::NotHttps,
        Fault::NotPublic => Fault::NotPublic,
        Fault::NoneOf(_) => Fault::NoneOf(vec!["24h", "7d"]),
        Fault::OfRequest(..) => Fault::of_request(Code::Custom, "Must not be given more than once"),
    };
    let texts = every! {
        FilledText::Line => FilledText::Line,
        FilledText::Instructions => FilledText::Instructions,
        FilledText::Total => FilledText::Total,
    };
    for text in texts {
        assert_told(&Fault::FilledTooLong(text, 7));
    }
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

/// Everything that data can break, with values that are no words.
fn broken() -> Vec<Broken> {
    let value = || "7".to_owned();
    every! {
        Broken::Type(_) => Broken::Type(vec![DataType::Integer, DataType::Null]),
        Broken::Enum(_) => Broken::Enum(value()),
        Broken::Const(_) => Broken::Const(value()),
        Broken::Required(_) => Broken::Required(value()),
        Broken::UnexpectedMembers(_) => Broken::UnexpectedMembers(vec![value(), value()]),
        Broken::UnexpectedItems => Broken::UnexpectedItems,
        Broken::Minimum(_) => Broken::Minimum(value()),
        Broken::ExclusiveMinimum(_) => Broken::ExclusiveMinimum(value()),
        Broken::Maximum(_) => Broken::Maximum(value()),
        Broken::ExclusiveMaximum(_) => Broken::ExclusiveMaximum(value()),
        Broken::MultipleOf(_) => Broken::MultipleOf(value()),
        Broken::MinLength(_) => Broken::MinLength(7),
        Broken::MaxLength(_) => Broken::MaxLength(7),
        Broken::MinItems(_) => Broken::MinItems(7),
        Broken::MaxItems(_) => Broken::MaxItems(7),
        Broken::MinProperties(_) => Broken::MinProperties(7),
        Broken::MaxProperties(_) => Broken::MaxProperties(7),
        Broken::Pattern(_) => Broken::Pattern(value()),
        Broken::UniqueItems => Broken::UniqueItems,
        Broken::Contains => Broken::Contains,
        Broken::NoneFits => Broken::NoneFits,
        Broken::SeveralFit => Broken::SeveralFit,
        Broken::Forbidden => Broken::Forbidden,
        Broken::Other(_) => Broken::Other(value()),
    }
}

#[test]
fn what_is_wrong_with_a_schema_is_told_in_french() {
    let (value, words) = (|| "#x".to_owned(), || "what the library says".to_owned());
    let flaws = every! {
        Flaw::NoObject => Flaw::NoObject,
        Flaw::TooLarge(..) => Flaw::TooLarge(9, 8),
        Flaw::TooDeep(_) => Flaw::TooDeep(8),
        Flaw::NulInName => Flaw::NulInName,
        Flaw::Nul => Flaw::Nul,
        Flaw::NumberTooLarge => Flaw::NumberTooLarge,
        Flaw::Dialect(_) => Flaw::Dialect("https://dialect.example"),
        Flaw::Vocabulary => Flaw::Vocabulary,
        Flaw::RecursiveRef => Flaw::RecursiveRef,
        Flaw::RecursiveAnchor => Flaw::RecursiveAnchor,
        Flaw::Dependencies => Flaw::Dependencies,
        Flaw::AdditionalItems => Flaw::AdditionalItems,
        Flaw::AtTheTopOnly(_) => Flaw::AtTheTopOnly("$id"),
        Flaw::SameAnchor => Flaw::SameAnchor,
        Flaw::LeadsOut(_) => Flaw::LeadsOut(value()),
        Flaw::NotUtf8(_) => Flaw::NotUtf8(value()),
        Flaw::LeadsNowhere(_) => Flaw::LeadsNowhere(value()),
        Flaw::Circle => Flaw::Circle,
        Flaw::LongChain(_) => Flaw::LongChain(8),
        Flaw::Avalanche(_) => Flaw::Avalanche(8),
        Flaw::ManyPatterns(_) => Flaw::ManyPatterns(8),
        Flaw::LargePatterns(_) => Flaw::LargePatterns(8),
        Flaw::LooksAround => Flaw::LooksAround,
        Flaw::RefersBack => Flaw::RefersBack,
        Flaw::BadPattern(_) => Flaw::BadPattern(8),
        Flaw::Unfit { .. } => Flaw::Unfit { broken: Broken::Contains, words: words() },
        Flaw::Unjudged(_) => Flaw::Unjudged(words()),
    };
    for flaw in flaws {
        for place in [None, Some(String::new()), Some("/a".to_owned())] {
            assert_told(&UnsafeSchema { place, flaw: flaw.clone() });
        }
    }
    for own in broken() {
        assert_told(&UnsafeSchema { place: None, flaw: Flaw::Unfit { broken: own, words: words() } });
    }
    let nowhere = UnsafeSchema { place: Some("/a".to_owned()), flaw: Flaw::LeadsNowhere(value()) };
    assert_eq!(nowhere.french(), "à /a : la référence « #x » ne mène à aucun sous-schéma");
}

#[test]
fn why_data_does_not_match_is_told_in_french() {
    let at = |more| Reason::At { problems: vec![("/a".to_owned(), Broken::MinItems(2))], more };
    let reasons = every! {
        Reason::TooDeep => Reason::TooDeep,
        Reason::TooLarge => Reason::TooLarge,
        Reason::Somewhere => Reason::Somewhere,
        Reason::At { .. } => at(2),
    };
    let types = every! {
        DataType::Null => DataType::Null,
        DataType::Boolean => DataType::Boolean,
        DataType::Integer => DataType::Integer,
        DataType::Number => DataType::Number,
        DataType::String => DataType::String,
        DataType::Array => DataType::Array,
        DataType::Object => DataType::Object,
    };
    let types = Reason::At { problems: vec![(String::new(), Broken::Type(types))], more: 1 };
    for reason in reasons.into_iter().chain([types]) {
        assert_told(&Mismatch { reason, words: "what it is".to_owned() });
    }
    let told = Mismatch { reason: at(2), words: String::new() }.french();
    assert_eq!(told, "à /a : moins d’éléments que le minimum, 2; et 2 autres problèmes");
}
