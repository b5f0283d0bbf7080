//! Values that forms do not take.

use std::collections::BTreeMap;

use super::{Fields, Place, REALTIME, field};
use crate::support::{Browser, PASSWORD};

/// The good values of a form with one after the other replaced by a bad one.
fn each(good: &[(&'static str, &str)], bad: &[(&'static str, &str)]) -> Vec<Fields> {
    let with = |(name, value): &(&'static str, &str)| {
        let others = good.iter().filter(|(own, _)| own != name);
        others.chain([&(*name, *value)]).map(|(name, value)| (*name, (*value).to_owned())).collect()
    };
    bad.iter().map(with).collect()
}

/// Texts that are no JSON, no schemas or unsafe ones.
const SCHEMAS: [&str; 11] = [
    "{",
    "\"\\u0000\"",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "7",
    "{\"type\":\"x\"}",
    "{\"required\":7}",
    "{\"$ref\":\"https://a.example/\"}",
    "{\"$ref\":\"#x\"}",
    "{\"$ref\":\"#\"}",
    "{\"dependencies\":{}}",
    "{\"pattern\":\"(\"}",
];

/// What is sent to a form.
pub(super) async fn bad(path: &str, place: &mut Place) -> Vec<Fields> {
    let long = "é".repeat(300);
    let unknown = place.things["call"].clone();
    match path {
        "/schema" | "/o/{organization}/metadata/schema" => {
            each(&[], &SCHEMAS.map(|schema| ("schema", schema)))
        }
        "/o/{organization}/metadata" => metadata(&mut place.browser).await,
        "/users/new" => each(
            &[("email", "a@b.example"), ("role", "viewer")],
            &[
                ("email", "x"),
                ("email", &place.email.clone()),
                ("role", "x"),
                ("organization", "x"),
                ("organizationId", &unknown),
            ],
        ),
        "/users/{user}/role" => each(&[], &[("role", "viewer")]),
        "/users/{user}/remove" => vec![Vec::new()],
        "/account/password" => {
            let good = [("old", PASSWORD), ("new", "a fine password")];
            each(&good, &[("old", "x"), ("new", "x"), ("new", "password1234"), ("new", &place.email.clone())])
        }
        "/trunks/new" | "/trunks/{trunk}" => each(
            &[("name", "A"), ("address", "sip.example"), ("transport", "udp")],
            &[
                ("name", ""),
                ("address", "a b"),
                ("address", "10.0.0.1"),
                ("address", "localhost"),
                ("transport", "x"),
                ("srtp", "x"),
                ("srtp", "required"),
                ("media_networks", "x"),
                ("media_networks", &"10.0.0.1 ".repeat(33)),
                ("realms", &long),
                ("register", "yes"),
                ("password", &long),
                ("from_domain", "a:1"),
                ("default_country", "x"),
                ("max_calls", "0"),
                ("calls_per_second", "x"),
            ],
        ),
        "/o/{organization}/numbers/new" => each(
            &[("number", "+14165550199"), ("trunk", &unknown)],
            &[("number", "5"), ("trunk", ""), ("trunk", &unknown)],
        ),
        "/o/{organization}/numbers/{number}" => {
            each(&[], &[("trunk", ""), ("trunk", "x"), ("trunk", &unknown)])
        }
        "/organizations/new" | "/o/{organization}/profile" => each(
            &[("name", "A"), ("email", "a@b.example"), ("timezone", "America/Toronto")],
            &[
                ("name", ""),
                ("name", &long),
                ("email", "x"),
                ("email", &format!("{long}@b.example")),
                ("city", &long),
                ("timezone", "x"),
                ("image", "x"),
            ],
        ),
        "/o/{organization}/settings/api-keys" | "/settings/api-keys" => {
            let base = place.path(path).unwrap();
            let id = field(&place.browser.get(&format!("{base}/add")).await, "id");
            let good = [("id", id.as_str()), ("name", "A"), ("permission", "calls:read")];
            let taken = if path.starts_with("/o/") { "key" } else { "tenant key" };
            let taken = place.things[taken].clone();
            each(&good, &[("name", ""), ("name", &long), ("permission", "x"), ("id", &taken)])
        }
        "/o/{organization}/settings/callback-secret/rotate" => {
            let page = place.path(path).unwrap();
            let replacing = field(&place.browser.get(&page).await, "replacing");
            each(&[("replacing", &replacing)], &[("overlap", "5")])
        }
        "/o/{organization}/place-call" => calls(&place.things),
        "/o/{organization}/place-call/phone" => {
            each(&[("once", "a"), ("callee", "answers")], &[("assistant", "x"), ("name", &long)])
        }
        "/o/{organization}/assistants/new" => scripts(),
        "/o/{organization}/assistants/{assistant}" => agents(),
        "/o/{organization}/assistants/new/file" | "/o/{organization}/assistants/{assistant}/file" => {
            files().map(|file| vec![("file", file)]).collect()
        }
        "/o/{organization}/assistants/{assistant}/key" => {
            each(&[("provider", "realtime")], &[("key", "a b")])
        }
        _ => Vec::new(),
    }
}

