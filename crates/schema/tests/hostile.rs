//! Schemas and data that are made to cost as much as possible.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::too_many_lines,
    reason = "tests say what they mean, and tell the time that they took"
)]

use std::time::{Duration, Instant};

use domain::metadata::StoredSchema;
use domain::ports::{Judgement, SchemaJudge};
use domain::schema::Reason;
use json_schema::JsonSchemaJudge;
use serde_json::{Map, Value, json};

/// The interface's largest body.
const METADATA_BYTES: usize = 256 << 10;

/// What comes of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The schema is unsafe.
    Refused,
    /// It would take too many steps.
    TooLarge,
    /// It breaks the schema, and to find out where would take too many steps.
    BreaksSomewhere,
    /// It breaks the schema, and the places are named.
    Breaks,
    Fits,
}

use Outcome::{Breaks, BreaksSomewhere, Fits, Refused, TooLarge};

async fn outcome(name: &str, document: Value, metadata: Value) -> Outcome {
    let judge = JsonSchemaJudge::start().unwrap();
    let start = Instant::now();
    if let Err(error) = judge.examine(document.clone()).await {
        eprintln!("{name}: refused in {:?}: {error}", start.elapsed());
        return Refused;
    }
    let examined = start.elapsed();
    let metadata: Map<_, _> = metadata.as_object().unwrap().clone();
    let start = Instant::now();
    let judged = judge.judge(StoredSchema { id: None, document }, metadata).await.unwrap();
    eprintln!("{name}: examined in {examined:?}, judged in {:?}: {judged:.200?}", start.elapsed());
    match judged {
        Judgement::Fits => Fits,
        Judgement::Breaks(why) if why.reason == Reason::TooLarge => TooLarge,
        Judgement::Breaks(why) if why.reason == Reason::Somewhere => BreaksSomewhere,
        Judgement::Breaks(_) => Breaks,
    }
}

fn fill(item: &Value) -> Value {
    let times = METADATA_BYTES / (item.to_string().len() + 1);
    json!({ "a": vec![item.clone(); times] })
}

fn different(times: usize) -> Value {
    json!({ "a": (0..times).collect::<Vec<_>>() })
}

fn refs(count: usize) -> Vec<Value> {
    (0..count).map(|number| json!({ "$ref": format!("#/$defs/d{number}") })).collect()
}

fn deep(levels: usize, name: &str) -> Value {
    (0..levels).fold(json!({}), |inner, _| json!({ name: inner }))
}

