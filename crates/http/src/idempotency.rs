//! `Idempotency-Key`: a POST that a client may send again without its being done twice.

use std::collections::BTreeMap;

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use domain::idempotency::{IdempotencyKey, Once};
use domain::scope::Scope;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::error::ApiError;
use application::requests::{Code, Fault};

const KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Its name in the details of a 400.
const FIELD: &str = "Idempotency-Key";

const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// The key belongs to a request that asked for something else.
pub(crate) const KEY_TAKEN: ApiError =
    ApiError::Unprocessable("Idempotency-Key was already used with a different request");

/// Reads the key of a request with this body, if it has one.
pub(crate) fn once(request: &HttpRequest, scope: Scope, body: &Value) -> Result<Option<Once>, ApiError> {
    let mut lines = request.headers().get_all(KEY);
    let Some(line) = lines.next() else { return Ok(None) };
    // Two lines would leave it to chance whose answer is told.
    let key = if lines.next().is_none() { line.to_str().ok().and_then(IdempotencyKey::parse) } else { None };
    let key = key.ok_or_else(|| ApiError::Invalid(vec![malformed().at(FIELD)]))?;
    let pattern = request.match_pattern().unwrap_or_default();
    Ok(Some(Once { scope, key, fingerprint: fingerprint(request.method().as_str(), &pattern, body) }))
}

/// The answer to a request that made something, now or when it first came.
pub(crate) fn created(body: &impl Serialize, replayed: bool) -> HttpResponse {
    let mut answer = HttpResponse::Created();
    if replayed {
        answer.insert_header((REPLAYED, HeaderValue::from_static("true")));
    }
    answer.json(body)
}

fn malformed() -> Fault {
    let most = IdempotencyKey::LENGTH_MAX;
    Fault::of_request(
        Code::InvalidString,
        format_args!("Expected one value of 1 to {most} visible ASCII characters"),
    )
}

/// What was asked for: method, endpoint and the values of the body, however they were written.
fn fingerprint(method: &str, pattern: &str, body: &Value) -> [u8; 32] {
    let mut digest = Sha256::new();
    digest.update(format!("{method} {pattern}\n"));
    add(&mut digest, body);
    digest.finalize().into()
}

/// Adds a value as JSON without spaces, members by name. Recursion is bounded by the parser.
fn add(digest: &mut Sha256, value: &Value) {
    match value {
        Value::Array(items) => {
            digest.update("[");
            for item in items {
                add(digest, item);
                digest.update(",");
            }
            digest.update("]");
        }
        Value::Object(members) => {
            // Whether the map itself is sorted depends on a feature that any crate may switch on.
            let members: BTreeMap<_, _> = members.iter().collect();
            digest.update("{");
            for (name, value) in members {
                digest.update(Value::from(name.as_str()).to_string());
                digest.update(":");
                add(digest, value);
                digest.update(",");
            }
            digest.update("}");
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            digest.update(value.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use application::requests::json as parse;

    fn of(body: &str) -> [u8; 32] {
        fingerprint("POST", "/api/outbound", &parse(body.as_bytes()).unwrap())
    }

    #[test]
    fn the_same_values_written_differently_are_the_same_request() {
        for (one, other) in [
            (r#"{"a":1,"b":{"c":[true,null],"d":"x"}}"#, r#" { "b" : {"d":"x", "c":[ true,null ]},"a":1 } "#),
            (r#"{"name":"Zoë 🙂/"}"#, r#"{"\u006eame":"Zo\u00eb \ud83d\ude42\/"}"#),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            ("1e2", "100.0"),
        ] {
            assert_eq!(of(one), of(other), "{one} {other}");
        }
    }

    #[test]
    fn other_values_are_another_request() {
        let bodies = [
            "{}",
            "[]",
            "null",
            "0",
            "-0.5",
            r#""""#,
            r#"{"a":1}"#,
            r#"{"a":"1"}"#,
            r#"{"a":true}"#,
            r#"{"a":"true"}"#,
            r#"{"a":null}"#,
            r#"{"a":[1]}"#,
            r#"{"a":[[1]]}"#,
            r#"{"a":[1,1]}"#,
            r#"{"a":[11]}"#,
            r#"{"A":1}"#,
            r#"{"a":1,"b":1}"#,
            r#"{"a":{"b":1}}"#,
            r#"{"a":{},"b":1}"#,
            r#"{"a":"b\":1"}"#,
            r#"{"a\":1,\"b":1}"#,
            // 2^53 and its neighbour, which a double cannot tell apart.
            r#"{"a":9007199254740992}"#,
            r#"{"a":9007199254740993}"#,
            r#"{"a":18446744073709551615}"#,
            r#"{"a":0.1}"#,
            r#"{"a":0.10000000000000002}"#,
            // Composed and decomposed, as they were sent.
            "{\"a\":\"\u{e9}\"}",
            "{\"a\":\"e\u{301}\"}",
        ];
        for (index, one) in bodies.iter().enumerate() {
            for other in &bodies[index + 1..] {
                assert_ne!(of(one), of(other), "{one} {other}");
            }
        }
    }

    #[test]
    fn another_endpoint_is_another_request() {
        let prints = [("POST", "/api/outbound"), ("PUT", "/api/outbound"), ("POST", "/api/organization")]
            .map(|(method, pattern)| fingerprint(method, pattern, &Value::Null));
        assert!(prints[0] != prints[1] && prints[0] != prints[2] && prints[1] != prints[2]);
    }
}
