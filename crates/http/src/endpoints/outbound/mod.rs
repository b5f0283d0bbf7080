//! Outbound calls: placing one, and asking where it stands.

pub(crate) mod create;
pub(crate) mod status;
mod variables;
