//! The heart of Callwright: what a call, an organization, an assistant and a key are, the rules
//! they obey, and the ports through which the outside serves them. Pure: no clock, no randomness,
//! no environment, no input or output; time and random bytes come in as arguments.

pub mod access;
pub mod assistant;
pub mod at_rest;
pub mod audio;
pub mod audit;
pub mod back_off;
pub mod call;
pub mod callback;
pub mod idempotency;
pub mod ids;
pub mod metadata;
pub mod network;
pub mod number;
pub mod organization;
pub mod page;
pub mod password;
pub mod ports;
pub mod rate_limit;
pub mod schema;
pub mod scope;
pub mod secret;
pub mod session;
pub mod spoken;
pub mod test_line;
#[cfg(feature = "testing")]
pub mod testing;
pub mod timestamp;
pub mod trunk;
pub mod user;
pub mod variables;
