//! The HTTP interface: one file per endpoint, one shape for every error, and before each endpoint
//! the same steps: the request is named, counted, its key recognised, its permission checked, and
//! only then its body read.
//!
//! Where `interface.md` is silent this crate holds: every path but probes, documents and files is counted, unknown
//! ones against 600; `null` is not the same as a missing field; a missing `Content-Type` is a 415;
//! names may have 255 characters; at most 1,000 dynamic variables of 32,768 characters each.

mod access_log;
mod authentication;
mod body;
mod control;
mod endpoints;
mod envelope;
mod error;
mod gate;
mod idempotency;
mod moment;
mod openapi;
mod pages;
mod pagination;
mod query;
mod rate_limit;
mod request_id;
mod routes;
mod server;
mod unread;
mod unreadable;

pub use gate::{Front, Gate, Readiness, Service};
pub use openapi::openapi_document;
pub use pages::Pages;
pub use rate_limit::{MemoryWindow, TrustedProxies};
pub use routes::{Entry, Needs, SMALLEST_LIMIT, entries};
pub use server::{Listen, Server, Stopper, serve};
