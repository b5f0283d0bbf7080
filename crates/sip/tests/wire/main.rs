//! The wire matrix: what our telephony and real peers say to each other, message by message. Dialogs
//! are ours and transactions are rsipstack's, so an upgrade of that library shows itself here.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::format_push_string,
    reason = "a peer or call that misbehaves fails its test"
)]

mod askers;
mod cancel;
mod digest;
mod edge;
mod edge_streams;
mod encrypted;
mod failover;
mod faults;
mod foreign_audio;
mod guarded;
mod in_dialog;
mod logs;
mod loss_and_forks;
mod many_calls;
mod plain_calls;
mod session_timers;
mod sipp_matrix;
mod streams;
mod support;
mod through_a_proxy;
mod torture;
mod transfers;
mod trunks;