/// What is sent to the form of a new script.
fn scripts() -> Vec<Fields> {
    let step = [("steps[1].wait_for", "digits"), ("steps[1].digits", "1")];
    each(
        &[&[("name", "A"), ("first_message", "x"), ("whole", "")][..], &step].concat(),
        &[
            ("name", ""),
            ("first_message", ""),
            ("recording_notice", "x"),
            ("voicemail.message", "x"),
            ("outcomes", "A B"),
            ("variables", "x"),
            ("variables", "x = 1\nx = 2"),
            ("limits.silence_seconds", "x"),
            ("steps[1].wait_for", "x"),
            ("steps[1].digits", "99"),
            ("steps[1].replies", "x = y"),
        ],
    )
}

/// What is sent to the form of an AI.
fn agents() -> Vec<Fields> {
    each(
        &[("name", "A"), ("instructions", "x"), ("realtime.model", "m"), ("whole", "")],
        &[
            ("instructions", ""),
            ("realtime.model", ""),
            ("realtime.dialect", "azure"),
            ("realtime.endpoint", "x"),
            ("realtime.credential", "X"),
            ("realtime.credential", "others"),
            ("realtime.key_variable", "X"),
            ("tools", "transfer_call"),
            ("transfer_targets[1].name", "x"),
        ],
    )
}

/// What is sent to the form of a metadata record, once a schema is in force.
async fn metadata(browser: &mut Browser) -> Vec<Fields> {
    let schema = "{\"required\":[\"a\"],\"properties\":{\"b\":{\"type\":\"integer\",\"maximum\":7}}}";
    let set = browser.submit("/schema", "/schema", &[("schema", schema)]).await;
    assert_eq!(set.status, 303, "{}", set.body);
    each(
        &[("version", "1"), ("metadata", "{\"a\":1}")],
        &[
            ("metadata", "{"),
            ("metadata", "[1]"),
            ("metadata", "{}"),
            ("metadata", "{\"a\":1,\"b\":\"7\"}"),
            ("metadata", "{\"a\":1,\"b\":8}"),
            ("version", "0"),
        ],
    )
}

/// What is sent to the form that places calls.
fn calls(things: &BTreeMap<&'static str, String>) -> Vec<Fields> {
    let long = "é".repeat(300);
    let good = [
        ("once", "a"),
        ("phoneNumber", "+14165550123"),
        ("assistantId", things["assistant"].as_str()),
        ("phoneNumberId", &things["number"]),
    ];
    let bad = [
        ("phoneNumber", ""),
        ("phoneNumber", "1"),
        ("phoneNumber", "abcdefghijk"),
        ("phoneNumber", &long),
        ("assistantId", "x"),
        ("assistantId", &things["call"]),
        ("phoneNumberId", ""),
        ("customerName", &long),
        ("callbackUrl", "x"),
        ("callbackUrl", "http://a.example/"),
        ("callbackUrl", "https://10.0.0.1/"),
        ("dynamicVariables", "x"),
        ("dynamicVariables", "{"),
        ("dynamicVariables", "{\"a\":1,\"b\":null}"),
        ("dynamicVariables", &format!("{long}=1")),
    ];
    each(&good, &bad)
}

/// Files that break one rule after the other; that each rule is told in French is tested beside its words.
fn files() -> impl Iterator<Item = String> {
    let more = [
        "x",
        "name = 'B'",
        "x = 1",
        "record = 'x'",
        "[voicemail]",
        "voicemail.action = 'x'",
        "voicemail.action = 'leave-message'",
        "outcomes = ['A B']",
        "tools = ['x']",
        "tools = ['transfer_call']",
        "steps = []",
        "limits.silence_seconds = 0",
        "realtime.key = 'x'",
        "realtime.credential = 'X Y'",
        "realtime.credential = 'x'",
        "realtime.credential = 'openai'\nrealtime.key_variable = 'X'",
        "realtime.credential = 'openai'\nrealtime.endpoint = 'wss://own.example/'",
        "realtime.key_variable = 'X'",
        "realtime.dialect = 'x'",
        "realtime.dialect = 'azure'",
        "realtime.endpoint = 'x'",
        "realtime.endpoint = 'wss://192.168.0.1/'",
        "realtime.endpoint = 'ws://a.example/'",
    ];
    ["", "name = ''\nengine = 'builtin'\nfirst_message = 'x'"]
        .into_iter()
        .map(str::to_owned)
        .chain(more.map(|more| format!("{REALTIME}{more}\n")))
}
