//! `callwright number`.

use anyhow::Context;
use clap::Subcommand;
use domain::ids::{NewId, NumberId, OrganizationId, TenantId, TrunkId};
use domain::number::E164;
use domain::ports::CarriedNumber;
use domain::scope::Reach;
use domain::trunk::Number;
use serde_json::json;

use super::office::{Desk, every};
use super::output::{Fields, Output};
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
    /// List an organization's numbers, oldest first.
    List {
        /// The organization.
        #[arg(long, value_parser = parse::organization)]
        organization: OrganizationId,
    },
    /// Let another trunk carry a number's calls, from the next one on.
    Move {
        /// The number's id.
        #[arg(value_parser = parse::number_id)]
        id: NumberId,
        /// The trunk, of the same tenant.
        #[arg(long, value_parser = parse::trunk)]
        trunk: TrunkId,
    },
}

/// The store takes the tenant from the organization; this one is never read.
fn tenant_of_organization(desk: &Desk) -> TenantId {
    NewId::at(desk.now(), [0; 10]).into()
}

pub(super) async fn run(command: Command, desk: &Desk, output: Output) -> anyhow::Result<()> {
    match command {
        Command::Create { organization, trunk, number } => {
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
            output.object(&fields(&number))?;
        }
        Command::List { organization } => {
            let numbers =
                every(async |page| desk.numbers.numbers_of(Reach::Everything, organization, page).await);
            let numbers = numbers.await.with_context(|| format!("organization {organization}"))?;
            let rows: Vec<_> = numbers.iter().map(carried).collect();
            output.list(vec![("id", json!(organization.to_string()))], "numbers", &rows)?;
        }
        Command::Move { id, trunk } => {
            let moved = desk.numbers.move_number(Reach::Everything, id, trunk, desk.deed()).await;
            let moved = moved.with_context(|| format!("number {id}, trunk {trunk}"))?;
            output.object(&carried(&moved))?;
        }
    }
    Ok(())
}

fn fields(number: &Number) -> Fields {
    vec![
        ("id", json!(number.id.to_string())),
        ("organizationId", json!(number.organization.to_string())),
        ("trunkId", json!(number.trunk.to_string())),
        ("number", json!(number.number.as_str())),
    ]
}

/// The same with its trunk's name, and whether that is in use.
fn carried(own: &CarriedNumber) -> Fields {
    let trunk = [("trunk", json!(own.trunk_name)), ("trunkInUse", json!(own.carried))];
    fields(&own.number).into_iter().chain(trunk).collect()
}
