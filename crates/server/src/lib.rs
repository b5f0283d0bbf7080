//! Callwright's composition root: configuration, the private database cluster, secrets at rest,
//! the operator's command line, and the wiring of every room.

pub mod adapters;
pub mod cli;
pub mod config;
mod crash_point;
mod data_dir;
pub mod embedded;
pub mod environment;
pub mod secrets;
pub mod serve;
pub mod spool;
pub mod system;
mod trust;
