//! The OpenAPI document as a contract: every answer that a test gets is held against it.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};

use jsonschema::Validator;
use serde_json::{Value, json};

use super::wire::Answer;

/// The document as the code makes it.
pub(crate) static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(&http_api::openapi_document()).unwrap());

/// What the document says of a method of a path as it was asked for.
pub(crate) fn operation(method: &str, path: &str) -> Option<&'static Value> {
    let path = path.split('?').next().unwrap();
    let method = if method == "HEAD" { "get".to_owned() } else { method.to_ascii_lowercase() };
    let paths = DOCUMENT["paths"].as_object().unwrap();
    // A path without parameters goes before one that has some, as in the routing.
    let exact = paths.get_key_value(path);
    let item = exact.or_else(|| paths.iter().find(|(pattern, _)| leads_to(path, pattern)))?.1;
    item.get(&method)
}

fn leads_to(path: &str, pattern: &str) -> bool {
    let (parts, wanted): (Vec<_>, Vec<_>) = (path.split('/').collect(), pattern.split('/').collect());
    let fits =
        |(part, wanted): (&&str, &&str)| part == wanted || (wanted.starts_with('{') && !part.is_empty());
    parts.len() == wanted.len() && parts.iter().zip(&wanted).all(fits)
}

/// Checks that an answer is one that the document announces: its status, headers and body.
pub(crate) fn check(method: &str, path: &str, answer: &Answer) {
    let Some(operation) = operation(method, path) else { return };
    let status = answer.status.to_string();
    let announced = resolve(&operation["responses"][&status]);
    assert!(announced.is_object(), "{method} {path}: {status} is not in the document: {answer:?}");
    for (name, header) in announced["headers"].as_object().into_iter().flatten() {
        let (header, sent) = (resolve(header), answer.header(&name.to_ascii_lowercase()));
        let Some(sent) = sent else {
            assert_ne!(header["required"], true, "{method} {path}: no {name}: {answer:?}");
            continue;
        };
        let sent = if header["schema"]["type"] == "integer" { sent.parse().unwrap() } else { json!(sent) };
        let problem = validator(&header["schema"]).validate(&sent).err().map(|problem| problem.to_string());
        assert_eq!(problem, None, "{method} {path}: {name}");
    }
    if method == "HEAD" || announced["content"].is_null() {
        return assert!(answer.body.is_empty(), "{method} {path}: {answer:?}");
    }
    let kind = answer.header("content-type").unwrap();
    let content = &announced["content"][kind];
    assert!(content.is_object(), "{method} {path}: {status} as {kind} is not in the document");
    if kind == "application/json" {
        let problems = problems(&content["schema"], &answer.json());
        assert!(problems.is_empty(), "{method} {path} {status}: {problems:#?} in {answer:?}");
    }
}

/// What keeps a value from being of a schema; members that the schema does not name are a problem.
pub(crate) fn problems(schema: &Value, value: &Value) -> Vec<String> {
    validator(schema)
        .iter_errors(value)
        .map(|problem| format!("{}: {problem}", problem.instance_path()))
        .collect()
}

/// Follows a reference within the document.
pub(crate) fn resolve(value: &'static Value) -> &'static Value {
    match value["$ref"].as_str() {
        Some(reference) => DOCUMENT
            .pointer(reference.strip_prefix('#').unwrap())
            .unwrap_or_else(|| panic!("{reference} leads nowhere")),
        None => value,
    }
}

fn validator(schema: &Value) -> &'static Validator {
    static VALIDATORS: LazyLock<Mutex<BTreeMap<String, &'static Validator>>> = LazyLock::new(Mutex::default);
    VALIDATORS.lock().unwrap().entry(schema.to_string()).or_insert_with(|| {
        let mut whole =
            json!({ "allOf": [schema], "components": { "schemas": DOCUMENT["components"]["schemas"] } });
        close(&mut whole);
        Box::leak(Box::new(jsonschema::options().should_validate_formats(true).build(&whole).unwrap()))
    })
}

/// Lets objects have no members but those that they name.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("properties").is_some_and(Value::is_object) && members.contains_key("type") {
                members.entry("additionalProperties").or_insert(json!(false));
            }
            members.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}
