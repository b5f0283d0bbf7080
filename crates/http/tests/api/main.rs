//! The HTTP interface from outside: a real server on a port of its own, the real use cases, and
//! stand-ins for store and telephone network.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "these are tests"
)]

mod analysed_calls;
mod artifacts;
mod authentication;
mod call_lists;
mod calls;
mod create;
mod error_table;
mod errors;
mod hostile;
mod idempotency;
mod isolation;
mod logs;
mod metadata;
mod openapi;
mod organization_lists;
mod organizations;
mod probes;
mod rate_limits;
mod requests;
mod status;
mod support;
mod sweep;
mod tls;
