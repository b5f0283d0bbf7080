//! Signed, guarded HTTP delivery of callbacks (interface, Events; Standard Webhooks).
//!
//! One [`CallbackClient::send`](domain::ports::CallbackSender::send) is one try: a single deadline
//! spans the name lookup, connecting, TLS and the response head. There is deliberately no redirect,
//! no proxy, no retry, no connection reuse and no reading of the response body here: the schedule
//! belongs to the application, and a receiver gets no second way to steer where we connect.

mod client;
mod exchange;
mod failure;
pub mod secret_text;
mod signature;

pub use client::{BadUserAgent, CallbackClient, Settings};
