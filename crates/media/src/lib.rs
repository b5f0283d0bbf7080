//! The sound of a call: RTP and RTCP with their 20 ms beat, G.711, the jitter buffer, telephone
//! keys (RFC 4733), voice activity, WAV files, and the records of calls on the disk. Everything but
//! [`Session`], the sockets and files is free of input and output.

pub mod codec;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
pub mod g711;
pub mod srtp;
pub mod wav;

mod beat;
mod call;
mod half_band;
mod jitter;
mod latch;
mod listening;
mod negotiated;
mod packet;
mod ports;
mod receiver;
mod reception;
mod recorder;
mod report;
mod rtcp;
mod secure;
mod sender;
mod session;
mod stats;
mod telephone_event;
mod tone;
mod voice_activity;

pub use listening::{Judgement, Listening};
pub use negotiated::{Direction, Negotiated, Protection, Seeds, SourcePolicy};
pub use ports::{PortRange, RtpSocket};
pub use recorder::DiskRecorder;
pub use session::{MediaEvent, Session};
pub use stats::{Lateness, Stats};
