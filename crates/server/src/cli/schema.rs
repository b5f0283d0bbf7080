//! `callwright schema`.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use domain::ids::{OrganizationId, SchemaId, TenantId};
use domain::metadata::SchemaOwner;
use domain::ports::SchemaJudge;
use domain::scope::Reach;
use json_schema::{JsonSchemaJudge, limits};
use serde_json::{Value, json};

use super::office::Desk;
use super::output::{self, Fields, Output};
use super::parse;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Put a schema in force, for the metadata that is written from now on.
    Set {
        #[command(flatten)]
        owner: Owner,
        /// File with a JSON Schema (2020-12), at most 64 KiB.
        #[arg(long)]
        file: PathBuf,
    },
    /// Show the schema in force.
    Show {
        #[command(flatten)]
        owner: Owner,
    },
}

/// Whose schema: exactly one is given.
#[derive(Args, Clone, Copy, Debug)]
#[group(required = true, multiple = false)]
pub(super) struct Owner {
    /// A tenant: every organization of it that has no schema of its own.
    #[arg(long, value_parser = parse::tenant)]
    tenant: Option<TenantId>,
    /// One organization.
    #[arg(long, value_parser = parse::organization)]
    organization: Option<OrganizationId>,
}

/// What is left to do once the file is read.
pub(super) enum Order {
    Set(SchemaOwner, Value),
    Show(SchemaOwner),
}

impl Command {
    /// Reads the file before anything is opened.
    pub(super) fn read_file(self) -> anyhow::Result<Order> {
        match self {
            Self::Set { owner, file } => Ok(Order::Set(owner.schema_owner()?, read(&file)?)),
            Self::Show { owner } => Ok(Order::Show(owner.schema_owner()?)),
        }
    }
}

pub(super) async fn run(order: Order, desk: &Desk, output: Output) -> anyhow::Result<()> {
    match order {
        Order::Set(owner, document) => {
            let judge = JsonSchemaJudge::start()?;
            judge.examine(document.clone()).await.context("the schema was not set")?;
            let id: SchemaId = desk.id();
            let (reach, deed) = (Reach::Everything, desk.deed());
            let put = desk.schemas.put(reach, owner, id, document.clone(), None, deed).await;
            put.with_context(|| named(owner))?;
            output.object(&fields(owner, Some(id), &document))?;
        }
        Order::Show(owner) => {
            let schema = desk.schemas.get(Reach::Everything, owner).await.with_context(|| named(owner))?;
            if output.is_json() {
                output.object(&fields(owner, schema.id, &schema.document))?;
            } else {
                // Just what `set` would take.
                output::say(&serde_json::to_string_pretty(&schema.document)?)?;
            }
        }
    }
    Ok(())
}

impl Owner {
    fn schema_owner(self) -> anyhow::Result<SchemaOwner> {
        match (self.tenant, self.organization) {
            (Some(tenant), None) => Ok(SchemaOwner::Tenant(tenant)),
            (None, Some(organization)) => Ok(SchemaOwner::Organization(organization)),
            _ => bail!("expected either --tenant or --organization"),
        }
    }
}

/// Reads one JSON document; of a larger file no more is read than tells that it is too large.
fn read(path: &Path) -> anyhow::Result<Value> {
    let name = path.display();
    let file = std::fs::File::open(path).with_context(|| format!("{name} cannot be read"))?;
    let most = u64::try_from(limits::SCHEMA_BYTES)?;
    let mut text = Vec::new();
    let read = file.take(most + 1).read_to_end(&mut text);
    if read.with_context(|| format!("{name} cannot be read"))? > limits::SCHEMA_BYTES {
        bail!("{name} is too large: a schema has at most {most} bytes");
    }
    let text = String::from_utf8(text).with_context(|| format!("{name} is not UTF-8"))?;
    // A mark that some editors write; JSON has none.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    serde_json::from_str(text).with_context(|| format!("{name} is not JSON"))
}

fn named(owner: SchemaOwner) -> String {
    match owner {
        SchemaOwner::Tenant(id) => format!("tenant {id}"),
        SchemaOwner::Organization(id) => format!("organization {id}"),
    }
}

/// The owner's id comes first: the default schema has none of its own.
fn fields(owner: SchemaOwner, id: Option<SchemaId>, document: &Value) -> Fields {
    let owner = match owner {
        SchemaOwner::Tenant(id) => id.to_string(),
        SchemaOwner::Organization(id) => id.to_string(),
    };
    let id = id.map(|id| id.to_string());
    vec![("id", json!(owner)), ("schemaId", json!(id)), ("schema", document.clone())]
}
