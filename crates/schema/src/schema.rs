//! A schema that was found safe, ready to judge.

use std::borrow::Cow;

use domain::ports::Judgement;
use domain::schema::{Flaw, Mismatch, Reason, UnsafeSchema};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use crate::graph::Graph;
use crate::limits::{METADATA_DEPTH, PATTERN_BYTES, STEPS_EXPLAINED};
use crate::place::{plain, pointer, refused};
use crate::work::Work;
use crate::{document, expansion, patterns, reason};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The longest account of what is wrong with a schema, in characters.
const QUOTED: usize = 300;

/// A compiled schema, and what it costs.
pub(crate) struct Schema {
    validator: Validator,
    work: Work,
}

impl Schema {
    /// Reads a schema, unless it is unsafe.
    pub(crate) fn read(document: &Value) -> Result<Self, UnsafeSchema> {
        document::check(document)?;
        let document = anonymous(document)?;
        jsonschema::draft202012::meta::validate(&document).map_err(|error| unfit(&error))?;
        let graph = Graph::read(&document)?;
        let order = expansion::check(&graph)?;
        let sizes = patterns::check(&graph)?;
        let validator = jsonschema::draft202012::options()
            .with_pattern_options(patterns::engine(PATTERN_BYTES))
            .should_validate_formats(false)
            .offline()
            .build(&document)
            .map_err(|error| unfit(&error))?;
        Ok(Self { validator, work: Work::new(graph, order, &sizes) })
    }

    /// Judges metadata.
    pub(crate) fn judge(&self, metadata: &Value) -> Judgement {
        if document::is_deeper(metadata, METADATA_DEPTH) {
            return breaks(Reason::TooDeep, "the metadata is nested too deep");
        }
        let Some(steps) = self.work.steps(metadata) else {
            return breaks(Reason::TooLarge, "the metadata is too large to be checked by its schema");
        };
        if self.validator.is_valid(metadata) {
            Judgement::Fits
        } else if steps > STEPS_EXPLAINED {
            breaks(Reason::Somewhere, "the metadata does not match, and is too large to say where")
        } else {
            Judgement::Breaks(reason::of(self.validator.iter_errors(metadata)))
        }
    }
}

fn breaks(reason: Reason, words: &str) -> Judgement {
    Judgement::Breaks(Mismatch { reason, words: words.to_owned() })
}

/// The document without the name that it gives itself: its references are local, so nothing depends
/// on the name, and it cannot pass for another document.
fn anonymous(document: &Value) -> Result<Cow<'_, Value>, UnsafeSchema> {
    let Some(keywords) = document.as_object() else {
        return Err(UnsafeSchema { place: None, flaw: Flaw::NoObject });
    };
    match keywords.get("$schema") {
        None => {}
        Some(Value::String(dialect)) if dialect.trim_end_matches('#') == DIALECT => {}
        Some(_) => return refused("/$schema", Flaw::Dialect(DIALECT)),
    }
    if !keywords.contains_key("$id") && !keywords.contains_key("$schema") {
        return Ok(Cow::Borrowed(document));
    }
    let mut keywords = keywords.clone();
    keywords.remove("$id");
    keywords.remove("$schema");
    Ok(Cow::Owned(Value::Object(keywords)))
}

fn unfit(error: &ValidationError<'_>) -> UnsafeSchema {
    let place = Some(pointer(error.instance_path().as_str()));
    // The operator's own words may be quoted.
    let words = plain(&error.to_string(), QUOTED);
    UnsafeSchema { place, flaw: Flaw::Unfit { broken: reason::broken(error), words } }
}

#[cfg(test)]
mod random_tests;
