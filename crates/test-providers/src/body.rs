//! Bodies that come piece by piece, are cut anywhere, and may break off.

use std::io;
use std::pin::Pin;

use bytes::Bytes;
use futures_util::{Stream, stream};
use http_body_util::StreamBody;
use hyper::body::Frame;

use crate::behaviour::Behaviour;
use crate::gate::Gate;

/// A part of a body.
pub(crate) enum Part {
    Bytes(Bytes),
    /// What follows waits here.
    Gate(Gate),
}

pub(crate) type Body = StreamBody<Pin<Box<dyn Stream<Item = io::Result<Frame<Bytes>>> + Send>>>;

/// A body of these parts, cut into pieces as `seed` chooses, that ends as `behaviour` says.
pub(crate) fn body(parts: Vec<Part>, behaviour: Option<&Behaviour>, seed: u64) -> Body {
    let (mut limit, stalls) = match behaviour {
        Some(Behaviour::DropAfter(bytes)) => (*bytes, false),
        Some(Behaviour::StallAfter(bytes)) => (*bytes, true),
        _ => (usize::MAX, false),
    };
    let breaks_off = limit != usize::MAX;
    let mut pieces = Vec::new();
    let mut dice = Dice(seed | 1);
    for part in parts {
        match part {
            Part::Gate(gate) => pieces.push(Part::Gate(gate)),
            Part::Bytes(mut bytes) => {
                bytes.truncate(limit);
                limit -= bytes.len().min(limit);
                // Long ones, which are sound, are cut into fewer pieces.
                let most = (bytes.len() / 64).max(7);
                while !bytes.is_empty() {
                    let size = (dice.roll() % most + 1).min(bytes.len());
                    pieces.push(Part::Bytes(bytes.split_to(size)));
                }
            }
        }
    }
    let pieces =
        stream::unfold((pieces.into_iter(), breaks_off), move |(mut pieces, mut breaks_off)| async move {
            loop {
                match pieces.next() {
                    Some(Part::Gate(gate)) => gate.pass().await,
                    Some(Part::Bytes(bytes)) => return Some((Ok(Frame::data(bytes)), (pieces, breaks_off))),
                    None if !breaks_off => return None,
                    None if stalls => std::future::pending().await,
                    None => {
                        breaks_off = false;
                        return Some((Err(io::Error::other("broken off")), (pieces, breaks_off)));
                    }
                }
            }
        });
    StreamBody::new(Box::pin(pieces))
}

/// A whole body.
pub(crate) fn whole(bytes: impl Into<Bytes>) -> Body {
    body(vec![Part::Bytes(bytes.into())], None, 1)
}

/// Numbers that look random and are the same each time (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0)
    }
}
