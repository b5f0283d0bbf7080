//! The sound of a call: RTP and RTCP with their 20 ms beat, G.711, the jitter buffer, telephone
//! keys (RFC 4733), voice activity, and WAV files. Everything but [`Session`] and the sockets is
//! free of input and output.

mod negotiated;
mod ports;
mod session;
mod stats;

pub use negotiated::{Direction, Negotiated, Seeds};
pub use ports::{PortRange, RtpSocket};
pub use session::{MediaEvent, Session};
pub use stats::{Lateness, Stats};
