//! Calls from acceptance to callback on an in-memory store, in simulated time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
#![allow(unreachable_pub, reason = "a test program has no outside")]

mod callbacks;
mod calls;
mod house;
mod nodes;
mod support;
mod talks;
mod twins;
