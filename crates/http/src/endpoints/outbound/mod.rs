//! Outbound calls: placing one, and asking where it stands.

pub(crate) mod create;
mod description;
pub(crate) mod status;
