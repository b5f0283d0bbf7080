//! Metadata held against schemas.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests say what they mean")]

use domain::ids::NewId;
use domain::metadata::StoredSchema;
use domain::ports::{Judgement, SchemaJudge};
use json_schema::{JsonSchemaJudge, limits};
use serde_json::{Map, Value, json};
use time::OffsetDateTime;

fn stored(number: u8, document: Value) -> StoredSchema {
    let id = NewId::at(OffsetDateTime::UNIX_EPOCH, [number; 10]).into();
    StoredSchema { id: Some(id), document }
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

async fn reason(judge: &JsonSchemaJudge, schema: &StoredSchema, metadata: Value) -> String {
    match judge.judge(schema.clone(), object(&metadata)).await.unwrap() {
        Judgement::Breaks(mismatch) => mismatch.to_string(),
        Judgement::Fits => panic!("fits"),
    }
}

#[tokio::test]
async fn without_a_schema_any_object_fits() {
    let judge = JsonSchemaJudge::start().unwrap();
    for metadata in [json!({}), json!({ "a": [1, { "b": null }] })] {
        let judged = judge.judge(StoredSchema::any_object(), object(&metadata)).await.unwrap();
        assert_eq!(judged, Judgement::Fits);
    }
    // Another schema without an id is not taken for the default.
    let odd = StoredSchema { id: None, document: json!({ "required": ["a"] }) };
    assert!(reason(&judge, &odd, json!({})).await.contains('a'));
    let judged = judge.judge(StoredSchema::any_object(), Map::new()).await.unwrap();
    assert_eq!(judged, Judgement::Fits);
}

#[tokio::test]
async fn the_reason_names_the_problems_with_their_places() {
    let judge = JsonSchemaJudge::start().unwrap();
    let schema = stored(
        1,
        json!({
            "type": "object",
            "properties": {
                "plan": { "enum": ["basic", "pro"] },
                "seats": { "type": "integer", "minimum": 1 },
                "codes": { "items": { "pattern": "^[A-Z]{2}$" } },
            },
            "required": ["plan"],
            "additionalProperties": false,
        }),
    );
    let fits = object(&json!({ "plan": "pro", "seats": 3, "codes": ["AB"] }));
    assert_eq!(judge.judge(schema.clone(), fits).await.unwrap(), Judgement::Fits);
    for (metadata, words) in [
        (json!({}), ["at the top", "\"plan\" is a required property"]),
        (json!({ "plan": "free" }), ["at /plan", "\"basic\""]),
        (json!({ "plan": "pro", "seats": 0 }), ["at /seats", "minimum"]),
        (json!({ "plan": "pro", "seats": "many" }), ["at /seats", "integer"]),
        (json!({ "plan": "pro", "codes": ["AB", "secret-text"] }), ["at /codes/1", "^[A-Z]{2}$"]),
        (json!({ "plan": "pro", "x": 1 }), ["at the top", "'x'"]),
        (json!({ "plan": "pro", "codes": [1, "a", "b", "c", "d", "e"] }), ["at /codes/1", "and 2 more"]),
    ] {
        let told = reason(&judge, &schema, metadata).await;
        assert!(words.iter().all(|word| told.contains(word)), "{told}");
        assert!(!told.contains("secret-text"), "{told}");
    }
}

#[tokio::test]
async fn the_reason_is_short_however_large_the_data_is() {
    let judge = JsonSchemaJudge::start().unwrap();
    let long = "é\n".repeat(15_000);
    let many: Map<_, _> = (0..500).map(|number| (format!("{long:.300}{number}"), json!(1))).collect();
    for (number, document, metadata) in [
        (1, json!({ "properties": { "a": { "type": "integer" } } }), json!({ "a": long.clone() })),
        (2, json!({ "additionalProperties": false }), Value::Object(many.clone())),
        (3, json!({ "additionalProperties": { "type": "string" } }), Value::Object(many)),
        (4, json!({ "properties": { "a": { "enum": [long.clone()] } } }), json!({ "a": 1 })),
        (5, json!({ "required": [long.clone()] }), json!({})),
        (6, json!({ "propertyNames": { "maxLength": 3 } }), json!({ long.clone(): 1 })),
    ] {
        let told = reason(&judge, &stored(number, document), metadata).await;
        assert!(told.chars().count() <= limits::REASON, "{}: {told}", told.len());
        assert!(!told.chars().any(char::is_control), "{told}");
    }
}

#[tokio::test]
async fn formats_are_not_checked() {
    let judge = JsonSchemaJudge::start().unwrap();
    let schema =
        stored(1, json!({ "properties": { "a": { "format": "email", "contentEncoding": "base64" } } }));
    let judged = judge.judge(schema, object(&json!({ "a": "none" }))).await.unwrap();
    assert_eq!(judged, Judgement::Fits);
}

#[tokio::test]
async fn a_broken_stored_schema_cannot_judge() {
    let judge = JsonSchemaJudge::start().unwrap();
    for document in [json!({ "type": 5 }), json!({ "$ref": "https://example.com/" }), json!(7)] {
        assert!(judge.judge(stored(1, document), Map::new()).await.is_err());
    }
}

#[tokio::test]
async fn a_new_schema_takes_the_place_of_the_old_even_when_many_are_in_use() {
    let judge = JsonSchemaJudge::start().unwrap();
    let named = |number: u8| stored(number, json!({ "required": [format!("n{number}")] }));
    for round in 0..2 {
        for number in 0..200 {
            let told = reason(&judge, &named(number), json!({ "n": round })).await;
            assert!(told.contains(&format!("n{number}\"")), "{told}");
        }
    }
}

#[tokio::test]
async fn a_hundred_judgements_at_once_are_all_made() {
    let judge = std::sync::Arc::new(JsonSchemaJudge::start().unwrap());
    let schema = stored(1, json!({ "properties": { "n": { "maximum": 49 } } }));
    let jobs = (0..100).map(|number| {
        let (judge, schema) = (judge.clone(), schema.clone());
        tokio::spawn(async move { judge.judge(schema, object(&json!({ "n": number }))).await.unwrap() })
    });
    for (number, job) in jobs.collect::<Vec<_>>().into_iter().enumerate() {
        assert_eq!(job.await.unwrap() == Judgement::Fits, number <= 49, "{number}");
    }
}
