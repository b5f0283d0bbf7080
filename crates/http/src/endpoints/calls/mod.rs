//! Call logs: a list, and one call in detail.

mod description;
pub(crate) mod detail;
pub(crate) mod list;
mod record;
