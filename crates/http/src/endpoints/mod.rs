//! The endpoints, one file each.

pub(crate) mod documents;
pub(crate) mod health;
pub(crate) mod outbound;
