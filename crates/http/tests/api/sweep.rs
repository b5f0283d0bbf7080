//! Hostile values in every field of every endpoint of the table: never a 5xx, always one shape.

use domain::access::Permission;
use domain::scope::Scope;
use serde_json::{Value, json};

use crate::support::App;
use crate::support::store::{ORGANIZATION, TENANT};
use crate::support::valid::{Thing, Valid, keyed_entries, valid};
use crate::support::wire::Answer;

/// JSON values that break careless readers, as they are written.
fn values() -> Vec<String> {
    let long = format!("\"{}\"", "x".repeat(30_000));
    let wide = format!("\"{}\"", "\u{1F600}".repeat(300));
    let deep = format!("{}{}", "[".repeat(60), "]".repeat(60));
    let many =
        json!((0..2_000).map(|n| (n.to_string(), json!("v"))).collect::<serde_json::Map<_, _>>()).to_string();
    let written = [
        "null",
        "true",
        "0",
        "-0",
        "-1",
        "1.5",
        "1e308",
        "12345678901234567890123",
        "\"\"",
        "\" \"",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\"\\udfff\\ud800\"",
        "\"a\\nb\\r\\nX-Evil: 1\"",
        "\"%\"",
        "\"_\"",
        "\"\\\\\"",
        "\"'; DROP TABLE calls; --\"",
        "\"infinity\"",
        "\"-infinity\"",
        "\"294277-01-01T00:00:00Z\"",
        "\"\\u202e\\ufeff\\u0085\"",
        "[]",
        "[[]]",
        "{}",
        "{\"\":null}",
        "{\"__proto__\":{\"x\":1}}",
        "{\"$ref\":\"http://127.0.0.1/\"}",
        "1e400",
        "-1e999999999",
        "{\"a\":1e400}",
    ];
    written.into_iter().map(str::to_owned).chain([long, wide, deep, many]).collect()
}

/// Query and path values that break careless readers, percent-encoded.
const ENCODED: [&str; 52] = [
    "",
    "%20",
    "%00",
    "a%00b",
    "%FF",
    "%C3%28",
    "%ED%A0%80",
    "%",
    "%zz",
    "+",
    "%2B1",
    "-1",
    "0",
    "1.0",
    "1e3",
    "0x10",
    "%D9%A1",
    "00000000001",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "12345678901234567890123",
    "null",
    "undefined",
    "NaN",
    "true",
    "infinity",
    "-infinity",
    "today",
    "now",
    "epoch",
    "294277-01-01T00:00:00Z",
    "10000-01-01",
    "0000-01-01",
    "1969-12-31",
    "2026-02-30",
    "2026-02-29T00:00:00Z",
    "2026-03-01T24:00:00Z",
    "2026-03-01T23:59:60Z",
    "2026-03-01T09:30:00",
    "2026-03-01T09:30:00%2B99:99",
    "2026-03-01T09:30:00.123456789123Z",
    "2026-W09-1",
    "20260301",
    "%25",
    "_",
    "%5C",
    "%27%3B--",
    "..%2F..%2Fetc",
    "%F0%9F%98%80",
];

/// Checks that an answer is a success, or an error of the one shape.
fn in_shape(answer: &Answer, told: &str) {
    assert!(answer.status < 500, "{told}: {answer:?}");
    if answer.status >= 400 {
        let text = answer.error(answer.status);
        assert!(!text.is_empty() && text.len() < 700, "{told}: {text}");
        let body = String::from_utf8_lossy(&answer.body).to_lowercase();
        for internal in ["postgres", "diesel", "serde", "panicked", "src/", "sqlstate", "line 1 column"] {
            assert!(!body.contains(internal), "{told} leaks {internal}: {body}");
        }
    } else {
        assert!(answer.json().is_object(), "{told}: {answer:?}");
    }
}

/// An open service, a thing in it, and a key that reaches it. Every request has an address of its own:
/// the sweep is no test of rate limits.
struct Sweep {
    app: App,
    thing: Thing,
    key: String,
    asked: std::cell::Cell<u32>,
}

