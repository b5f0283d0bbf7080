//! The dashboard from outside: a real server on a port of its own, and in-memory stores behind it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "these are tests"
)]

mod account;
mod assistant_form;
mod assistants;
mod audit_log;
mod bounds;
mod call_stories;
mod callback_secret;
mod callbacks;
mod calls;
mod calls_chart;
mod calls_csv;
mod calls_filters;
mod calls_live;
mod empty_states;
mod encrypted;
mod entrance;
mod frame;
mod french;
mod gates;
mod keys;
mod metadata;
mod numbers_and_trunks;
mod organizations;
mod overtaken;
mod place_call;
mod roles;
mod sent_twice;
mod sign_in_flood;
mod support;
mod trunk_states;
mod users;
mod weight;
