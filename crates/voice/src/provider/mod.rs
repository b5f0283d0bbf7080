//! Asking a provider's services over HTTP: guarded connections that are kept for the next request,
//! answers that are read piece by piece, and what may be asked once more.

mod client;
mod fault;
mod form;
mod patience;
mod reply;
mod service;
mod sse;

pub(crate) use client::{Client, Limits};
pub(crate) use fault::Fault;
pub(crate) use form::Form;
pub(crate) use patience::Patience;
pub(crate) use reply::Reply;
pub(crate) use service::Service;
pub(crate) use sse::Events;
