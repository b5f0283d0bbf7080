//! `callwright key`.

use anyhow::{Context, bail};
use application::keys;
use clap::Subcommand;
use domain::access::{ApiKey, KeyLevel, Permission};
use domain::ids::{KeyId, OrganizationId, TenantId};
use domain::scope::Reach;
use domain::timestamp::rfc3339;
use serde_json::json;

use super::office::Desk;
use super::output::{Fields, Output};
use super::parse;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Make a key; it is shown this once.
    Create {
        /// The tenant that it belongs to.
        #[arg(long, value_parser = parse::tenant)]
        tenant: TenantId,
        /// The one organization that it is limited to; without it the key acts on all of the tenant's.
        #[arg(long, value_parser = parse::organization)]
        organization: Option<OrganizationId>,
        /// What it is called.
        #[arg(long, value_parser = parse::name)]
        name: String,
        /// What it may do: calls:read, outbound:read or outbound:create (again for more); everything when not
        /// given. A tenant key manages organizations with any of them.
        #[arg(long = "permission", value_name = "PERMISSION", value_parser = parse::permission)]
        permissions: Vec<Permission>,
    },
    /// List a tenant's keys, newest first.
    List {
        /// The tenant.
        #[arg(long, value_parser = parse::tenant)]
        tenant: TenantId,
        /// Only the keys of one organization.
        #[arg(long, value_parser = parse::organization)]
        organization: Option<OrganizationId>,
    },
    /// Take a key away; it is refused from now on.
    Revoke {
        /// The key's id (not the key itself).
        #[arg(value_parser = parse::key)]
        id: KeyId,
    },
}

pub(super) async fn run(command: Command, desk: &Desk, output: Output) -> anyhow::Result<()> {
    match command {
        Command::Create { tenant, organization, name, permissions } => {
            let level = if organization.is_some() { KeyLevel::Organization } else { KeyLevel::Tenant };
            let minted = keys::mint(level, desk.entropy.as_ref());
            let mut wanted: Vec<_> =
                Permission::ALL.into_iter().filter(|each| permissions.contains(each)).collect();
            if wanted.is_empty() {
                wanted = Permission::ALL.to_vec();
            }
            let key = ApiKey {
                id: desk.id(),
                tenant,
                organization,
                name,
                permissions: wanted,
                created_at: desk.now(),
                last_used_at: None,
                revoked_at: None,
            };
            desk.access.issue(key.clone(), minted.digest, desk.deed()).await?;
            let mut fields = fields(&key);
            fields.insert(1, ("key", json!(minted.text.reveal())));
            output.object(&fields)?;
        }
        Command::List { tenant, organization } => {
            let keys = desk.access.keys(tenant).await?;
            let wanted = |key: &&ApiKey| organization.is_none() || key.organization == organization;
            let rows: Vec<_> = keys.iter().filter(wanted).map(fields).collect();
            output.list(vec![("id", json!(tenant.to_string()))], "keys", &rows)?;
        }
        Command::Revoke { id } => {
            let revoked = desk.access.revoke(Reach::Everything, id, desk.deed()).await;
            if !revoked.context("the key was not revoked")? {
                bail!("there is no live key {id}");
            }
            output.object(&vec![("id", json!(id.to_string())), ("revoked", json!(true))])?;
        }
    }
    Ok(())
}

fn fields(key: &ApiKey) -> Fields {
    let permissions: Vec<_> = key.permissions.iter().map(|permission| permission.as_str()).collect();
    vec![
        ("id", json!(key.id.to_string())),
        ("level", json!(key.level().as_str())),
        ("name", json!(key.name)),
        ("tenantId", json!(key.tenant.to_string())),
        ("organizationId", json!(key.organization.map(|id| id.to_string()))),
        ("permissions", json!(permissions)),
        ("createdAt", json!(rfc3339(key.created_at))),
        ("lastUsedAt", json!(key.last_used_at.map(rfc3339))),
        ("revokedAt", json!(key.revoked_at.map(rfc3339))),
    ]
}
