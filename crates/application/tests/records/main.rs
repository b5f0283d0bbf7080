//! Records of calls on their way from this machine into the store, through every kind of failure,
//! in simulated time.
#![allow(clippy::unwrap_used, reason = "tests say what they mean")]

mod failures;
mod filing;
mod support;
