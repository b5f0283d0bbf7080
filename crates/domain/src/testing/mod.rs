//! In-memory adapters of every store port, and the contracts that each adapter must keep.
//!
//! An adapter's own tests run all contracts with [`store_contracts!`](crate::store_contracts).

#![allow(clippy::missing_panics_doc, reason = "contracts are tests: to panic is how they fail")]

pub mod artifacts;
pub mod contracts;
mod fixtures;
mod in_memory;
mod laid;
mod operator;
mod rate_limit;
mod world;

pub use fixtures::{Ground, TestResult, deed, moment};
pub use in_memory::{Filed, InMemory};
pub use laid::{LaidCall, LaysCalls};
pub use rate_limit::RateLimitModel;
pub use world::World;
