//! The real program, end to end: command line, HTTP, SIP peers, callbacks, crashes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]
#![allow(unreachable_pub, reason = "a test program has no outside")]

mod support;

mod addresses;
mod analyses;
mod bucket;
mod built_in_phone;
mod callbacks;
mod capacity;
mod conversations;
mod crashes;
mod credentials;
mod dashboard;
mod file_modes;
mod first_run;
mod logs;
mod orphans;
mod quick_start;
mod rate_limits;
mod receivers;
mod record_crashes;
mod records;
mod retries;
mod secrets;
mod shutdown;
mod table;
mod through_kamailio;
mod upgrade;
