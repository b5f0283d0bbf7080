//! Bounds what one value is held against: no circles, no avalanche of references.

use domain::schema::{Flaw, UnsafeSchema};

use crate::graph::{Graph, Index};
use crate::limits::{CHAIN, EXPANSION};
use crate::place::refused;

/// What a subschema leads to while staying at one value.
#[derive(Clone, Copy)]
struct Reach {
    /// How many subschemas, each as often as it is asked.
    size: u64,
    /// The longest way.
    chain: usize,
}

#[derive(Clone, Copy)]
enum State {
    Unseen,
    /// On the way that is being followed.
    Open,
    Done(Reach),
}

/// The order in which a value meets the subschemas: each after those that lead to it.
pub(crate) struct Order {
    ranks: Vec<usize>,
    sorted: Vec<Index>,
}

impl Order {
    pub(crate) fn rank(&self, index: Index) -> usize {
        self.ranks.get(index).copied().unwrap_or_default()
    }

    pub(crate) fn at(&self, rank: usize) -> Index {
        self.sorted.get(rank).copied().unwrap_or_default()
    }
}

/// Checks every subschema, and puts them in order.
pub(crate) fn check(graph: &Graph) -> Result<Order, UnsafeSchema> {
    let mut states = vec![State::Unseen; graph.nodes.len()];
    let mut finished = Vec::with_capacity(graph.nodes.len());
    for index in 0..graph.nodes.len() {
        visit(graph, index, 0, &mut states, &mut finished)?;
    }
    finished.reverse();
    let mut ranks = vec![0; finished.len()];
    for (rank, index) in finished.iter().enumerate() {
        if let Some(slot) = ranks.get_mut(*index) {
            *slot = rank;
        }
    }
    Ok(Order { ranks, sorted: finished })
}

/// The recursion ends at `CHAIN`.
fn visit(
    graph: &Graph,
    index: Index,
    depth: usize,
    states: &mut [State],
    finished: &mut Vec<Index>,
) -> Result<Reach, UnsafeSchema> {
    let Some(node) = graph.node(index) else { return Ok(Reach { size: 0, chain: 0 }) };
    let fails = |flaw| refused(&node.place, flaw);
    match states.get(index) {
        Some(State::Done(reach)) => return Ok(*reach),
        Some(State::Open) => {
            return fails(Flaw::Circle);
        }
        _ => {}
    }
    if depth > CHAIN {
        return fails(Flaw::LongChain(CHAIN));
    }
    set(states, index, State::Open);
    let mut reach = Reach { size: 1, chain: 1 };
    for next in &node.here {
        let further = visit(graph, *next, depth + 1, states, finished)?;
        reach.size = reach.size.saturating_add(further.size.saturating_mul(node.repeats()));
        reach.chain = reach.chain.max(further.chain + 1);
    }
    if reach.size > EXPANSION {
        return fails(Flaw::Avalanche(EXPANSION));
    }
    if reach.chain > CHAIN {
        return fails(Flaw::LongChain(CHAIN));
    }
    set(states, index, State::Done(reach));
    finished.push(index);
    Ok(reach)
}

fn set(states: &mut [State], index: Index, state: State) {
    if let Some(slot) = states.get_mut(index) {
        *slot = state;
    }
}
