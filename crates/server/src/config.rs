//! Settings: from defaults, then a TOML file, then the environment; wrong ones stop the start.

mod bucket;
mod check;
pub(crate) mod credentials;
mod engines;
mod known;
mod layers;
mod problem;

use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::network::Network;
use domain::secret::Secret;
use url::Url;

use crate::environment::Environment;
pub use credentials::{KeySource, NamedCredential};
pub use engines::{Analysis, Engines};
pub use problem::{Problem, Problems};

/// Everything an operator can set; how each is written stands in `docs/operating.md`.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The HTTP interface.
    pub http: Http,
    /// The database.
    pub database: Database,
    /// The Redis that nodes count requests in.
    pub redis: Redis,
    /// The folder that holds what this node keeps: its identity, spools, key and cluster.
    pub data_dir: PathBuf,
    /// Secrets at rest.
    pub secrets: Secrets,
    /// The SIP side.
    pub sip: Sip,
    /// Trunks that are set up in the dashboard.
    pub trunks: Trunks,
    /// The telephone inside the service.
    pub phone: BuiltInPhone,
    /// The RTP side.
    pub media: Media,
    /// Calls.
    pub calls: Calls,
    /// Callbacks.
    pub callbacks: Callbacks,
    /// The AI engines of assistants.
    pub engines: Engines,
    /// The language model that writes about calls.
    pub analysis: Option<Analysis>,
    /// `ARTIFACTS__S3__*`: where recordings and transcripts are kept; none means the data directory.
    pub s3: Option<S3>,
    /// The log.
    pub log: Log,
}

/// The HTTP interface's settings.
#[derive(Clone, Debug)]
pub struct Http {
    /// `HTTP__LISTEN`: where requests are taken.
    pub listen: SocketAddr,
    /// `HTTP__PUBLIC_URL`: how the outside reaches it; the base of links that are handed out.
    pub public_url: Option<Url>,
    /// `HTTP__TLS__*`: HTTPS instead of HTTP.
    pub tls: Option<Tls>,
    /// `HTTP__TRUSTED_PROXIES`: peers whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<Network>,
}

/// A server certificate, both files in PEM form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// The certificate with its chain, leaf first.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// The database's settings.
#[derive(Clone, Debug)]
pub struct Database {
    /// `DATABASE__URL` (or `DATABASE_URL`): none means a private cluster in the data directory.
    pub url: Option<Secret<String>>,
    /// Folders in which PostgreSQL's programs are searched first: the environment's `PATH`.
    pub search_path: Vec<PathBuf>,
}

/// The Redis in which all nodes count requests together.
#[derive(Clone, Debug)]
pub struct Redis {
    /// `REDIS__URL`: none means that each node counts by itself.
    pub address: Option<redis_window::Address>,
    /// `REDIS__TLS__AUTHORITIES`: further certificate authorities (PEM) that it may have.
    pub authorities: Option<PathBuf>,
}

/// Where the key that encrypts secrets at rest lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secrets {
    /// `SECRETS__KEY_FILE`; without one, `secret.key` in the data directory, made when absent.
    pub key_file: Option<PathBuf>,
}

/// The SIP side's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sip {
    /// `SIP__LISTEN`: UDP and TCP.
    pub listen: SocketAddr,
    /// `SIP__PUBLIC_ADDRESS`: what Contact, Via and SDP say when it differs from `listen`.
    pub public_address: Option<IpAddr>,
    /// `SIP__TLS__AUTHORITIES`: further certificate authorities (PEM) that trunks may have.
    pub authorities: Option<PathBuf>,
    /// `SIP__MAX_CONNECTIONS`: TCP connections of peers at a time; by the open files when absent.
    pub max_connections: Option<usize>,
    /// `SIP__MAX_CONNECTIONS_PER_ADDRESS`: those of one address.
    pub max_connections_per_address: usize,
}

/// The settings of trunks that are set up in the dashboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trunks {
    /// `TRUNKS__ALLOWED_NETWORKS`: exempt from the address guard.
    pub allowed_networks: Vec<Network>,
}

/// The settings of the telephone inside the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltInPhone {
    /// `PHONE__BUILT_IN`: whether assistants can be tried on it.
    pub built_in: bool,
}

/// The RTP side's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Media {
    /// `MEDIA__PORTS`: RTP on even ports, RTCP on the odd ones above them.
    pub ports: RangeInclusive<u16>,
}

/// The calls' settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calls {
    /// `CALLS__RING_LIMIT`: how long a callee is rung (1–180 s).
    pub ring_limit: Duration,
    /// `CALLS__DRAIN_LIMIT`: how long live calls may go on after a SIGTERM (0–86,400 s).
    pub drain_limit: Duration,
}

/// The callbacks' settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callbacks {
    /// `CALLBACKS__ALLOWED_NETWORKS`: exempt from the address guard.
    pub allowed_networks: Vec<Network>,
    /// `CALLBACKS__TLS__AUTHORITIES`: further certificate authorities (PEM) that receivers may have.
    pub authorities: Option<PathBuf>,
}

/// The bucket's settings.
#[derive(Clone, Debug)]
pub struct S3 {
    /// `ARTIFACTS__S3__BUCKET`: its name.
    pub bucket: String,
    /// `ARTIFACTS__S3__REGION`: its region.
    pub region: String,
    /// `ARTIFACTS__S3__ENDPOINT`: where it is, when that is not AWS.
    pub endpoint: Option<Url>,
    /// `ARTIFACTS__S3__PATH_STYLE`: whether its name is in the path, rather than in the host name.
    pub path_style: bool,
    /// `ARTIFACTS__S3__PREFIX`: the part of it that is used.
    pub prefix: Option<String>,
    /// `ARTIFACTS__S3__ACCESS_KEY_ID`: who asks.
    pub access_key_id: String,
    /// `ARTIFACTS__S3__SECRET_ACCESS_KEY`, or what the file `…_FILE` holds.
    pub secret_access_key: Secret<String>,
    /// `ARTIFACTS__S3__TLS__AUTHORITIES`: further certificate authorities (PEM) that it may have.
    pub authorities: Option<PathBuf>,
}

/// The log's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// `LOG__LEVEL`: a level, or levels by module (`info,sip=debug`).
    pub level: String,
    /// `LOG__FORMAT`.
    pub format: LogFormat,
}

/// How a log line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Pretty,
    /// One JSON object a line.
    Json,
}

impl Settings {
    /// Reads defaults, then `file`, then `environment`; every problem is told at once.
    pub fn load(file: Option<&Path>, environment: &Environment) -> Result<Self, Problems> {
        known::read(&layers::collect(file, environment)?, environment)
    }
}

#[cfg(test)]
mod tests;
