//! `callwright trunk`.

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use domain::ids::TenantId;
use domain::number::CountryCode;
use domain::secret::Secret;
use domain::trunk::{Credentials, Transport, Trunk, TrunkAddress};
use serde_json::json;

use super::office::Desk;
use super::output::Output;
use super::parse;
use crate::environment::Environment;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Add a trunk.
    Create(Box<Create>),
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
    /// The most calls at a time.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    max_calls: Option<u32>,
    /// The most new calls a second.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    calls_per_second: Option<u32>,
}

/// A trunk to add, with its password.
pub(super) struct WithPassword(Create, Option<Secret<String>>);

impl Command {
    /// Fetches the password before anything is opened.
    pub(super) fn with_password(command: Self, environment: &Environment) -> anyhow::Result<WithPassword> {
        let Self::Create(create) = command;
        let password = match create.password_env.as_deref() {
            None => None,
            Some(variable) => match environment.get(variable) {
                Some(password) if !password.is_empty() => Some(Secret::new(password.to_owned())),
                _ => bail!("--password-env: the environment variable {variable} is not set"),
            },
        };
        Ok(WithPassword(*create, password))
    }
}

pub(super) async fn run(command: WithPassword, desk: &Desk, output: Output) -> anyhow::Result<()> {
    let WithPassword(create, password) = command;
    let credentials = create.username.zip(password);
    let trunk = Trunk {
        id: desk.id(),
        tenant: create.tenant,
        name: create.name,
        address: create.address,
        transport: create.transport,
        credentials: credentials.map(|(username, password)| Credentials { username, password }),
        register: create.register,
        from_domain: create.from_domain,
        default_country: create.default_country,
        max_calls: create.max_calls,
        calls_per_second: create.calls_per_second,
        created_at: desk.now(),
    };
    let added = desk.provisioning.add_trunk(trunk.clone()).await;
    added.with_context(|| format!("tenant {}", trunk.tenant))?;
    output.object(&vec![
        ("id", json!(trunk.id.to_string())),
        ("tenantId", json!(trunk.tenant.to_string())),
        ("name", json!(trunk.name)),
        ("address", json!(trunk.address.to_string())),
        ("transport", json!(trunk.transport.as_str())),
        ("username", json!(trunk.credentials.map(|credentials| credentials.username))),
        ("register", json!(trunk.register)),
        ("fromDomain", json!(trunk.from_domain)),
        ("defaultCountry", json!(trunk.default_country.as_ref().map(CountryCode::as_str))),
        ("maxCalls", json!(trunk.max_calls)),
        ("callsPerSecond", json!(trunk.calls_per_second)),
    ])?;
    Ok(())
}
