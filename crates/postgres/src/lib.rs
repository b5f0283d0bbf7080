//! Every store port of the domain on PostgreSQL 15 or later.
//!
//! One decision of a port is one statement or one transaction, and its guards stand in the `WHERE`.
//! No type of the driver leaves this crate.

mod access;
mod accounts;
mod address;
mod analyses;
mod audit;
mod call_board;
mod call_log;
mod callbacks;
mod calls;
mod connection;
mod deliveries;
mod directory;
mod failure;
mod filing;
mod forgotten_keys;
mod housekeeping;
mod idempotency;
mod invitations;
mod lanes;
mod metadata;
mod migrate;
mod nodes;
mod organizations;
mod pool;
mod proof;
mod redelivery;
mod resealing;
mod rows;
mod schemas;
mod sealing;
mod sessions;
mod set_up;
mod setup;
mod sign_in_tries;
#[cfg(feature = "sql")]
pub mod sql;
mod statement;
mod store;
mod tls;

pub use address::{Protection, UrlError, protection};
pub use migrate::{MigrationError, SCHEMA, migrate, pending_migrations, revert_all};
pub use resealing::{KeyHolder, Pass, SealedCount};
pub use sealing::SealingKey;
pub use store::{ConnectError, Options, Store};
