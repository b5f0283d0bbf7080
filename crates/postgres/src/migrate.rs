//! The schema's versions: embedded, run once by whichever node comes first.

use std::time::Duration;

use diesel_async::{AsyncMigrationHarness, AsyncPgConnection, SimpleAsyncConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::address::UrlError;
use crate::connection::Connector;
use crate::failure::Failure;
use crate::statement::{row, statement};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations");

/// Names the content of all migrations: it changes when any of them does.
pub const SCHEMA: &str = env!("MIGRATIONS_DIGEST");

// A migration takes as long as it takes. But what waits for a table holds up everybody who comes after
// it, reads too, so that it gives way soon and tries again.
const LIMITS: &str = "SET statement_timeout = 0; SET lock_timeout = '2s'";

// Any fixed number that no other program locks by ("callwri" in ASCII). Asked for again and again: waiting
// in the statement would hold a snapshot for as long, and with it back what vacuums and indexes need.
const TRY_LOCK: &str = "SELECT pg_try_advisory_lock(27976676418319977) AS ours";

/// Between two questions whose turn it is.
const ASK_AGAIN: Duration = Duration::from_millis(250);

/// So long those go first who came behind a migration that waited in vain.
const GIVE_WAY: Duration = Duration::from_secs(1);

row! {
    Turn { ours: bool }
}

/// The schema could not be brought up to date.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// The database URL cannot be read.
    #[error("the database URL cannot be used: {0}")]
    Url(#[from] UrlError),
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
    let mut versions = Vec::new();
    loop {
        match run_next(&mut harness) {
            Ok(Some(version)) => versions.push(version),
            Ok(None) => return Ok(versions),
            Err(error) if waited_in_vain(error.as_ref()) => {
                tracing::warn!(error = %error, "a migration waits for a table that is in use, and is tried again");
                tokio::time::sleep(GIVE_WAY).await;
            }
            Err(error) => return Err(MigrationError::Failed(error)),
        }
    }
}

type Harness = AsyncMigrationHarness<AsyncPgConnection>;

/// Runs one migration, all or nothing; none when none is pending.
fn run_next(harness: &mut Harness) -> diesel::migration::Result<Option<String>> {
    if !harness.has_pending_migration(MIGRATIONS)? {
        return Ok(None);
    }
    Ok(Some(harness.run_next_migration(MIGRATIONS)?.to_string()))
}

/// 55P03 has no kind of its own; a server that speaks another language ends the migration here.
fn waited_in_vain(error: &dyn std::error::Error) -> bool {
    error.to_string().contains("due to lock timeout")
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

async fn open(url: &str) -> Result<Harness, MigrationError> {
    let opened = Connector::of(url)?.establish().await;
    let connection = opened.map_err(|failure| MigrationError::Unreachable(failure.to_string()))?;
    Ok(AsyncMigrationHarness::new(connection))
}

/// The lock goes with the connection, also when this process dies.
async fn locked(url: &str) -> Result<Harness, MigrationError> {
    let mut connection = open(url).await?.into_inner();
    let unreachable = |error: Failure| MigrationError::Unreachable(error.to_string());
    connection.batch_execute(LIMITS).await.map_err(|error| unreachable(error.into()))?;
    loop {
        let turn = statement(TRY_LOCK).rows::<Turn>(&connection).await.map_err(unreachable)?;
        if turn.iter().any(|turn| turn.ours) {
            break;
        }
        tokio::time::sleep(ASK_AGAIN).await;
    }
    Ok(AsyncMigrationHarness::new(connection))
}
