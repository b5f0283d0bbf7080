//! Which documents may be stored as schemas.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests say what they mean")]

use domain::ports::SchemaJudge;
use json_schema::{JsonSchemaJudge, limits};
use serde_json::{Map, Value, json};

async fn refusal(judge: &JsonSchemaJudge, document: Value) -> String {
    let text = document.to_string();
    match judge.examine(document).await {
        Ok(()) => panic!("accepted: {text:.300}"),
        Err(error) => error.to_string(),
    }
}

/// Objects within one another under `items`, so many in all.
fn nested(levels: usize) -> Value {
    (1..levels).fold(json!({}), |inner, _| json!({ "items": inner }))
}

#[tokio::test]
async fn what_operators_write_is_accepted() {
    let judge = JsonSchemaJudge::start().unwrap();
    for document in [
        json!({}),
        json!({ "type": "object" }),
        json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "x", "type": "object" }),
        json!({ "$schema": "https://json-schema.org/draft/2020-12/schema#" }),
        json!({ "$id": "https://example.com/s.json", "$ref": "#/$defs/a", "$defs": { "a": { "type": "object" } } }),
        // A name of its own cannot make it pass for the meta-schema.
        json!({ "$id": "https://json-schema.org/draft/2020-12/schema", "type": "object" }),
        json!({ "properties": { "$ref": { "type": "string" }, "$id": { "type": "string" }, "$schema": true } }),
        json!({ "properties": { "a": { "$ref": "#/definitions/b~1c%20d" } }, "definitions": { "b/c d": {} } }),
        json!({ "properties": { "a": { "$ref": "#name" } }, "$defs": { "x": { "$anchor": "name" } } }),
        json!({ "properties": { "a": { "$ref": "#" } }, "additionalProperties": false }),
        json!({ "$dynamicAnchor": "n", "items": { "$dynamicRef": "#n" }, "properties": { "a": { "$dynamicRef": "#n" } } }),
        json!({ "properties": { "left": { "$ref": "#" }, "right": { "anyOf": [{ "$ref": "#" }, { "type": "null" }] } } }),
        json!({ "properties": { "email": { "format": "email" }, "other": { "format": "never-heard-of" } } }),
        json!({ "patternProperties": { "^x-[a-z]{1,20}$": { "type": ["string", "null"], "pattern": "^\\d+\\w*$" } } }),
        json!({ "enum": [{ "$ref": "https://example.com/", "$id": "x" }], "const": { "pattern": "(?=a)" } }),
        json!({ "x-own-keyword": { "$ref": "https://example.com/" }, "maximum": 1e308 }),
        nested(limits::SCHEMA_DEPTH),
    ] {
        let text = document.to_string();
        assert_eq!(judge.examine(document).await, Ok(()), "{text}");
    }
}

#[tokio::test]
async fn what_is_no_schema_of_this_dialect_is_refused_with_its_place() {
    let judge = JsonSchemaJudge::start().unwrap();
    for (document, place, why) in [
        (json!(true), "", "JSON object"),
        (json!([]), "", "JSON object"),
        (json!({ "$schema": "http://json-schema.org/draft-07/schema#" }), "/$schema", "2020-12"),
        (json!({ "$schema": 1 }), "/$schema", "2020-12"),
        (json!({ "type": "objekt" }), "/type", "objekt"),
        (json!({ "properties": { "a": { "minLength": -1 } } }), "/properties/a/minLength", "minimum"),
        (json!({ "required": "a" }), "/required", "array"),
        (json!({ "$vocabulary": { "https://example.com/v": true } }), "the top", "$vocabulary"),
        (json!({ "items": { "$recursiveRef": "#" } }), "/items", "$dynamicRef"),
        (json!({ "dependencies": { "a": ["b"] } }), "the top", "dependentRequired"),
        (json!({ "items": { "additionalItems": false } }), "/items", "prefixItems"),
        (json!({ "items": { "$schema": "http://json-schema.org/draft-07/schema#" } }), "/items", "top only"),
        (json!({ "items": { "$anchor": "a" }, "not": { "$anchor": "a" } }), "/", "same anchor"),
    ] {
        let told = refusal(&judge, document).await;
        assert!(told.contains(place) && told.contains(why), "{told}");
    }
}

