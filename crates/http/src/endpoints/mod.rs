//! The endpoints, one file each.

pub(crate) mod artifacts;
pub(crate) mod calls;
pub(crate) mod documents;
pub(crate) mod health;
pub(crate) mod organizations;
pub(crate) mod outbound;
