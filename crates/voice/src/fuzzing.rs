//! Ways in for the fuzz targets, which may see private parsers.

pub use crate::cascade::{MOST_ARGUMENTS, MOST_USES, MOST_WORDS, Read, read_pieces};
use crate::provider::Events;
pub use crate::realtime::{Played, play};

/// The data of a stream of server-sent events that comes in pieces cut at these places; none when the
/// stream is refused.
pub fn sse_data(stream: &[u8], cuts: &[usize]) -> Option<Vec<String>> {
    let (mut events, mut data) = (Events::default(), Vec::new());
    let mut rest = stream;
    for cut in cuts {
        let (piece, after) = rest.split_at_checked(*cut)?;
        events.push(piece, &mut data).ok()?;
        rest = after;
    }
    events.push(rest, &mut data).ok()?;
    events.finish(&mut data).ok()?;
    Some(data)
}
