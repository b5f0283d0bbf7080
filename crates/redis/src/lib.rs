//! One rate-limit window for many nodes, on Redis 6 or later.
//!
//! A client's count is one key whose time to live is the window: one script counts and restarts
//! it. Redis forgets a key when its window is over, so memory follows the traffic of one minute.
//!
//! **Which clock counts**: Redis's own, alone, so that nodes whose clocks differ still share one
//! window. What the client is told (`X-RateLimit-Reset`) is on its node's scale: a minute from now,
//! which is what a restarted window means. No two clocks are ever compared.
//!
//! **Without Redis** every node counts by itself, in a window that counted all along: nobody is
//! let off, and nobody is refused who stays below the limit. The first answer that fails or takes
//! longer than its deadline breaks the connection; until it is back no request waits for it.

mod address;
mod connection;
mod keeper;
mod line;
mod script;
mod window;

pub use address::Address;
pub use connection::ConnectError;
pub use keeper::Settings;
pub use window::{RedisWindow, probe};
