//! `callwright organization`.

use anyhow::{Context, bail};
use application::create_organization::{CreateOrganization, CreatedOrganization};
use clap::{Args, Subcommand};
use domain::ids::{OrganizationId, TenantId};
use domain::organization::{Organization, OrganizationField, OrganizationQuery, Profile, Timezone};
use domain::page::PageRequest;
use domain::ports::StoreUnavailable;
use domain::scope::{Reach, Scope};
use serde_json::json;

use super::office::{Desk, every};
use super::output::{Fields, Output};
use super::parse;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Add an organization with its first signing secret.
    Create(Box<Create>),
    /// List a tenant's live organizations by name.
    List {
        /// The tenant.
        #[arg(long, value_parser = parse::tenant)]
        tenant: TenantId,
    },
    /// Soft-delete an organization: it stays readable and places no more calls.
    Delete {
        /// Its id.
        #[arg(value_parser = parse::organization)]
        id: OrganizationId,
    },
}

#[derive(Debug, Args)]
pub(super) struct Create {
    /// The tenant that it belongs to.
    #[arg(long, value_parser = parse::tenant)]
    tenant: TenantId,
    /// Its name.
    #[arg(long, value_parser = parse::name)]
    name: String,
    /// Contact address.
    #[arg(long, value_parser = parse::email)]
    email: String,
    /// Time zone, one of the interface's IANA names; a wrong one shows them.
    #[arg(long, value_parser = parse::timezone, default_value = "America/Toronto")]
    timezone: Timezone,
    /// Street address.
    #[arg(long, value_parser = parse::free, default_value = "")]
    address: String,
    /// City.
    #[arg(long, value_parser = parse::free, default_value = "")]
    city: String,
    /// State or province.
    #[arg(long, value_parser = parse::free, default_value = "")]
    state_province: String,
    /// Postal or ZIP code.
    #[arg(long, value_parser = parse::free, default_value = "")]
    postal_code: String,
    /// Country.
    #[arg(long, value_parser = parse::free, default_value = "")]
    country: String,
    /// Contact number.
    #[arg(long, value_parser = parse::free, default_value = "")]
    phone_number: String,
    /// The tenant's own reference.
    #[arg(long, value_parser = parse::name)]
    external_id: Option<String>,
}

pub(super) async fn run(command: Command, desk: &Desk, output: Output) -> anyhow::Result<()> {
    match command {
        Command::Create(create) => {
            let tenant = create.tenant;
            let use_case = CreateOrganization {
                organizations: desk.organizations.clone(),
                entropy: desk.entropy.clone(),
            };
            let created = use_case.create(tenant, create.profile(), desk.deed(), None).await;
            let created = created.with_context(|| format!("tenant {tenant}"))?;
            let CreatedOrganization::Fresh(organization) = created else {
                bail!("an organization without an idempotency key cannot be there already")
            };
            output.object(&fields(&organization))?;
        }
        Command::List { tenant } => {
            let all = every(async |next| page(desk, tenant, next).await).await?;
            let rows: Vec<_> = all.iter().map(fields).collect();
            output.list(vec![("id", json!(tenant.to_string()))], "organizations", &rows)?;
        }
        Command::Delete { id } => {
            if !desk.organizations.remove(Reach::Everything, id, desk.deed()).await? {
                bail!("organization {id}: no such organization");
            }
            output.object(&vec![("id", json!(id.to_string())), ("deleted", json!(true))])?;
        }
    }
    Ok(())
}

/// A page of a tenant's live organizations.
async fn page(
    desk: &Desk,
    tenant: TenantId,
    page: PageRequest,
) -> Result<Vec<Organization>, StoreUnavailable> {
    let query = OrganizationQuery { page, sort: OrganizationField::Name, descending: false, search: None };
    Ok(desk.organizations.page(Scope::Tenant(tenant), &query).await?.items)
}

fn fields(organization: &Organization) -> Fields {
    vec![
        ("id", json!(organization.id.to_string())),
        ("tenantId", json!(organization.tenant.to_string())),
        ("name", json!(organization.profile.name)),
        ("timezone", json!(organization.profile.timezone.as_str())),
    ]
}

impl Create {
    fn profile(self) -> Profile {
        Profile {
            name: self.name,
            email: self.email,
            image: None,
            address: self.address,
            city: self.city,
            state_province: self.state_province,
            postal_code: self.postal_code,
            country: self.country,
            phone_number: self.phone_number,
            timezone: self.timezone,
            external_id: self.external_id,
        }
    }
}
