//! A schema as a graph: which subschemas a value is held against, and which its parts.

mod references;
mod walk;

use std::collections::HashMap;

use domain::schema::UnsafeSchema;
use serde_json::Value;

/// A subschema's number in its graph.
pub(crate) type Index = usize;

/// One subschema: where it leads, and what its own keywords cost.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// Where it stands in the document.
    pub(crate) place: String,
    /// The subschemas that the same value is held against too.
    pub(crate) here: Vec<Index>,
    /// Those of an object's members.
    pub(crate) properties: HashMap<String, Index>,
    /// Those of the members whose name matches, with the pattern.
    pub(crate) pattern_properties: Vec<(String, Index)>,
    /// That of the members without an entry in `properties`.
    pub(crate) additional: Option<Index>,
    /// That of every member's name.
    pub(crate) names: Option<Index>,
    /// Those of an array's first items.
    pub(crate) prefix: Vec<Index>,
    /// That of the other items.
    pub(crate) items: Option<Index>,
    /// That of any item.
    pub(crate) contains: Option<Index>,
    /// Those of what no other keyword has looked at: of members, and of items.
    pub(crate) unevaluated: [Option<Index>; 2],
    /// What a string is matched with.
    pub(crate) pattern: Option<String>,
    /// Whether an array's items are compared with one another.
    pub(crate) unique: bool,
    /// Keywords and listed values, each a step for every value.
    pub(crate) constant: u64,
    /// Names that are looked up in an object.
    pub(crate) lookups: u64,
}

impl Node {
    /// How often the combined subschemas are asked: `unevaluated…` asks them once more for what they
    /// have looked at, and once for whether they hold.
    pub(crate) fn repeats(&self) -> u64 {
        if self.unevaluated.iter().any(Option::is_some) { 3 } else { 1 }
    }
}

/// All subschemas; the first is the whole.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
}

impl Graph {
    /// Reads a document that the meta-schema has accepted.
    pub(crate) fn read(document: &Value) -> Result<Self, UnsafeSchema> {
        let mut walk = walk::Walk::default();
        walk.subschema(document, String::new())?;
        references::connect(walk)
    }

    pub(crate) fn node(&self, index: Index) -> Option<&Node> {
        self.nodes.get(index)
    }
}
