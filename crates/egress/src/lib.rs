//! The guarded way out: a URL is judged, its name looked up, every address judged, and a connection
//! made to a vetted address and nothing else, over TLS where the scheme says so.
//!
//! There is deliberately no redirect, no proxy from the environment and no second lookup here: the
//! other side gets no way to steer where we connect.

mod connect;
mod failure;
mod guard;
mod resolve;
mod stream;
mod way_out;

pub use failure::Failure;
pub use resolve::{Resolve, SystemResolver};
pub use stream::Stream;
pub use way_out::WayOut;
