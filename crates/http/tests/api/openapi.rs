//! `GET /api/openapi.json` and `GET /docs`, and whether the document says what is so.
//!
//! That real answers agree with it is checked wherever a test asks for one: see `support::contract`.

use domain::call::{Ended, EndedReason};
use domain::callback::CallbackDraft;
use http_api::{Needs, entries};
use serde_json::{Value, json};
use time::macros::datetime;

use crate::support::App;
use crate::support::contract::{DOCUMENT, operation, problems, resolve};

#[tokio::test(flavor = "multi_thread")]
async fn the_document_is_served_as_it_is_committed() {
    let committed = include_str!("../../../../docs/openapi.json");
    let app = App::start_closed(None);
    let answer = app.get("/api/openapi.json").send().await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    let served = String::from_utf8(answer.body).unwrap();
    assert!(served == committed, "docs/openapi.json is not what the code says: run ./just openapi");
    assert_eq!(DOCUMENT["openapi"], "3.1.0");
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_need_no_key_and_are_not_counted() {
    let app = App::start_closed(None);
    for path in ["/api/openapi.json", "/docs", "/docs/start.js", "/docs/swagger-ui-bundle.js"] {
        for _ in 0..700 {
            assert_eq!(app.request("HEAD", path).send().await.status, 200, "{path}");
        }
        let answer = app.get(path).send().await;
        assert_eq!(answer.header("x-ratelimit-limit"), None);
        assert_eq!(answer.header("cache-control"), Some("no-cache"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_the_client_has_is_not_sent_again() {
    let app = App::start_closed(None);
    for path in ["/api/openapi.json", "/docs", "/docs/swagger-ui.css"] {
        let tag = app.get(path).send().await.header("etag").unwrap().to_owned();
        for known in [tag.as_str(), "*", &format!("\"other\", W/{tag}")] {
            let answer = app.get(path).header("If-None-Match", known).send().await;
            assert_eq!((answer.status, answer.header("etag")), (304, Some(tag.as_str())), "{known}");
        }
        for other in ["\"other\"", "nonsense", ""] {
            assert_eq!(app.get(path).header("If-None-Match", other).send().await.status, 200, "{other}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_loads_everything_from_here_and_nothing_inline() {
    let app = App::start_closed(None);
    let answer = app.get("/docs").send().await;
    let policy = answer.header("content-security-policy").unwrap().to_owned();
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"), "{policy}");
    let page = String::from_utf8(answer.body).unwrap();
    let mut loaded = 0;
    for (_, rest) in page
        .match_indices("src=\"")
        .chain(page.match_indices("href=\""))
        .map(|(at, found)| (at, &page[at + found.len()..]))
    {
        let address = rest.split('"').next().unwrap();
        let answer = app.get(address).send().await;
        assert_eq!(
            (answer.status, answer.header("x-content-type-options")),
            (200, Some("nosniff")),
            "{address}"
        );
        assert!(!answer.body.is_empty());
        loaded += 1;
    }
    assert_eq!(loaded, 6);
    assert!(!page.contains("<style") && !page.contains("<script>"));
    app.get("/docs/swagger-ui.js").send().await.error(404);
    app.get("/docs/..%2Findex.html").send().await.error(404);
}

#[test]
fn every_endpoint_of_the_table_is_in_the_document_with_its_limit_and_its_key() {
    let mut operations = 0;
    for entry in entries() {
        let said = operation(entry.method, entry.path).unwrap_or_else(|| panic!("{entry:?}"));
        let limit = entry.limit.map(|limit| json!({ "requests": limit, "windowSeconds": 60 }));
        assert_eq!(said.get("x-rate-limit"), limit.as_ref(), "{entry:?}");
        let key = match entry.needs {
            Needs::NoKey | Needs::SignedAddress => json!([]),
            Needs::TenantKey => json!([{ "apiKey": ["tenant"] }]),
            Needs::Permission(permission) => json!([{ "apiKey": [permission.as_str()] }]),
        };
        assert_eq!(said["security"], key, "{entry:?}");
        let mut statuses = vec!["500"];
        statuses.extend(entry.limit.map(|_| "429"));
        if entry.needs == Needs::SignedAddress {
            statuses.extend(["206", "304", "403", "404", "416", "503"]);
        }
        if entry.needs.a_key() {
            statuses.extend(["401", "403", "503"]);
        }
        for status in statuses {
            assert!(said["responses"][status].is_object(), "{entry:?} {status}");
        }
        operations += 1;
    }
    let written: usize =
        DOCUMENT["paths"].as_object().unwrap().values().map(|item| item.as_object().unwrap().len()).sum();
    assert_eq!(operations, written);
}

#[test]
fn every_field_has_a_type_and_words_and_an_example() {
    fn look(name: &str, schema: &Value) {
        for (field, shape) in schema["properties"].as_object().into_iter().flatten() {
            let at = format!("{name}.{field}");
            if shape.get("$ref").is_some() {
                continue;
            }
            assert!(shape["description"].is_string() && !shape["type"].is_null(), "{at}: {shape}");
            let nested = shape.get("properties").or(shape.get("additionalProperties")).or(shape.get("items"));
            assert!(shape["examples"].is_array() || nested.is_some(), "{at}: {shape}");
            look(&at, shape);
        }
    }
    for (name, schema) in DOCUMENT["components"]["schemas"].as_object().unwrap() {
        assert!(schema["description"].is_string(), "{name}");
        look(name, schema);
    }
}

#[test]
fn every_reference_leads_somewhere_and_every_example_is_of_its_schema() {
    fn look(value: &'static Value) {
        if let Some(examples) = value.get("examples").and_then(Value::as_object) {
            for (name, example) in examples {
                assert_eq!(problems(&value["schema"], &example["value"]), Vec::<String>::new(), "{name}");
            }
        }
        if let (Some(examples), Some(_)) =
            (value.get("examples").and_then(Value::as_array), value.get("type"))
        {
            for example in examples {
                assert_eq!(problems(value, example), Vec::<String>::new(), "{value}");
            }
        }
        match value {
            Value::Object(members) => {
                resolve(value);
                members.values().for_each(look);
            }
            Value::Array(items) => items.iter().for_each(look),
            _ => {}
        }
    }
    look(&DOCUMENT);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_callback_is_as_the_document_says() {
    let app = App::start().await;
    let with =
        json!({ "callbackUrl": "https://example.com/calls", "dynamicVariables": { "visit": "Tuesday" } });
    let without = json!({ "callbackUrl": "https://example.com/calls" });
    for body in [with, without] {
        assert_eq!(app.create(&body).send().await.status, 201);
    }
    let said = operation("POST", "/api/outbound").unwrap();
    let post = &said["callbacks"]["call.completed"]["{$request.body#/callbackUrl}"]["post"];
    let schema = &post["requestBody"]["content"]["application/json"]["schema"];
    let ended_at = datetime!(2026-03-01 09:31:07.249 UTC);
    let mut checked = 0;
    for call in app.store.inner.calls() {
        for (reason, started_at) in EndedReason::ALL
            .map(|reason| (reason, None))
            .into_iter()
            .chain([(EndedReason::CustomerEndedCall, Some(datetime!(2026-03-01 09:30:05.250 UTC)))])
        {
            let draft = CallbackDraft::of(&call, &Ended { reason, started_at, ended_at }, ended_at).unwrap();
            let body: Value = serde_json::from_slice(&draft.body).unwrap();
            assert_eq!(problems(schema, &body), Vec::<String>::new(), "{body}");
            checked += 1;
        }
    }
    assert_eq!(checked, 2 * (EndedReason::ALL.len() + 1));
}
