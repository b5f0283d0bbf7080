//! Telephony over SIP: trunks, calls from INVITE to BYE, registration, digest, session timers and
//! failover, on rsipstack's transports and transactions; dialogs are our own.

mod call;
mod core;
pub mod crypto;
mod dialog;
mod digest;
pub mod edge;
mod exchange;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod gateways;
mod headers;
mod leg;
mod login;
mod orphan;
mod prepared;
mod resolve;
mod router;
pub mod sdp;
mod settings;
pub mod stack;
mod streams;
mod table;
mod telephony;
pub mod timers;
mod tokens;
mod trunk;
pub mod uas;

pub use gateways::KnownHost;
pub use resolve::{Dns, Resolve};
pub use settings::Settings;
pub use stack::StartError;
pub use telephony::SipTelephony;
pub use timers::{Timers, TransactionTimers};
