//! Counts what a judgement would cost, before it is made.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::document::values;
use crate::expansion::Order;
use crate::graph::{Graph, Index, Node};
use crate::limits::STEPS;
use crate::patterns::Sizes;

/// What a byte of text costs for each so many bytes of a compiled pattern: the engine's worst case.
const PATTERN_BYTES_A_STEP: u64 = 2_048;

/// Up to so many items are compared each with each, and more by their hashes.
const PAIRED: u64 = 15;

/// A schema's cost.
pub(crate) struct Work {
    graph: Graph,
    order: Order,
    /// By subschema: its pattern's, and those of its `patternProperties` together.
    patterns: Vec<[u64; 2]>,
}

/// The subschemas that a value is held against, and how often.
type Held = Vec<(Index, u64)>;

impl Work {
    pub(crate) fn new(graph: Graph, order: Order, sizes: &Sizes) -> Self {
        let steps = |pattern: &String| {
            let bytes = sizes.get(pattern).copied().unwrap_or_default();
            u64::try_from(bytes).unwrap_or(u64::MAX).div_ceil(PATTERN_BYTES_A_STEP)
        };
        let patterns = graph.nodes.iter().map(|node| {
            let names = node.pattern_properties.iter().map(|(pattern, _)| steps(pattern)).sum();
            [node.pattern.as_ref().map_or(0, steps), names]
        });
        let patterns = patterns.collect();
        Self { graph, order, patterns }
    }

    /// The steps of judging this value, at most; none when they are over the limit.
    pub(crate) fn steps(&self, value: &Value) -> Option<u64> {
        let mut spent = 0;
        self.count(value, vec![(0, 1)], &mut spent)?;
        Some(spent)
    }

    /// Each subschema is looked at once for each value, and what it would cost is multiplied. So the
    /// counting itself takes fewer steps than it counts.
    fn count(&self, value: &Value, held: Held, spent: &mut u64) -> Option<()> {
        let mut waiting = BTreeMap::new();
        add(&mut waiting, held.into_iter().map(|(index, times)| (self.order.rank(index), times)));
        let mut open = Vec::new();
        // A subschema comes after all that lead to it, so its number of times is complete.
        while let Some((rank, times)) = waiting.pop_first() {
            let index = self.order.at(rank);
            let node = self.graph.node(index)?;
            *spent = spent.saturating_add(times.saturating_mul(self.own(index, node, value)));
            if *spent > STEPS {
                return None;
            }
            let again = times.saturating_mul(node.repeats());
            add(&mut waiting, node.here.iter().map(|next| (self.order.rank(*next), again)));
            open.push((node, times));
        }
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let names: Held =
                        open.iter().filter_map(|(node, times)| Some((node.names?, *times))).collect();
                    if !names.is_empty() {
                        self.count(&Value::String(name.clone()), names, spent)?;
                    }
                    let held = open.iter().flat_map(|(node, times)| of_member(node, name, *times)).collect();
                    self.count(member, held, spent)?;
                }
            }
            Value::Array(items) => {
                for (number, item) in items.iter().enumerate() {
                    let held = open.iter().flat_map(|(node, times)| of_item(node, number, *times)).collect();
                    self.count(item, held, spent)?;
                }
            }
            _ => {}
        }
        Some(())
    }

    /// What the subschema's own keywords cost for a value.
    fn own(&self, index: Index, node: &Node, value: &Value) -> u64 {
        let [pattern, names] = self.patterns.get(index).copied().unwrap_or_default();
        let length = |text: &str| u64::try_from(text.len()).unwrap_or(u64::MAX);
        let more = match value {
            Value::String(text) => length(text).saturating_mul(pattern),
            Value::Array(items) if node.unique => {
                let often = if length_of(items) <= PAIRED { length_of(items).div_ceil(2) } else { 1 };
                values(value).saturating_mul(often)
            }
            Value::Array(items) => length_of(items),
            Value::Object(members) => {
                let texts: u64 = members.keys().map(|name| 1 + length(name)).sum();
                let lookups = node.lookups + length_of(&node.properties);
                lookups + length_of(members) + texts.saturating_mul(names)
            }
            _ => 0,
        };
        node.constant.saturating_add(more)
    }
}

fn add(waiting: &mut BTreeMap<usize, u64>, more: impl Iterator<Item = (usize, u64)>) {
    for (rank, times) in more {
        let slot = waiting.entry(rank).or_default();
        *slot = times.saturating_add(*slot);
    }
}

/// How many there are of something that can be gone through.
fn length_of<'a, T: ?Sized>(many: &'a T) -> u64
where
    &'a T: IntoIterator<IntoIter: ExactSizeIterator>,
{
    u64::try_from(many.into_iter().len()).unwrap_or(u64::MAX)
}

/// What a member is held against. Patterns are taken to match: only trying would tell.
fn of_member(node: &Node, name: &str, times: u64) -> impl Iterator<Item = (Index, u64)> {
    let named = node.properties.get(name).copied();
    let additional = if named.is_none() { node.additional } else { None };
    let matching = node.pattern_properties.iter().map(|(_, index)| *index);
    let once = named.into_iter().chain(additional).chain(matching).map(move |index| (index, times));
    once.chain(left_over(node.unevaluated[0], times))
}

fn of_item(node: &Node, number: usize, times: u64) -> impl Iterator<Item = (Index, u64)> {
    let placed = node.prefix.get(number).copied().or(node.items);
    let once = placed.into_iter().chain(node.contains).map(move |index| (index, times));
    once.chain(left_over(node.unevaluated[1], times))
}

fn left_over(index: Option<Index>, times: u64) -> impl Iterator<Item = (Index, u64)> {
    index.into_iter().map(move |index| (index, times.saturating_mul(2)))
}
