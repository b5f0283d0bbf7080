//! `callwright assistant`.

mod provider_key;
mod shown;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Subcommand;
use domain::assistant::Credentials;
use domain::ids::{AssistantId, OrganizationId, TenantId};
use domain::ports::SetupError;
use domain::scope::Reach;
use serde_json::json;

use super::office::{Desk, every};
use super::output::Output;
use super::parse;
use crate::adapters;
use crate::config::Settings;
use application::assistant_file::{self, Draft, OwnedDraft};
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
    /// Put another file in its place. A stored key stays with a provider that stays at its origin, and is
    /// removed otherwise.
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
    Create(OrganizationId, NewDraft),
    Update(AssistantId, NewDraft),
    List(OrganizationId),
    Show(AssistantId),
    Key(NewKey),
}

/// A file that was read, and the credentials that it may name.
pub(super) struct NewDraft {
    draft: Draft,
    credentials: Credentials,
}

impl NewDraft {
    fn of_tenant(self, tenant: TenantId) -> anyhow::Result<OwnedDraft> {
        self.draft
            .of_tenant(tenant, &self.credentials)
            .context("the file describes no assistant of its tenant")
    }
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

fn draft(file: &Path, settings: &Settings) -> anyhow::Result<NewDraft> {
    let name = file.display();
    let text = std::fs::read_to_string(file).with_context(|| format!("{name} cannot be read"))?;
    let allowed = adapters::allowed_assistants(settings);
    let draft = assistant_file::parse(&text, &allowed);
    let draft = draft.with_context(|| format!("{name} describes no assistant"))?;
    Ok(NewDraft { draft, credentials: allowed.credentials })
}

pub(super) async fn run(order: Order, desk: &Desk, output: Output) -> anyhow::Result<()> {
    match order {
        Order::Create(organization, draft) => {
            let tenant = desk.directory.tenant_of(organization).await?;
            let unknown = || SetupError::Unknown("organization");
            let tenant =
                tenant.ok_or_else(unknown).with_context(|| format!("organization {organization}"))?;
            let assistant = draft.of_tenant(tenant)?.into_assistant(desk.id(), organization, desk.now());
            let added =
                desk.assistants.add_assistant(Reach::Everything, assistant.clone(), desk.deed()).await;
            added.with_context(|| format!("organization {organization}"))?;
            output.object(&shown::summary(&assistant))?;
        }
        Order::Update(id, draft) => {
            let earlier = desk.assistants.assistant(Reach::Everything, id).await?;
            let unknown = || SetupError::Unknown("assistant");
            let earlier = earlier.ok_or_else(unknown).with_context(|| format!("assistant {id}"))?;
            let draft = draft.of_tenant(earlier.tenant)?;
            let revised = draft.into_assistant(id, earlier.organization, earlier.created_at);
            let (reach, deed) = (Reach::Everything, desk.deed());
            let revised = desk.assistants.revise_assistant(reach, revised, None, deed).await;
            let revised = revised.with_context(|| format!("assistant {id}"))?;
            output.object(&shown::update(&revised, &revised.keys_lost_since(&earlier)))?;
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
