//! The shared window on a real Redis: the rule, outages, and ways to connect.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod connections;
mod outages;
mod rule;
mod support;
