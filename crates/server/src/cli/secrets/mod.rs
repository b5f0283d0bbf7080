//! `callwright secrets`.

mod rotate;
mod watch;

use std::sync::Arc;

use clap::{Args, Subcommand};

use super::office::Database;
use super::output::Output;
use crate::config::Settings;
use crate::secrets::KeyFile;
use crate::system::{SystemClock, SystemEntropy};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Encrypt everything stored anew under a new key, while the service runs; to be run again after
    /// whatever stopped it.
    Rotate(Order),
}

#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Order {
    /// Change nothing: tell how many values each key has encrypted, and what would come next.
    #[arg(long)]
    dry_run: bool,
    /// Also take the old keys out of the file, once nothing needs them any more; backups of the
    /// database made before still do.
    #[arg(long, conflicts_with = "dry_run")]
    forget_old: bool,
}

/// Runs one command on the database and the key file.
pub(super) fn run(command: &Command, settings: &Settings, output: Output) -> anyhow::Result<()> {
    let Command::Rotate(order) = *command;
    let database = Database::reach(settings)?;
    let done = database.runtime().block_on(async {
        let file = KeyFile::open(settings, &SystemEntropy, Arc::new(SystemClock))?;
        let store = database.store_with(file.clone()).await?;
        let rotation = rotate::Rotation { file: &file, store: &store };
        if order.dry_run { rotation.forecast().await } else { rotation.run(order.forget_old).await }
    });
    database.close();
    output.object(&done?)?;
    Ok(())
}
