//! `callwright trunk`.

use anyhow::{Context, bail};
use application::values;
use clap::{Args, Subcommand};
use domain::ids::{TenantId, TrunkId};
use domain::network::Network;
use domain::number::CountryCode;
use domain::ports::{ReviseTrunkError, Seen};
use domain::scope::Reach;
use domain::secret::Secret;
use domain::trunk::{Credentials, Srtp, Transport, Trunk, TrunkAddress, TrunkRevision};
use serde_json::json;

use super::office::{Desk, every};
use super::output::{Fields, Output};
use super::parse;
use crate::environment::Environment;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Add a trunk.
    Create(Box<Create>),
    /// Change a trunk's accepted sources and realms; the rest stays. Calls that go on keep what they
    /// began with.
    Update {
        /// The trunk.
        #[arg(value_parser = parse::trunk)]
        id: TrunkId,
        #[command(flatten)]
        changes: Box<Changes>,
    },
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
    /// Encrypt the sound of calls (SRTP): off or required, which needs --transport tls.
    #[arg(long, value_name = "off|required", value_parser = parse::srtp, default_value = "off")]
    srtp: Srtp,
    /// Accept audio from other addresses than the negotiated one too, as needed by peers behind a NAT.
    #[arg(long)]
    nat: bool,
    /// Exchange audio with these networks only (repeatable, or separated by commas).
    #[arg(long, value_name = "CIDR", value_parser = parse_networks)]
    media_networks: Vec<Networks>,
    /// Take SIP requests from these networks as this trunk's too (repeatable, or separated by commas).
    #[arg(long, value_name = "CIDR", value_parser = parse_networks)]
    inbound_from: Vec<Networks>,
    /// Answer digest challenges of this realm only (repeatable).
    #[arg(long = "realm", value_name = "NAME", value_parser = parse::name)]
    realms: Vec<String>,
    /// The most calls at a time.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    max_calls: Option<u32>,
    /// The most new calls a second.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    calls_per_second: Option<u32>,
}

/// What `trunk update` changes; each option replaces the whole setting.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(super) struct Changes {
    /// Accept audio from other addresses than the negotiated one too.
    #[arg(long, conflicts_with = "no_nat")]
    nat: bool,
    /// Accept audio from the negotiated address and that of the signalling only.
    #[arg(long)]
    no_nat: bool,
    /// Exchange audio with these networks only (repeatable, or separated by commas).
    #[arg(long, value_name = "CIDR", value_parser = parse_networks)]
    media_networks: Option<Vec<Networks>>,
    /// Do not restrict audio to networks.
    #[arg(long, conflicts_with = "media_networks")]
    no_media_networks: bool,
    /// Take SIP requests from these networks as this trunk's too (repeatable, or separated by commas).
    #[arg(long, value_name = "CIDR", value_parser = parse_networks)]
    inbound_from: Option<Vec<Networks>>,
    /// Take SIP requests from the trunk's own addresses only.
    #[arg(long, conflicts_with = "inbound_from")]
    no_inbound_from: bool,
    /// Answer digest challenges of this realm only (repeatable).
    #[arg(long = "realm", value_name = "NAME", value_parser = parse::name)]
    realms: Option<Vec<String>>,
    /// Answer digest challenges of any realm.
    #[arg(long, conflicts_with = "realms")]
    any_realm: bool,
}

/// The networks of one occurrence of an option.
#[derive(Clone, Debug)]
struct Networks(Vec<Network>);

fn parse_networks(text: &str) -> Result<Networks, String> {
    parse::networks(text).map(Networks).map_err(|rule| rule.to_string())
}

fn networks(option: &str, given: Vec<Networks>) -> anyhow::Result<Vec<Network>> {
    let all = given.into_iter().flat_map(|Networks(some)| some).collect();
    values::listed(all).with_context(|| option.to_owned())
}

fn realms(given: Vec<String>) -> anyhow::Result<Vec<String>> {
    values::listed(given).context("--realm")
}

/// What is to be done, with the password that it needs.
pub(super) enum Order {
    Create(Box<Create>, Option<Secret<String>>),
    Update(TrunkId, Box<Changes>),
    List(TenantId),
}

impl Command {
    /// Fetches the password before anything is opened.
    pub(super) fn with_password(self, environment: &Environment) -> anyhow::Result<Order> {
        let create = match self {
            Self::Create(create) => create,
            Self::Update { id, changes } => return Ok(Order::Update(id, changes)),
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
            let trunk = create.trunk(password, desk)?.checked().context("--srtp")?;
            let added = desk.trunks.add_trunk(Reach::Everything, trunk.clone(), desk.deed()).await;
            added.with_context(|| format!("tenant {}", trunk.tenant))?;
            output.object(&fields(&trunk))?;
        }
        Order::Update(id, changes) => {
            let revised = update(id, *changes, desk).await.with_context(|| format!("trunk {id}"))?;
            output.object(&fields(&revised))?;
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
    fn trunk(self, password: Option<Secret<String>>, desk: &Desk) -> anyhow::Result<Trunk> {
        let credentials = self.username.zip(password);
        Ok(Trunk {
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
            nat: self.nat,
            media_networks: networks("--media-networks", self.media_networks)?,
            inbound_from: networks("--inbound-from", self.inbound_from)?,
            realms: realms(self.realms)?,
            max_calls: self.max_calls,
            calls_per_second: self.calls_per_second,
            created_at: desk.now(),
        })
    }
}

/// Changes a trunk, unless it was changed since it was read.
async fn update(id: TrunkId, changes: Changes, desk: &Desk) -> anyhow::Result<Trunk> {
    let reach = Reach::Everything;
    let stored = desk.trunks.trunk(reach, id).await?.ok_or(ReviseTrunkError::Unknown)?;
    let revision = changes.revision(&stored)?;
    let seen = Seen::told_by(move |now: &Trunk| *now == stored);
    Ok(desk.trunks.revise_trunk(reach, id, revision, Some(seen), desk.deed()).await?)
}

impl Changes {
    fn revision(self, stored: &Trunk) -> anyhow::Result<TrunkRevision> {
        let mut revision = TrunkRevision::unchanged(stored);
        if self.nat || self.no_nat {
            revision.nat = self.nat;
        }
        if let Some(given) = self.media_networks.or(self.no_media_networks.then(Vec::new)) {
            revision.media_networks = networks("--media-networks", given)?;
        }
        if let Some(given) = self.inbound_from.or(self.no_inbound_from.then(Vec::new)) {
            revision.inbound_from = Some(networks("--inbound-from", given)?);
        }
        if let Some(given) = self.realms.or(self.any_realm.then(Vec::new)) {
            revision.realms = realms(given)?;
        }
        Ok(revision)
    }
}

fn listed(networks: &[Network]) -> Vec<String> {
    networks.iter().map(Network::to_string).collect()
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
        ("nat", json!(trunk.nat)),
        ("mediaNetworks", json!(listed(&trunk.media_networks))),
        ("inboundFrom", json!(listed(&trunk.inbound_from))),
        ("realms", json!(trunk.realms)),
        ("maxCalls", json!(trunk.max_calls)),
        ("callsPerSecond", json!(trunk.calls_per_second)),
    ]
}
