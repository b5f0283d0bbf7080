//! Finds every subschema of a document, keyword by keyword.

use std::collections::HashMap;

use domain::schema::{Flaw, UnsafeSchema};
use serde_json::{Map, Value};

use super::{Index, Node};
use crate::document::values;
use crate::place::{below, refused};

/// Keywords that would change what the others mean or where references lead.
const REFUSED: [(&str, Flaw); 5] = [
    ("$vocabulary", Flaw::Vocabulary),
    ("$recursiveRef", Flaw::RecursiveRef),
    ("$recursiveAnchor", Flaw::RecursiveAnchor),
    ("dependencies", Flaw::Dependencies),
    ("additionalItems", Flaw::AdditionalItems),
];

/// What dividing by a fraction costs: it is done with numbers of any length.
const DIVISION: u64 = 50;

/// What has been found so far.
#[derive(Debug, Default)]
pub(super) struct Walk {
    pub(super) nodes: Vec<Node>,
    pub(super) places: HashMap<String, Index>,
    pub(super) anchors: HashMap<String, Index>,
    /// Whence, and to what.
    pub(super) references: Vec<(Index, String)>,
}

impl Walk {
    /// Adds a subschema and all below it. The recursion is as deep as the document at most.
    pub(super) fn subschema(&mut self, schema: &Value, place: String) -> Result<Index, UnsafeSchema> {
        let index = self.nodes.len();
        self.places.insert(place.clone(), index);
        self.nodes.push(Node { place: place.clone(), constant: 1, ..Node::default() });
        if let Value::Object(keywords) = schema {
            self.identity(index, keywords, &place)?;
            let mut node = Node { place, constant: 1, ..Node::default() };
            for (keyword, value) in keywords {
                self.keyword(index, &mut node, keyword, value)?;
            }
            if let Some(slot) = self.nodes.get_mut(index) {
                *slot = node;
            }
        }
        Ok(index)
    }

    /// What the subschema calls itself.
    fn identity(
        &mut self,
        index: Index,
        keywords: &Map<String, Value>,
        place: &str,
    ) -> Result<(), UnsafeSchema> {
        for (keyword, flaw) in REFUSED {
            if keywords.contains_key(keyword) {
                return refused(place, flaw);
            }
        }
        // The top's are read elsewhere; further down they would start another document.
        for keyword in ["$id", "$schema"] {
            if index > 0 && keywords.contains_key(keyword) {
                return refused(place, Flaw::AtTheTopOnly(keyword));
            }
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            let Some(name) = keywords.get(keyword).and_then(Value::as_str) else { continue };
            if self.anchors.insert(name.to_owned(), index).is_some_and(|earlier| earlier != index) {
                return refused(place, Flaw::SameAnchor);
            }
        }
        Ok(())
    }

    fn keyword(
        &mut self,
        index: Index,
        node: &mut Node,
        keyword: &str,
        value: &Value,
    ) -> Result<(), UnsafeSchema> {
        let place = below(&node.place, keyword);
        node.constant += 1;
        match keyword {
            "$ref" | "$dynamicRef" => {
                self.references.extend(value.as_str().map(|target| (index, target.to_owned())));
            }
            "allOf" | "anyOf" | "oneOf" => node.here.extend(self.list(value, &place)?),
            "not" | "if" | "then" | "else" => node.here.push(self.subschema(value, place)?),
            "dependentSchemas" => {
                node.here.extend(self.named(value, &place)?.into_iter().map(|(_, each)| each));
            }
            "properties" => node.properties.extend(self.named(value, &place)?),
            "patternProperties" => node.pattern_properties = self.named(value, &place)?,
            "additionalProperties" => node.additional = Some(self.subschema(value, place)?),
            "propertyNames" => node.names = Some(self.subschema(value, place)?),
            "prefixItems" => node.prefix = self.list(value, &place)?,
            "items" => node.items = Some(self.subschema(value, place)?),
            "contains" => node.contains = Some(self.subschema(value, place)?),
            "unevaluatedProperties" => node.unevaluated[0] = Some(self.subschema(value, place)?),
            "unevaluatedItems" => node.unevaluated[1] = Some(self.subschema(value, place)?),
            // Nothing is held against these until a reference leads here.
            "$defs" | "definitions" => drop(self.named(value, &place)?),
            "contentSchema" => drop(self.subschema(value, place)?),
            "pattern" => node.pattern = value.as_str().map(str::to_owned),
            "multipleOf" => node.constant += DIVISION,
            "uniqueItems" => node.unique = value == &Value::Bool(true),
            "enum" | "const" => node.constant += values(value),
            "required" | "dependentRequired" => node.lookups += values(value),
            _ => {}
        }
        Ok(())
    }

    fn list(&mut self, value: &Value, place: &str) -> Result<Vec<Index>, UnsafeSchema> {
        let items = value.as_array().into_iter().flatten().enumerate();
        items.map(|(number, item)| self.subschema(item, below(place, &number.to_string()))).collect()
    }

    fn named(&mut self, value: &Value, place: &str) -> Result<Vec<(String, Index)>, UnsafeSchema> {
        let members = value.as_object().into_iter().flatten();
        members.map(|(name, item)| Ok((name.clone(), self.subschema(item, below(place, name))?))).collect()
    }
}
