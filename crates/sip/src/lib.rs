//! Telephony over SIP: trunks, calls from INVITE to BYE, registration, digest, session timers and
//! failover, on rsipstack's transports and transactions; dialogs are our own.

pub mod sdp;
pub mod stack;
pub mod timers;
pub mod uas;
