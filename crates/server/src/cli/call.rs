//! `callwright call`.

use anyhow::{Context, bail};
use clap::Subcommand;
use domain::ids::CallId;
use domain::scope::Reach;
use serde_json::json;

use super::office::Desk;
use super::output::Output;
use super::parse;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Hang a live call up, wherever it runs; it ends as `manually-ended` within seconds.
    HangUp {
        /// The call's id (its outboundCallId).
        #[arg(value_parser = parse::call)]
        id: CallId,
    },
}

pub(super) async fn run(command: Command, desk: &Desk, output: Output) -> anyhow::Result<()> {
    let Command::HangUp { id } = command;
    let requested = desk.nodes.request_hang_up(Reach::Everything, id, desk.deed()).await;
    if !requested.context("the call was not hung up")? {
        bail!("there is no live call {id}");
    }
    output.object(&vec![("id", json!(id.to_string())), ("requested", json!(true))])?;
    Ok(())
}
