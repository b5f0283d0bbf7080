//! `callwright trunk`.

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use domain::ids::TenantId;
use domain::number::CountryCode;
use domain::scope::Reach;
use domain::secret::Secret;
use domain::trunk::{Credentials, Srtp, Transport, Trunk, TrunkAddress};
use serde_json::json;

use super::office::{Desk, every};
use super::output::{Fields, Output};
use super::parse;
use crate::environment::Environment;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Add a trunk.
    Create(Box<Create>),
    /// List a tenant's trunks, oldest first.
    List {
        /// The tenant.
        #[arg(long, value_parser = parse::tenant)]
        tenant: TenantId,
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
    /// Where its requests go: HOST or HOST:PORT; without a port SRV records are asked.
    #[arg(long, value_parser = parse::address)]
    address: TrunkAddress,
    /// How they go there: udp, tcp or tls.
    #[arg(long, value_parser = parse::transport, default_value = "udp")]
    transport: Transport,
    /// User name for digest authentication.
    #[arg(long, value_parser = parse::name, requires = "password_env")]
    username: Option<String>,
    /// The environment variable that holds the password.
    #[arg(long, value_name = "VARIABLE", requires = "username")]
    password_env: Option<String>,
    /// Register with the trunk and keep that fresh.
    #[arg(long, requires = "username")]
    register: bool,
    /// The host part of our From; the address's host when not given.
    #[arg(long, value_name = "DOMAIN", value_parser = parse::domain_name)]
    from_domain: Option<String>,
    /// Calling code for numbers that come without a country.
    #[arg(long, value_name = "CODE", value_parser = parse::country)]
    default_country: Option<CountryCode>,
    /// Offer G.722 first, which sounds better than G.711 where the callee has it too.
    #[arg(long)]
    wideband: bool,
    /// Encrypt the sound of calls (SRTP): off or required.
    #[arg(long, value_name = "off|required", value_parser = parse::srtp, default_value = "off")]
    srtp: Srtp,
    /// The most calls at a time.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    max_calls: Option<u32>,
    /// The most new calls a second.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    calls_per_second: Option<u32>,
}

/// What is to be done, with the password that it needs.
pub(super) enum Order {
    Create(Box<Create>, Option<Secret<String>>),
    List(TenantId),
}

impl Command {
    /// Fetches the password before anything is opened.
    pub(super) fn with_password(self, environment: &Environment) -> anyhow::Result<Order> {
        let create = match self {
            Self::Create(create) => create,
            Self::List { tenant } => return Ok(Order::List(tenant)),
        };
        let password = match create.password_env.as_deref() {
            None => None,
            Some(variable) => match environment.get(variable) {
                Some(password) if !password.is_empty() => Some(Secret::new(password.to_owned())),
                _ => bail!("--password-env: the environment variable {variable} is not set"),
            },
        };
        Ok(Order::Create(create, password))
    }
}

pub(super) async fn run(order: Order, desk: &Desk, output: Output) -> anyhow::Result<()> {
    match order {
        Order::Create(create, password) => {
            let trunk = create.trunk(password, desk);
            if trunk.srtp == Srtp::Required && trunk.transport != Transport::Tls {
                tracing::warn!("without --transport tls the keys of SRTP travel in clear");
            }
            let added = desk.trunks.add_trunk(Reach::Everything, trunk.clone(), desk.deed()).await;
            added.with_context(|| format!("tenant {}", trunk.tenant))?;
            output.object(&fields(&trunk))?;
        }
        Order::List(tenant) => {
            let trunks =
                every(async |page| desk.trunks.trunks_of(Reach::Everything, tenant, page).await).await?;
            let rows: Vec<_> = trunks.iter().map(fields).collect();
            output.list(vec![("id", json!(tenant.to_string()))], "trunks", &rows)?;
        }
    }
    Ok(())
}

impl Create {
    fn trunk(self, password: Option<Secret<String>>, desk: &Desk) -> Trunk {
        let credentials = self.username.zip(password);
        Trunk {
            id: desk.id(),
            tenant: self.tenant,
            name: self.name,
            address: self.address,
            transport: self.transport,
            credentials: credentials.map(|(username, password)| Credentials { username, password }),
            register: self.register,
            from_domain: self.from_domain,
            default_country: self.default_country,
            wideband: self.wideband,
            srtp: self.srtp,
            guarded: false,
            max_calls: self.max_calls,
            calls_per_second: self.calls_per_second,
            created_at: desk.now(),
        }
    }
}

/// A trunk without its password.
fn fields(trunk: &Trunk) -> Fields {
    vec![
        ("id", json!(trunk.id.to_string())),
        ("tenantId", json!(trunk.tenant.to_string())),
        ("name", json!(trunk.name)),
        ("address", json!(trunk.address.to_string())),
        ("transport", json!(trunk.transport.as_str())),
        ("username", json!(trunk.credentials.as_ref().map(|credentials| &credentials.username))),
        ("register", json!(trunk.register)),
        ("fromDomain", json!(trunk.from_domain)),
        ("defaultCountry", json!(trunk.default_country.as_ref().map(CountryCode::as_str))),
        ("wideband", json!(trunk.wideband)),
        ("srtp", json!(trunk.srtp.as_str())),
        ("maxCalls", json!(trunk.max_calls)),
        ("callsPerSecond", json!(trunk.calls_per_second)),
    ]
}
