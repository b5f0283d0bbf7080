//! Random schemas with references of their own: what is accepted judges as the dialect says, and
//! within the steps that were counted for it.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::ports::Judgement;
use jsonschema::{Keyword, ValidationError};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, json};

use super::*;

const CASES: u32 = 1_000;

fn target() -> impl Strategy<Value = Value> {
    let targets = ["#", "#/$defs/a", "#/$defs/b", "#/$defs/c", "#/$defs/d", "#/$defs/e", "#anchor"];
    select(targets.to_vec()).prop_map(Value::from)
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        2 => any::<bool>().prop_map(Value::from),
        2 => select(vec!["object", "array", "string", "integer", "null"]).prop_map(|kind| json!({ "type": kind })),
        2 => target().prop_map(|target| json!({ "$ref": target })),
        1 => target().prop_map(|target| json!({ "$dynamicRef": target })),
        1 => Just(json!({ "enum": ["a", 1, [1], { "a": 1 }] })),
        1 => Just(json!({ "required": ["a"], "uniqueItems": true, "minimum": 1, "maxLength": 2 })),
        1 => select(vec!["^a", "[ab]{1,3}$", "b", "^.{2}$", "a(?=b)"]).prop_map(|pattern| json!({ "pattern": pattern })),
    ]
}

fn keyword(inner: BoxedStrategy<Value>) -> impl Strategy<Value = (String, Value)> {
    let one = select(vec![
        "not",
        "if",
        "then",
        "else",
        "items",
        "contains",
        "additionalProperties",
        "propertyNames",
        "unevaluatedProperties",
        "unevaluatedItems",
    ]);
    let some = select(vec!["allOf", "anyOf", "oneOf", "prefixItems"]);
    let named = select(vec!["properties", "patternProperties", "dependentSchemas", "$defs"]);
    prop_oneof![
        (one, inner.clone()).prop_map(|(keyword, schema)| (keyword.to_owned(), schema)),
        (some, vec(inner.clone(), 1..4)).prop_map(|(keyword, schemas)| (keyword.to_owned(), json!(schemas))),
        (named, vec((select(vec!["a", "b", "c"]), inner), 1..4)).prop_map(|(keyword, schemas)| {
            let members = schemas.into_iter().map(|(name, schema)| (name.to_owned(), schema));
            (keyword.to_owned(), Value::Object(members.collect()))
        }),
    ]
}

fn subschema() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 24, 4, |inner| {
        let keywords = vec(keyword(inner.boxed()), 1..4);
        keywords.prop_map(|keywords| Value::Object(keywords.into_iter().collect()))
    })
}

fn document() -> impl Strategy<Value = Value> {
    (subschema(), vec(subschema(), 4)).prop_map(|(top, defs)| {
        let mut keywords = match top {
            Value::Object(keywords) => keywords,
            other => Map::from_iter([("not".to_owned(), other)]),
        };
        let names = ["a", "b", "c", "d"].map(str::to_owned);
        let mut defs: Map<_, _> = names.into_iter().zip(defs).collect();
        defs.insert("e".to_owned(), json!({ "$anchor": "anchor", "$dynamicAnchor": "other" }));
        keywords.insert("$defs".to_owned(), Value::Object(defs));
        Value::Object(keywords)
    })
}

fn metadata() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..3_i32).prop_map(Value::from),
        "[abc]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((select(vec!["a", "b", "c", "ab"]), inner), 0..4).prop_map(|members| {
                Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
            }),
        ]
    })
}

/// A keyword that always holds, and counts how often it is asked.
struct Counter(Arc<AtomicU64>);

impl<'i> Keyword<'i> for Counter {
    fn validate(&self, _: &'i Value) -> Result<(), ValidationError<'i>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn is_valid(&self, _: &'i Value) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed);
        true
    }
}

/// The document with a counter in every subschema.
fn counting(value: &Value, is_schema: bool) -> Value {
    match value {
        Value::Object(members) => {
            let mut counted = Map::new();
            if is_schema {
                counted.insert("x-count".to_owned(), Value::Null);
            }
            for (name, member) in members {
                let names = ["properties", "patternProperties", "dependentSchemas", "$defs"];
                let leads_to_names = is_schema && names.contains(&name.as_str());
                let member = if is_schema && name == "enum" {
                    member.clone()
                } else {
                    counting(member, !leads_to_names)
                };
                counted.insert(name.clone(), member);
            }
            Value::Object(counted)
        }
        Value::Array(items) => items.iter().map(|item| counting(item, is_schema)).collect(),
        other => other.clone(),
    }
}

fn asked(document: &Value, metadata: &Value) -> u64 {
    let count = Arc::new(AtomicU64::new(0));
    let own = Arc::clone(&count);
    let validator = jsonschema::draft202012::options()
        .with_keyword("x-count", move |_, _, _| Ok(Box::new(Counter(Arc::clone(&own)))))
        .build(&counting(document, true))
        .unwrap();
    let _ = validator.is_valid(metadata);
    count.load(Ordering::Relaxed)
}

#[test]
fn what_is_accepted_judges_as_the_dialect_says_within_its_steps() {
    let (accepted, fitting, refused) = (Cell::new(0_u32), Cell::new(0_u32), Cell::new(0_u32));
    let mut runner = TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    let pairs = (document(), vec(metadata(), 3));
    let outcome = runner.run(&pairs, |(document, values)| {
        let Ok(schema) = Schema::read(&document) else {
            refused.set(refused.get() + 1);
            return Ok(());
        };
        accepted.set(accepted.get() + 1);
        let plain = jsonschema::draft202012::new(&document).unwrap();
        for value in &values {
            let steps = schema.work.steps(value);
            let judged = schema.judge(value);
            prop_assert_eq!(judged == Judgement::Fits, steps.is_some() && plain.is_valid(value));
            fitting.set(fitting.get() + u32::from(judged == Judgement::Fits));
            if let Some(steps) = steps {
                let asked = asked(&document, value);
                prop_assert!(asked <= steps, "{} asked, {} counted", asked, steps);
            }
        }
        Ok(())
    });
    outcome.unwrap();
    // The generator must not leave any of these out.
    let seen = [accepted.get(), fitting.get(), refused.get()];
    assert!(seen.iter().all(|count| *count > CASES / 10), "{seen:?}");
}
