//! The cascade engine against a double of its three services.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod answers;
#[expect(unreachable_pub, reason = "shared with the tests of other engines")]
#[path = "../decoy/mod.rs"]
mod decoy;
mod doors;
mod faults;
mod orders;
mod spoken;
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a test measures tones"
)]
mod support;
