//! Patterns, which a linear-time engine has to take.

use std::collections::HashMap;

use domain::schema::{Flaw, UnsafeSchema};
use jsonschema::PatternOptions;
use serde_json::json;

use crate::graph::Graph;
use crate::limits::{PATTERN_BYTES, PATTERNS, PATTERNS_BYTES};
use crate::place::{below, refused};

/// The engine: linear in pattern and text, and bounded in memory.
pub(crate) fn engine(bytes: usize) -> PatternOptions<jsonschema::Regex> {
    PatternOptions::regex().size_limit(bytes).dfa_size_limit(PATTERN_BYTES)
}

/// How large each pattern is when compiled, in bytes (rounded up to a power of four).
pub(crate) type Sizes = HashMap<String, usize>;

/// Compiles every pattern of a schema.
pub(crate) fn check(graph: &Graph) -> Result<Sizes, UnsafeSchema> {
    let mut sizes = Sizes::new();
    let mut together = 0;
    for node in &graph.nodes {
        let own = node.pattern.iter().map(|pattern| (pattern, below(&node.place, "pattern")));
        let of_names = node.pattern_properties.iter().map(|(pattern, _)| pattern);
        let of_names =
            of_names.map(|pattern| (pattern, below(&below(&node.place, "patternProperties"), pattern)));
        for (pattern, place) in own.chain(of_names) {
            let fails = |flaw| refused(&place, flaw);
            if sizes.contains_key(pattern) {
                continue;
            }
            let Some(size) = size(pattern) else { return fails(why_not(pattern)) };
            together += size;
            sizes.insert(pattern.clone(), size);
            if sizes.len() > PATTERNS {
                return fails(Flaw::ManyPatterns(PATTERNS));
            }
            if together > PATTERNS_BYTES {
                return fails(Flaw::LargePatterns(PATTERNS_BYTES));
            }
        }
    }
    Ok(sizes)
}

/// The least limit that the compiled pattern keeps within.
fn size(pattern: &str) -> Option<usize> {
    let mut limit = 1 << 10;
    while limit <= PATTERN_BYTES {
        if compiles(pattern, limit) {
            return Some(limit);
        }
        limit <<= 2;
    }
    None
}

fn compiles(pattern: &str, bytes: usize) -> bool {
    let schema = json!({ "pattern": pattern });
    jsonschema::draft202012::options().with_pattern_options(engine(bytes)).build(&schema).is_ok()
}

fn why_not(pattern: &str) -> Flaw {
    const LOOKS: [&str; 4] = ["(?=", "(?!", "(?<=", "(?<!"];
    if LOOKS.iter().any(|look| pattern.contains(look)) {
        return Flaw::LooksAround;
    }
    let mut escaped = false;
    for character in pattern.chars() {
        if escaped && (character == 'k' || ('1'..='9').contains(&character)) {
            return Flaw::RefersBack;
        }
        escaped = character == '\\' && !escaped;
    }
    Flaw::BadPattern(PATTERN_BYTES)
}