#[tokio::test]
async fn what_is_too_large_or_cannot_be_stored_is_refused() {
    let judge = JsonSchemaJudge::start().unwrap();
    let title = "x".repeat(limits::SCHEMA_BYTES - r#"{"title":""}"#.len());
    assert_eq!(judge.examine(json!({ "title": title.clone() })).await, Ok(()));
    let told = refusal(&judge, json!({ "title": title + "x" })).await;
    assert!(told.contains("65537") && told.contains("65536"), "{told}");

    let told = refusal(&judge, nested(limits::SCHEMA_DEPTH + 1)).await;
    assert!(told.contains("32 levels") && told.contains("/items/items"), "{told}");
    for (document, place) in [
        (json!({ "properties": { "a": { "title": "\0" } } }), "/properties/a/title"),
        (json!({ "properties": { "a\0": {} } }), "/properties"),
    ] {
        let told = refusal(&judge, document).await;
        assert!(told.contains(place) && told.contains("NUL"), "{told}");
    }
}

#[tokio::test]
async fn references_stay_inside_and_lead_somewhere() {
    let judge = JsonSchemaJudge::start().unwrap();
    for target in [
        "https://example.com/schema.json",
        "https://json-schema.org/draft/2020-12/schema",
        "file:///etc/passwd",
        "other.json#/a",
        "//example.com/x",
        "",
        "urn:uuid:0190a6e0-7e6b-7cc0-98b7-2f7c1c2f4a11",
    ] {
        for keyword in ["$ref", "$dynamicRef"] {
            let told = refusal(&judge, json!({ "properties": { "a": { keyword: target } } })).await;
            assert!(told.contains("/properties/a") && told.contains("leads out"), "{told}");
        }
    }
    for target in
        ["#/$defs/none", "#none", "#/$defs", "#/properties/a/$ref", "#/enum/0", "#/x-own", "#/allOf/00"]
    {
        let document = json!({
            "properties": { "a": { "$ref": target } },
            "enum": [{}], "x-own": {}, "allOf": [{}], "$defs": { "some": {} },
        });
        let told = refusal(&judge, document).await;
        assert!(told.contains("/properties/a") && told.contains("no subschema"), "{told}");
    }
    for keyword in ["$defs", "properties"] {
        let document = json!({ keyword: { "a": { "$id": "https://example.com/", "$ref": "#" } } });
        let told = refusal(&judge, document).await;
        assert!(told.contains(&format!("/{keyword}/a")) && told.contains("$id"), "{told}");
    }
}

#[tokio::test]
async fn a_circle_that_takes_nothing_from_the_data_is_refused() {
    let judge = JsonSchemaJudge::start().unwrap();
    for document in [
        json!({ "$ref": "#" }),
        json!({ "allOf": [{ "$ref": "#" }] }),
        json!({ "$dynamicAnchor": "a", "not": { "$dynamicRef": "#a" } }),
        json!({ "items": { "anyOf": [{ "$ref": "#/$defs/b" }] }, "$defs": { "b": { "if": { "$ref": "#/items" } } } }),
        json!({ "dependentSchemas": { "a": { "then": { "$ref": "#" } } } }),
    ] {
        let told = refusal(&judge, document).await;
        assert!(told.contains("circle"), "{told}");
    }
}

/// Each definition leads to the next so many times.
fn avalanche(levels: usize, times: usize) -> Value {
    let mut defs = Map::new();
    for level in 0..levels {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        defs.insert(format!("d{level}"), json!({ "allOf": vec![next; times] }));
    }
    defs.insert(format!("d{levels}"), json!({ "type": "object" }));
    json!({ "$ref": "#/$defs/d0", "$defs": defs })
}

#[tokio::test]
async fn an_avalanche_of_references_is_refused() {
    let judge = JsonSchemaJudge::start().unwrap();
    assert_eq!(judge.examine(avalanche(4, 4)).await, Ok(()));
    for document in [avalanche(6, 4), avalanche(60, 2), avalanche(25, 10)] {
        let told = refusal(&judge, document).await;
        assert!(told.contains("$defs") && (told.contains("4096") || told.contains("64")), "{told}");
    }
    let told = refusal(&judge, avalanche(500, 1)).await;
    assert!(told.contains("more than 64 references"), "{told}");
}

#[tokio::test]
async fn only_linear_patterns_are_taken() {
    let judge = JsonSchemaJudge::start().unwrap();
    for (pattern, why) in [
        ("(?=a)b", "look around"),
        ("a(?!b)", "look around"),
        ("(?<=a)b", "look around"),
        ("(?<!a)b", "look around"),
        (r"(a)\1", "refer back"),
        (r"(?<x>a)\k<x>", "refer back"),
        ("(a", "not a regular expression"),
        ("[z-a]", "not a regular expression"),
        (r"(\p{L}{100}){100}", "262144 bytes"),
        ("((a{100}){100}){100}", "262144 bytes"),
    ] {
        let told = refusal(&judge, json!({ "items": { "pattern": pattern } })).await;
        assert!(told.contains("/items/pattern") && told.contains(why), "{pattern}: {told}");
        let told = refusal(&judge, json!({ "patternProperties": { pattern: true } })).await;
        assert!(told.contains("/patternProperties/") && told.contains(why), "{pattern}: {told}");
    }
    let many: Map<_, _> =
        (0..=limits::PATTERNS).map(|number| (format!("^{number}[ab]"), json!(true))).collect();
    let told = refusal(&judge, json!({ "patternProperties": many })).await;
    assert!(told.contains("200 patterns"), "{told}");
    let large: Map<_, _> = (0..100).map(|number| (format!("{number}[^a]{{1,90}}"), json!(true))).collect();
    let told = refusal(&judge, json!({ "patternProperties": large })).await;
    assert!(told.contains("take more than"), "{told}");
}