/// Every pair, with what comes of it.
fn pairs() -> Vec<(&'static str, Outcome, Value, Value)> {
    let on_items = |schema: Value| json!({ "properties": { "a": { "items": schema } } });
    let long_text = json!({ "a": "a".repeat(METADATA_BYTES) });
    let keys: Map<_, _> = (0..20_000).map(|number| (format!("a{number}"), json!(1))).collect();
    let listed: Vec<_> = (0..9_000).map(|number| json!([number])).collect();
    let alike: Vec<_> = (0..60).map(|number| json!([vec!["x"; 200], number])).collect();
    let patterns: Map<_, _> =
        (0..200).map(|number| (format!("[a-f]{{1,9}}{number}$"), json!({ "type": "integer" }))).collect();
    let defs: Map<_, _> =
        (0..1_000).map(|number| (format!("d{number}"), json!({ "type": "string" }))).collect();
    let chain: Map<_, _> = (0..1_200)
        .map(|number| {
            (
                format!("d{number}"),
                json!({ "items": { "$ref": format!("#/$defs/d{}", (number + 1) % 1_200) } }),
            )
        })
        .collect();
    let unevaluated = json!({
        "anyOf": [{ "properties": { "a": { "$ref": "#" } } }, { "properties": { "a": { "$ref": "#" } } }],
        "unevaluatedProperties": false,
    });
    let doubling = json!({
        "properties": { "a": { "allOf": [{ "$ref": "#" }, { "$ref": "#" }] } }, "type": "object",
    });
    let nested_any =
        (0..13).fold(json!({ "const": 1 }), |inner, _| json!({ "anyOf": [inner, { "const": 2 }] }));
    let nested_not = (0..27).fold(json!({ "type": "string" }), |inner, _| json!({ "not": inner }));
    let often: Vec<_> = (0..40).map(|_| json!({ "$ref": "#/$defs/inner" })).collect();
    let inner: Vec<_> = (0..45).map(|_| json!({ "$ref": "#/$defs/most" })).collect();
    let counted = json!({ "properties": { "a": { "allOf": often } },
        "$defs": { "inner": { "allOf": inner }, "most": { "maxLength": METADATA_BYTES } } });
    let fractions: Vec<_> =
        (1..100).map(|number| json!({ "multipleOf": f64::from(number) * 1e-300 })).collect();
    let few_long: Vec<_> = (0..15).map(|number| json!([vec![1; 8_000], number])).collect();
    vec![
        ("characters counted often", Fits, counted, json!({ "a": "é".repeat(METADATA_BYTES / 16) })),
        ("many fractions", TooLarge, on_items(json!({ "allOf": fractions })), fill(&json!(1.7e308))),
        (
            "unique in few long items",
            Fits,
            json!({ "properties": { "a": { "uniqueItems": true } } }),
            json!({ "a": few_long }),
        ),
        ("a long constant", Breaks, on_items(json!({ "const": "a".repeat(60_000) })), fill(&json!(12_345))),
        (
            "unique numbers",
            Fits,
            json!({ "properties": { "a": { "uniqueItems": true } } }),
            different(40_000),
        ),
        (
            "unique alike",
            Breaks,
            json!({ "properties": { "a": { "uniqueItems": true } } }),
            fill(&json!([[], [0]])),
        ),
        (
            "unique in unique",
            BreaksSomewhere,
            json!({ "$ref": "#/$defs/u", "$defs": { "u": { "uniqueItems": true,
            "items": { "$ref": "#/$defs/u" }, "additionalProperties": { "$ref": "#/$defs/u" } } } }),
            fill(&json!([[[[[0, 1], 2], 3], 4], 5])),
        ),
        ("enum of arrays", TooLarge, on_items(json!({ "enum": listed })), fill(&json!([9_999]))),
        (
            "enum of long arrays",
            BreaksSomewhere,
            on_items(json!({ "enum": alike })),
            fill(&json!([vec!["x"; 200], -1])),
        ),
        ("patterns by keys", TooLarge, json!({ "patternProperties": patterns }), Value::Object(keys.clone())),
        (
            "pattern on a long text",
            BreaksSomewhere,
            json!({ "properties": { "a": { "pattern": "(a|aa)*(a|b){50,100}c" } } }),
            long_text.clone(),
        ),
        (
            "pattern with many states",
            TooLarge,
            json!({ "properties": { "a": { "pattern": "(.*a){40}b" } } }),
            long_text.clone(),
        ),
        (
            "pattern with late choice",
            Refused,
            json!({ "properties": { "a": { "pattern": "a.{300}b" } } }),
            long_text.clone(),
        ),
        (
            "wide pattern",
            TooLarge,
            json!({ "properties": { "a": { "pattern": "[^b]{1,200}b" } } }),
            long_text,
        ),
        (
            "thousand references by items",
            TooLarge,
            json!({ "properties": { "a": { "items": { "anyOf": refs(1_000) } } }, "$defs": defs.clone() }),
            fill(&json!(1)),
        ),
        (
            "thousand references on one",
            Breaks,
            json!({ "properties": { "a": { "anyOf": refs(1_000) } }, "$defs": defs }),
            json!({ "a": 1 }),
        ),
        (
            "long circle",
            Fits,
            json!({ "additionalProperties": { "$ref": "#/$defs/d0" }, "$defs": chain }),
            json!({ "a": (0..60).fold(json!([]), |inner, _| json!([inner])) }),
        ),
        ("unevaluated within", TooLarge, unevaluated.clone(), deep(60, "a")),
        (
            "unevaluated within, wrong",
            TooLarge,
            unevaluated,
            (0..60).fold(json!({ "b": 1 }), |inner, _| json!({ "a": inner })),
        ),
        ("doubling", TooLarge, doubling.clone(), deep(60, "a")),
        ("doubling, wrong", TooLarge, doubling, (0..60).fold(json!(1), |inner, _| json!({ "a": inner }))),
        ("nested anyOf", BreaksSomewhere, on_items(nested_any), fill(&json!(333))),
        ("nested not", Fits, on_items(nested_not), fill(&json!(333))),
        (
            "many names required",
            TooLarge,
            json!({ "additionalProperties": { "items": { "required": (0..6_000).map(|n| format!("n{n}")).collect::<Vec<_>>() } } }),
            fill(&json!({})),
        ),
        ("multiple of little", Fits, on_items(json!({ "multipleOf": 1e-300 })), fill(&json!(1.7e308))),
        (
            "multiple of a fraction",
            Fits,
            on_items(json!({ "multipleOf": 0.000_001 })),
            fill(&json!(123_456.789_012)),
        ),
        (
            "names",
            BreaksSomewhere,
            json!({ "propertyNames": { "pattern": "^(a|b)*$", "maxLength": 9 }, "additionalProperties": false }),
            Value::Object(keys),
        ),
        (
            "contains",
            BreaksSomewhere,
            json!({ "properties": { "a": { "contains": { "const": 7 }, "minContains": 9, "maxContains": 10 } } }),
            fill(&json!(1)),
        ),
        (
            "a problem an item",
            BreaksSomewhere,
            on_items(json!({ "oneOf": [{ "type": "string" }, { "required": ["a", "b"] }, false] })),
            fill(&json!({})),
        ),
        (
            "plain",
            Fits,
            json!({ "additionalProperties": { "items": { "type": "object", "properties": { "a": { "type": "integer" }, "b": { "type": "string", "maxLength": 90 } }, "required": ["a"] } } }),
            fill(&json!({ "a": 1, "b": "some text" })),
        ),
    ]
}

#[tokio::test]
async fn nothing_takes_long() {
    // Many times what they take: machines are slow at times, and code without optimisation always.
    let limit = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 5 });
    let mut wrong = Vec::new();
    for (name, expected, document, metadata) in pairs() {
        let start = Instant::now();
        let outcome = outcome(name, document, metadata).await;
        if outcome != expected || start.elapsed() > limit {
            wrong.push((name, outcome, start.elapsed()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
