//! Why data does not match: what is known of it, and the same in words of bounded length.

use domain::schema::{Broken, DataType, Mismatch, Reason};
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use crate::limits::REASON;
use crate::place::{plain, pointer, shortened};

/// How many problems are told.
const TOLD: usize = 3;

/// The longest account of one problem, in characters.
const PROBLEM: usize = 160;

/// The longest value or name that is quoted of a schema, in characters.
const QUOTED: usize = 80;

/// How many unexpected members are named, and in how many characters each.
const NAMED: (usize, usize) = (3, 40);

/// The first few problems, each with its place.
pub(crate) fn of<'a>(errors: impl Iterator<Item = ValidationError<'a>>) -> Mismatch {
    let (mut problems, mut told, mut more) = (Vec::new(), Vec::new(), 0_usize);
    for error in errors {
        if problems.len() < TOLD {
            let place = pointer(error.instance_path().as_str());
            let shown = if place.is_empty() { "the top" } else { &place };
            told.push(format!("at {shown}: {}", words(&error)));
            problems.push((place, broken(&error)));
        } else {
            more += 1;
        }
    }
    let text = told.join("; ");
    let words = if more == 0 {
        shortened(&text, REASON)
    } else {
        let more = format!("; and {more} more");
        shortened(&text, REASON - more.len()) + &more
    };
    Mismatch { reason: Reason::At { problems, more }, words }
}

/// One problem; the data is not quoted, however large it is.
fn words(error: &ValidationError<'_>) -> String {
    plain(&error.masked_with("the value").to_string(), PROBLEM)
}

/// What a value breaks, as far as that has a name.
pub(crate) fn broken(error: &ValidationError<'_>) -> Broken {
    let json = |value: &Value| plain(&value.to_string(), QUOTED);
    let names = |unexpected: &[String]| {
        let (most, long) = NAMED;
        unexpected.iter().take(most).map(|name| plain(name, long)).collect()
    };
    match error.kind() {
        Kind::Type { kind: TypeKind::Single(own) } => Broken::Type(vec![data_type(*own)]),
        Kind::Type { kind: TypeKind::Multiple(all) } => Broken::Type(all.iter().map(data_type).collect()),
        Kind::Enum { options } => Broken::Enum(json(options)),
        Kind::Constant { expected_value } => Broken::Const(json(expected_value)),
        Kind::Required { property } => Broken::Required(json(property)),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            Broken::UnexpectedMembers(names(unexpected))
        }
        Kind::AdditionalItems { .. } | Kind::UnevaluatedItems { .. } => Broken::UnexpectedItems,
        Kind::Minimum { limit } => Broken::Minimum(json(limit)),
        Kind::ExclusiveMinimum { limit } => Broken::ExclusiveMinimum(json(limit)),
        Kind::Maximum { limit } => Broken::Maximum(json(limit)),
        Kind::ExclusiveMaximum { limit } => Broken::ExclusiveMaximum(json(limit)),
        Kind::MultipleOf { multiple_of } => Broken::MultipleOf(plain(&multiple_of.to_string(), QUOTED)),
        Kind::MinLength { limit } => Broken::MinLength(*limit),
        Kind::MaxLength { limit } => Broken::MaxLength(*limit),
        Kind::MinItems { limit } => Broken::MinItems(*limit),
        Kind::MaxItems { limit } => Broken::MaxItems(*limit),
        Kind::MinProperties { limit } => Broken::MinProperties(*limit),
        Kind::MaxProperties { limit } => Broken::MaxProperties(*limit),
        Kind::Pattern { pattern } => Broken::Pattern(plain(pattern, QUOTED)),
        Kind::UniqueItems => Broken::UniqueItems,
        Kind::Contains => Broken::Contains,
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => Broken::NoneFits,
        Kind::OneOfMultipleValid { .. } => Broken::SeveralFit,
        Kind::FalseSchema | Kind::Not { .. } => Broken::Forbidden,
        Kind::PropertyNames { error } => broken(error),
        _ => Broken::Other(words(error)),
    }
}

const fn data_type(own: JsonType) -> DataType {
    match own {
        JsonType::Null => DataType::Null,
        JsonType::Boolean => DataType::Boolean,
        JsonType::Integer => DataType::Integer,
        JsonType::Number => DataType::Number,
        JsonType::String => DataType::String,
        JsonType::Array => DataType::Array,
        JsonType::Object => DataType::Object,
    }
}
