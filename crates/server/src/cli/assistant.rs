//! `callwright assistant`.

use std::path::PathBuf;

use anyhow::Context;
use clap::Subcommand;
use domain::assistant::{Assistant, Conduct};
use domain::ids::OrganizationId;
use domain::variables::Variables;
use serde_json::json;

use super::assistant_file::{self, Draft};
use super::number::tenant_of_organization;
use super::office::Desk;
use super::output::Output;
use super::parse;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Add an assistant from its file.
    Create {
        /// The organization that it works for.
        #[arg(long, value_parser = parse::organization)]
        organization: OrganizationId,
        /// TOML file with `name`, `engine`, `first_message` and what else it needs.
        #[arg(long)]
        file: PathBuf,
    },
}

/// An assistant to add, read from its file.
pub(super) struct FromFile(OrganizationId, Draft);

impl Command {
    /// Reads the file before anything is opened.
    pub(super) fn read_file(command: Self) -> anyhow::Result<FromFile> {
        let Self::Create { organization, file } = command;
        let name = file.display();
        let text = std::fs::read_to_string(&file).with_context(|| format!("{name} cannot be read"))?;
        let draft = assistant_file::parse(&text).with_context(|| format!("{name} describes no assistant"))?;
        Ok(FromFile(organization, draft))
    }
}

pub(super) async fn run(command: FromFile, desk: &Desk, output: Output) -> anyhow::Result<()> {
    let FromFile(organization, draft) = command;
    let assistant = Assistant {
        id: desk.id(),
        tenant: tenant_of_organization(desk),
        organization,
        name: draft.name,
        team: draft.team,
        engine: draft.engine,
        language: draft.language,
        limits: draft.limits,
        conduct: Conduct::default(),
        variables: Variables::new(),
        created_at: desk.now(),
    };
    let added = desk.provisioning.add_assistant(assistant.clone()).await;
    added.with_context(|| format!("organization {organization}"))?;
    output.object(&vec![
        ("id", json!(assistant.id.to_string())),
        ("organizationId", json!(organization.to_string())),
        ("name", json!(assistant.name)),
        ("team", json!(assistant.team)),
        ("engine", json!("builtin")),
        ("language", json!(assistant.language.as_str())),
    ])?;
    Ok(())
}