impl Sweep {
    async fn start() -> Self {
        let app = App::start().await;
        let thing = Thing { organization: ORGANIZATION, call: app.placed().await };
        let key = app.key_for(Scope::Tenant(TENANT), &Permission::ALL);
        Self { app, thing, key, asked: std::cell::Cell::new(0) }
    }

    async fn send(&self, valid: &Valid, target: &str, body: Option<&str>) -> Answer {
        self.asked.set(self.asked.get() + 1);
        let client = std::net::Ipv4Addr::from(0xCB00_7100 + self.asked.get()).to_string();
        let request = self.app.request(valid.method, target).from(&client).key(&self.key);
        match body {
            Some(body) => request.bytes(body).send().await,
            None => request.send().await,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_valid_request_of_the_sweep_is_taken() {
    let sweep = Sweep::start().await;
    for entry in keyed_entries().filter(|entry| entry.method != "DELETE") {
        let valid = valid(&entry, &sweep.thing);
        let body = valid.body.as_ref().map(Value::to_string);
        let answer = sweep.send(&valid, &valid.target(), body.as_deref()).await;
        assert!(answer.status < 300, "{} {}: {answer:?}", entry.method, entry.path);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_values_in_every_field_of_every_body() {
    let sweep = Sweep::start().await;
    for entry in keyed_entries() {
        let valid = valid(&entry, &sweep.thing);
        let Some(body) = &valid.body else { continue };
        for field in body.as_object().unwrap().keys() {
            let mut marked = body.clone();
            marked[field] = json!("@@");
            for value in values() {
                let body = marked.to_string().replace("\"@@\"", &value);
                let answer = sweep.send(&valid, &valid.target(), Some(&body)).await;
                let shown: String = value.chars().take(40).collect();
                in_shape(&answer, &format!("{} {} {field}={shown}", entry.method, entry.path));
            }
        }
        for whole in values() {
            in_shape(
                &sweep.send(&valid, &valid.target(), Some(&whole)).await,
                &format!("{} {}", entry.path, whole.len()),
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_values_in_every_query_parameter() {
    let sweep = Sweep::start().await;
    for entry in keyed_entries() {
        let valid = valid(&entry, &sweep.thing);
        for (at, (name, _)) in valid.query.iter().enumerate() {
            for value in ENCODED {
                let mut hostile = valid.clone();
                hostile.query[at].1 = value.to_owned();
                let answer = sweep.send(&valid, &hostile.target(), None).await;
                in_shape(&answer, &format!("{} {name}={value}", entry.path));
            }
            let twice = format!("{}&{name}=1&{name}=2", valid.target());
            in_shape(&sweep.send(&valid, &twice, None).await, &twice);
            for bare in [
                format!("{}?{name}", valid.path),
                format!("{}?{name}=", valid.path),
                format!("{}?{name}[]=1", valid.path),
            ] {
                in_shape(&sweep.send(&valid, &bare, None).await, &bare);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_ids_in_every_path() {
    let sweep = Sweep::start().await;
    for entry in keyed_entries().filter(|entry| entry.path.contains("{id}")) {
        let known = valid(&entry, &sweep.thing);
        let body = known.body.as_ref().map(Value::to_string);
        let missing =
            sweep.send(&known, &entry.path.replace("{id}", &Thing::missing().call), body.as_deref()).await;
        for value in ENCODED.into_iter().filter(|value| !value.is_empty()) {
            let answer = sweep.send(&known, &entry.path.replace("{id}", value), body.as_deref()).await;
            in_shape(&answer, &format!("{} {value}", entry.path));
            assert!(matches!(answer.status, 404 | 400), "{} {value}: {answer:?}", entry.path);
            if answer.status == 404 && !value.contains("%2F") {
                assert_eq!(answer.body, missing.body, "{} {value}", entry.path);
            }
        }
    }
}
