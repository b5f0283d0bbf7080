//! The schema's versions: embedded, run once by whichever node comes first.

use diesel_async::{AsyncMigrationHarness, AsyncPgConnection, SimpleAsyncConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::connection::{configuration, establish};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations");

/// Names the content of all migrations: it changes when any of them does.
pub const SCHEMA: &str = env!("MIGRATIONS_DIGEST");

// Any fixed number that no other program locks by ("callwri" in ASCII).
const LOCK: &str = "SET statement_timeout = 0; SET lock_timeout = 0; \
    SELECT pg_advisory_lock(27976676418319977)";

/// The schema could not be brought up to date.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// The database URL cannot be read.
    #[error("the database URL cannot be read: {0}")]
    Url(String),
    /// No connection.
    #[error("the database cannot be reached: {0}")]
    Unreachable(String),
    /// A migration failed and was rolled back.
    #[error("the schema could not be changed: {0}")]
    Failed(Box<dyn std::error::Error + Send + Sync>),
}

/// Brings the schema up to date and returns the versions that were run; nodes that start together
/// wait for one another. It blocks in place: it needs a multi-thread runtime.
pub async fn migrate(url: &str) -> Result<Vec<String>, MigrationError> {
    let mut harness = locked(url).await?;
    let versions = harness.run_pending_migrations(MIGRATIONS).map_err(MigrationError::Failed)?;
    Ok(versions.iter().map(ToString::to_string).collect())
}

/// The versions that the database lacks.
pub async fn pending_migrations(url: &str) -> Result<Vec<String>, MigrationError> {
    let mut harness = open(url).await?;
    let pending = harness.pending_migrations(MIGRATIONS).map_err(MigrationError::Failed)?;
    Ok(pending.iter().map(|migration| migration.name().version().to_string()).collect())
}

/// Takes every version back, newest first; all data is lost.
pub async fn revert_all(url: &str) -> Result<Vec<String>, MigrationError> {
    let mut harness = locked(url).await?;
    let versions = harness.revert_all_migrations(MIGRATIONS).map_err(MigrationError::Failed)?;
    Ok(versions.iter().map(ToString::to_string).collect())
}

async fn open(url: &str) -> Result<AsyncMigrationHarness<AsyncPgConnection>, MigrationError> {
    let config = configuration(url).map_err(|error| MigrationError::Url(error.to_string()))?;
    let connection =
        establish(&config).await.map_err(|error| MigrationError::Unreachable(error.to_string()))?;
    Ok(AsyncMigrationHarness::new(connection))
}

/// The lock goes with the connection, also when this process dies.
async fn locked(url: &str) -> Result<AsyncMigrationHarness<AsyncPgConnection>, MigrationError> {
    let mut connection = open(url).await?.into_inner();
    connection.batch_execute(LOCK).await.map_err(|error| MigrationError::Unreachable(error.to_string()))?;
    Ok(AsyncMigrationHarness::new(connection))
}
