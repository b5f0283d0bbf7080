//! Why data does not match, in words of bounded length.

use jsonschema::ValidationError;

use crate::limits::REASON;
use crate::place::{plain, shortened, shown};

/// How many problems are told.
const TOLD: usize = 3;

/// The longest account of one problem, in characters.
const PROBLEM: usize = 160;

/// The first few problems, each with its place.
pub(crate) fn of<'a>(errors: impl Iterator<Item = ValidationError<'a>>) -> String {
    let mut told = Vec::new();
    let mut more = 0_usize;
    for error in errors {
        if told.len() < TOLD {
            told.push(format!("at {}: {}", shown(error.instance_path().as_str()), words(&error)));
        } else {
            more += 1;
        }
    }
    let text = told.join("; ");
    if more == 0 {
        return shortened(&text, REASON);
    }
    let more = format!("; and {more} more");
    shortened(&text, REASON - more.len()) + &more
}

/// One problem; the data is not quoted, however large it is.
pub(crate) fn words(error: &ValidationError<'_>) -> String {
    plain(&error.masked_with("the value").to_string(), PROBLEM)
}
