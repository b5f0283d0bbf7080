//! `callwright number`.

use anyhow::Context;
use clap::Subcommand;
use domain::ids::{NewId, OrganizationId, TenantId, TrunkId};
use domain::number::E164;
use domain::scope::Reach;
use domain::trunk::Number;
use serde_json::json;

use super::office::Desk;
use super::output::Output;
use super::parse;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Give an organization a number to call from.
    Create {
        /// The organization that calls from it.
        #[arg(long, value_parser = parse::organization)]
        organization: OrganizationId,
        /// The trunk that carries its calls, of the same tenant.
        #[arg(long, value_parser = parse::trunk)]
        trunk: TrunkId,
        /// The number in E.164 form, e.g. +14155550123.
        #[arg(long, value_parser = parse::number)]
        number: E164,
    },
}

/// The store takes the tenant from the organization; this one is never read.
pub(super) fn tenant_of_organization(desk: &Desk) -> TenantId {
    NewId::at(desk.now(), [0; 10]).into()
}

pub(super) async fn run(command: Command, desk: &Desk, output: Output) -> anyhow::Result<()> {
    let Command::Create { organization, trunk, number } = command;
    let number = Number {
        id: desk.id(),
        tenant: tenant_of_organization(desk),
        organization,
        trunk,
        number,
        created_at: desk.now(),
    };
    let added = desk.numbers.add_number(Reach::Everything, number.clone(), desk.deed()).await;
    added.with_context(|| format!("organization {organization}, trunk {trunk}"))?;
    output.object(&vec![
        ("id", json!(number.id.to_string())),
        ("organizationId", json!(organization.to_string())),
        ("trunkId", json!(trunk.to_string())),
        ("number", json!(number.number.as_str())),
    ])?;
    Ok(())
}
