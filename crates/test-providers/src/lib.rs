//! A double of `OpenAI`'s HTTP endpoints, for tests: `chat/completions` (streamed and whole),
//! `audio/transcriptions` and `audio/speech`, with the mistakes that real ones make.
//!
//! It insists on what the published interface insists on, and refuses the rest with 400 or 401 in the
//! interface's words. Streams are cut at bytes that a seed chooses.

#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "for tests only: what is wrong fails the test"
)]

mod behaviour;
mod body;
mod chat;
mod form;
mod gate;
mod server;
mod sound;

pub use behaviour::{Behaviour, Service};
pub use chat::{Piece, Written};
pub use gate::Gate;
pub use server::{Providers, Seen, Settings};
pub use sound::{Heard, Voice, pitch};
