//! The answering side of SIP (UAS, RFC 3261 §8.2): listens on UDP and TCP, hands out incoming
//! calls, and answers by itself what needs no decision.

mod call;
mod listener;
mod registrar;
mod router;
mod transfer;

pub use call::{CallEnd, CallEvent, IncomingCall, SessionOffer};
pub use listener::Uas;
pub use registrar::Registered;
pub use transfer::TransferRequest;

use rsipstack::sip::Method;

/// What this side understands, as told in `Allow` (RFC 3261 §20.5).
const ALLOWED: [Method; 9] = [
    Method::Invite,
    Method::Ack,
    Method::Cancel,
    Method::Bye,
    Method::Options,
    Method::Info,
    Method::Update,
    Method::PRack,
    Method::Refer,
];

/// [`ALLOWED`] as a header value.
fn allow_value() -> String {
    ALLOWED.map(|method| method.to_string()).join(", ")
}
