//! How settings become adapters, for the service and for the command line alike.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use application::assistant_file::Allowed;
use artifacts::{LocalArtifacts, S3Artifacts, S3Settings};
use domain::assistant::BoundKey;
use domain::network::{AddressPolicy, Network, Origin};
use domain::ports::{Artifacts, KeyRing, LanguageModel, SignedFiles};
use speech::PicoSpeech;
use tokio::runtime::Handle;
use url::Url;

use crate::config::{Analysis, Problems, S3, Settings, credentials};
use crate::system::{open_files, sip_connections};
use crate::trust;

/// Spoken lines that are kept: an hour of speech.
const SPEECH_CACHE_BYTES: usize = 32 << 20;

/// One question to the analysing model, with all that is tried for it.
const ANALYSIS_LIMIT: Duration = Duration::from_secs(45);

/// How the outside reaches the HTTP side, as far as is known: what links that are handed out begin
/// with. Without a word of the operator's it is the address that is listened on, and of all of them
/// the one by which this machine reaches itself.
pub fn public_url(settings: &Settings, mut listening: SocketAddr) -> anyhow::Result<Url> {
    if let Some(url) = &settings.http.public_url {
        return Ok(url.clone());
    }
    if listening.ip().is_unspecified() {
        let own: IpAddr =
            if listening.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() };
        listening.set_ip(own);
    }
    let scheme = if settings.http.tls.is_some() { "https" } else { "http" };
    Url::parse(&format!("{scheme}://{listening}")).context("HTTP__LISTEN makes no address")
}

/// The SIP side's settings.
pub fn sip_settings(settings: &Settings) -> anyhow::Result<sip::Settings> {
    let mut sip = sip::Settings::new(settings.sip.listen, settings.media.ports.clone());
    sip.public_address = settings.sip.public_address;
    sip.tls =
        Some(trust::client_config(settings.sip.authorities.as_deref()).context("SIP__TLS__AUTHORITIES")?);
    sip.guard = addresses(settings, &settings.trunks.allowed_networks);
    sip.streams.total = sip_connections(open_files(), settings.sip.max_connections);
    sip.streams.per_address = settings.sip.max_connections_per_address;
    Ok(sip)
}

/// The address guard's rule with this machine's own addresses, for callbacks, AI providers or trunks:
/// each has networks of its own that are exempt.
pub fn addresses(settings: &Settings, allowed: &[Network]) -> AddressPolicy {
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    let own: Vec<IpAddr> =
        interfaces.iter().map(if_addrs::Interface::ip).chain(settings.sip.public_address).collect();
    AddressPolicy { allowed: allowed.to_vec(), own }
}

/// What the operator lets assistants do.
pub fn allowed_assistants(settings: &Settings) -> Allowed {
    let engines = &settings.engines;
    Allowed {
        addresses: addresses(settings, &engines.allowed_networks),
        credentials: credentials::public(&engines.credentials),
    }
}

/// The Redis that counts requests, where one is configured.
pub fn redis_settings(settings: &Settings) -> anyhow::Result<Option<redis_window::Settings>> {
    let Some(address) = settings.redis.address.clone() else { return Ok(None) };
    let tls = || trust::client_config(settings.redis.authorities.as_deref());
    let tls = address.is_tls().then(tls).transpose().context("REDIS__TLS__AUTHORITIES")?;
    Ok(Some(redis_window::Settings::new(address, tls)))
}

/// The built-in voice: this program's own `speak` command, in child processes. Call it inside a
/// tokio runtime.
pub fn speech() -> anyhow::Result<Arc<PicoSpeech>> {
    let program = std::env::current_exe().context("this program's own path is unknown")?;
    let args = vec!["speak".to_owned()];
    Ok(PicoSpeech::start(&speech::Settings { program, args, processes: 2, cache_bytes: SPEECH_CACHE_BYTES }))
}

/// The AI engines, with the credentials of the operator.
pub fn engines(settings: &Settings, control: Handle) -> anyhow::Result<Arc<voice::Engines>> {
    let engines = &settings.engines;
    let tls = trust::client_config(engines.authorities.as_deref()).context("ENGINES__TLS__AUTHORITIES")?;
    Ok(Arc::new(voice::Engines::new(voice::Settings {
        control,
        policy: addresses(settings, &engines.allowed_networks),
        tls,
        credentials: credentials::public(&engines.credentials),
        secrets: credentials::keys(&engines.credentials)?,
        timeouts: voice::Timeouts::default(),
    })))
}

/// The language model that reads calls afterwards, where one is configured.
pub fn language_model(settings: &Settings) -> anyhow::Result<Option<Arc<dyn LanguageModel>>> {
    let Some(analysis) = &settings.analysis else { return Ok(None) };
    let engines = &settings.engines;
    let model = voice::ChatModel::new(voice::ModelSettings {
        endpoint: analysis.endpoint.clone(),
        model: analysis.model.clone(),
        key: analysis_key(analysis)?,
        timeout: ANALYSIS_LIMIT,
        policy: addresses(settings, &engines.allowed_networks),
        tls: trust::client_config(engines.authorities.as_deref()).context("ENGINES__TLS__AUTHORITIES")?,
    });
    Ok(Some(Arc::new(model.context("the key of ANALYSIS__ENDPOINT")?)))
}

/// The key of the analysing model, bound to the origin of its endpoint.
fn analysis_key(analysis: &Analysis) -> anyhow::Result<Option<BoundKey>> {
    let Some(own) = &analysis.credential else { return Ok(None) };
    let origin = Origin::of(&analysis.endpoint).filter(|_| own.credential.covers(&analysis.endpoint));
    let origin =
        origin.context("the credential ANALYSIS__CREDENTIAL may not be sent to ANALYSIS__ENDPOINT")?;
    Ok(Some(BoundKey::new(own.read().map_err(Problems::from)?, origin)))
}

/// Where recordings and transcripts are kept, and, when that is here, what serves them.
#[derive(Clone)]
pub struct ArtifactStore {
    /// The store.
    pub artifacts: Arc<dyn Artifacts>,
    /// Serves its files; none where they are in a bucket.
    pub signed_files: Option<Arc<dyn SignedFiles>>,
}

/// The bucket, where one is configured, else the data directory; `public_url` is how the outside
/// reaches the HTTP interface.
pub fn artifacts(
    settings: &Settings,
    public_url: &Url,
    keys: Arc<dyn KeyRing>,
) -> anyhow::Result<ArtifactStore> {
    if let Some(bucket) = &settings.s3 {
        let artifacts = S3Artifacts::new(&s3_settings(bucket)?).context("ARTIFACTS__S3")?;
        return Ok(ArtifactStore { artifacts: Arc::new(artifacts), signed_files: None });
    }
    let folder = settings.data_dir.join("artifacts");
    let local = LocalArtifacts::open(folder, public_url, keys).context("the folder of artifacts")?;
    let local = Arc::new(local);
    Ok(ArtifactStore { artifacts: local.clone(), signed_files: Some(local) })
}

fn s3_settings(s3: &S3) -> anyhow::Result<S3Settings> {
    let tls = trust::client_config(s3.authorities.as_deref()).context("ARTIFACTS__S3__TLS__AUTHORITIES")?;
    Ok(S3Settings {
        bucket: s3.bucket.clone(),
        region: s3.region.clone(),
        endpoint: s3.endpoint.clone(),
        path_style: s3.path_style,
        prefix: s3.prefix.clone(),
        access_key_id: s3.access_key_id.clone(),
        secret_access_key: s3.secret_access_key.clone(),
        tls,
        request_limit: S3Settings::REQUEST_LIMIT,
    })
}
