//! `callwright assistant`.

mod provider_key;
mod shown;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Subcommand;
use domain::ids::{AssistantId, NewId, OrganizationId};
use domain::scope::Reach;
use serde_json::json;

use super::number::tenant_of_organization;
use super::office::{Desk, every};
use super::output::Output;
use super::parse;
use crate::adapters;
use crate::config::Settings;
use application::assistant_file::{self, Draft};
use provider_key::{NewKey, ProviderKeys};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Add an assistant from its file.
    Create {
        /// The organization that it works for.
        #[arg(long, value_parser = parse::organization)]
        organization: OrganizationId,
        /// TOML file with `name`, `engine` and what else it needs.
        #[arg(long)]
        file: PathBuf,
    },
    /// Put another file in its place. A stored key stays with a provider that stays where it is.
    Update {
        /// The assistant's id.
        #[arg(value_parser = parse::assistant)]
        id: AssistantId,
        /// The TOML file that describes it from now on, whole.
        #[arg(long)]
        file: PathBuf,
    },
    /// List an organization's assistants by name.
    List {
        /// The organization.
        #[arg(long, value_parser = parse::organization)]
        organization: OrganizationId,
    },
    /// Show all of an assistant but its providers' keys.
    Show {
        /// The assistant's id.
        #[arg(value_parser = parse::assistant)]
        id: AssistantId,
    },
    /// The keys of an assistant's providers.
    #[command(subcommand)]
    Key(ProviderKeys),
}

/// What is to be done, with everything that had to be read for it.
pub(super) enum Order {
    Create(OrganizationId, Draft),
    Update(AssistantId, Draft),
    List(OrganizationId),
    Show(AssistantId),
    Key(NewKey),
}

impl Command {
    /// Reads files and keys before anything is opened.
    pub(super) fn read(self, settings: &Settings) -> anyhow::Result<Order> {
        Ok(match self {
            Self::Create { organization, file } => Order::Create(organization, draft(&file, settings)?),
            Self::Update { id, file } => Order::Update(id, draft(&file, settings)?),
            Self::List { organization } => Order::List(organization),
            Self::Show { id } => Order::Show(id),
            Self::Key(command) => Order::Key(command.read()?),
        })
    }
}

fn draft(file: &Path, settings: &Settings) -> anyhow::Result<Draft> {
    let name = file.display();
    let text = std::fs::read_to_string(file).with_context(|| format!("{name} cannot be read"))?;
    let allowed = adapters::allowed_assistants(settings);
    assistant_file::parse(&text, &allowed).with_context(|| format!("{name} describes no assistant"))
}

pub(super) async fn run(order: Order, desk: &Desk, output: Output) -> anyhow::Result<()> {
    match order {
        Order::Create(organization, draft) => {
            let tenant = tenant_of_organization(desk);
            let assistant = draft.into_assistant(desk.id(), tenant, organization, desk.now());
            let added =
                desk.assistants.add_assistant(Reach::Everything, assistant.clone(), desk.deed()).await;
            added.with_context(|| format!("organization {organization}"))?;
            output.object(&shown::summary(&assistant))?;
        }
        Order::Update(id, draft) => {
            // Whose it is stays as it was; these are never read.
            let nobody = OrganizationId::from(NewId::at(desk.now(), [0; 10]));
            let revised = draft.into_assistant(id, tenant_of_organization(desk), nobody, desk.now());
            let (reach, deed) = (Reach::Everything, desk.deed());
            let revised = desk.assistants.revise_assistant(reach, revised, None, deed).await;
            output.object(&shown::summary(&revised.with_context(|| format!("assistant {id}"))?))?;
        }
        Order::List(organization) => {
            let reach = Reach::Everything;
            let found =
                every(async |page| desk.assistants.assistants_of(reach, organization, page).await).await;
            let found = found.with_context(|| format!("organization {organization}"))?;
            let rows: Vec<_> = found.iter().map(shown::row).collect();
            output.list(vec![("id", json!(organization.to_string()))], "assistants", &rows)?;
        }
        Order::Show(id) => match desk.assistants.assistant(Reach::Everything, id).await? {
            Some(assistant) => output.object(&shown::whole(&assistant))?,
            None => bail!("there is no assistant {id}"),
        },
        Order::Key(NewKey { assistant, role, key }) => {
            let (reach, deed) = (Reach::Everything, desk.deed());
            let changed = desk.assistants.set_provider_key(reach, assistant, role, key, deed).await;
            output.object(&shown::summary(&changed.with_context(|| format!("assistant {assistant}"))?))?;
        }
    }
    Ok(())
}
