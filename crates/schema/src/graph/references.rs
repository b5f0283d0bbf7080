//! Follows references, which must stay inside the document.

use domain::schema::{Flaw, UnsafeSchema};
use percent_encoding::percent_decode_str;

use super::walk::Walk;
use super::{Graph, Index};
use crate::place::{plain, refused};

/// The longest reference that is quoted, in characters.
const QUOTED: usize = 80;

/// Makes the graph of what was found.
pub(super) fn connect(mut walk: Walk) -> Result<Graph, UnsafeSchema> {
    for (from, target) in std::mem::take(&mut walk.references) {
        let to = resolve(&walk, from, &target)?;
        if let Some(node) = walk.nodes.get_mut(from) {
            node.here.push(to);
        }
    }
    Ok(Graph { nodes: walk.nodes })
}

fn resolve(walk: &Walk, from: Index, target: &str) -> Result<Index, UnsafeSchema> {
    let place = walk.nodes.get(from).map_or("", |node| &node.place);
    let quoted = plain(target, QUOTED);
    let Some(fragment) = target.strip_prefix('#') else {
        return refused(place, Flaw::LeadsOut(quoted));
    };
    let Ok(fragment) = percent_decode_str(fragment).decode_utf8() else {
        return refused(place, Flaw::NotUtf8(quoted));
    };
    let found = if fragment.is_empty() || fragment.starts_with('/') {
        walk.places.get(fragment.as_ref())
    } else {
        walk.anchors.get(fragment.as_ref())
    };
    // Since there is one document, a dynamic reference leads where a plain one does.
    found.map_or_else(|| refused(place, Flaw::LeadsNowhere(quoted)), |index| Ok(*index))
}
