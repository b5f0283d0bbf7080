//! `callwright tenant`.

use clap::Subcommand;
use domain::organization::Tenant;
use serde_json::json;

use super::office::Desk;
use super::output::Output;
use super::parse;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Add a tenant.
    Create {
        /// Its name.
        #[arg(long, value_parser = parse::name)]
        name: String,
    },
}

pub(super) async fn run(command: Command, desk: &Desk, output: Output) -> anyhow::Result<()> {
    let Command::Create { name } = command;
    let tenant = Tenant { id: desk.id(), name, created_at: desk.now() };
    desk.tenants.add_tenant(tenant.clone(), desk.deed()).await?;
    output.object(&vec![("id", json!(tenant.id.to_string())), ("name", json!(tenant.name))])?;
    Ok(())
}
