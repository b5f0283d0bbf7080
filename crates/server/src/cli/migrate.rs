//! `callwright migrate`.

use serde_json::json;

use super::office::Database;
use super::output::Output;
use crate::config::Settings;

/// Runs what is pending and tells what was run.
pub(super) fn run(settings: &Settings, output: Output) -> anyhow::Result<()> {
    let database = Database::reach(settings)?;
    let migrated = database.runtime().block_on(postgres::migrate(database.url()));
    database.close();
    let applied = migrated?;
    let state = if applied.is_empty() { "up to date" } else { "migrated" };
    output.object(&vec![
        ("id", json!("migrations")),
        ("state", json!(state)),
        ("applied", json!(applied)),
    ])?;
    Ok(())
}
