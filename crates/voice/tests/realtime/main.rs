//! The realtime engine against a double of its server, over real sockets.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    unreachable_pub,
    missing_docs,
    reason = "tests say what they mean"
)]

mod answers;
#[path = "../decoy/mod.rs"]
mod decoy;
mod dialects;
mod doors;
mod failures;
mod sound;
mod support;
mod turns;
