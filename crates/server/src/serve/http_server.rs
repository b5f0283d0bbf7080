//! The HTTP side of the service: it listens from the first second, and lets requests in when the
//! rest is ready.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use dashboard::{Dashboard, FORMS_MAX, MISSES_MAX};
use domain::ports::{Clock, Entropy, RateLimitWindow};
use http_api::{Front, Gate, Listen, MemoryWindow, Pages, SMALLEST_LIMIT, Stopper, TrustedProxies};
use redis_window::RedisWindow;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use url::Url;

use super::Stage;
use crate::adapters;
use crate::config::{Settings, Tls};

/// Requests in hand may go on for so long after a graceful stop.
const STOP_LIMIT: Duration = Duration::from_secs(15);

/// The listening server and its gate.
pub(super) struct HttpFront {
    pub(super) gate: Arc<Gate>,
    pub(super) dashboard: Arc<Dashboard>,
    /// How the outside reaches it, as far as is known: what links that are handed out begin with.
    pub(super) public_url: Url,
    stopper: Stopper,
}

impl HttpFront {
    /// Answers what is in hand, and stops.
    pub(super) async fn stop(&self) {
        self.dashboard.end_streams();
        self.stopper.stop(true).await;
    }
}

/// Addresses whose forms are counted at once, and whose misses are, in about 3 MiB each; beyond them the
/// longest idle is forgotten.
const STRANGERS: usize = 1 << 16;

/// Listens on the configured address.
pub(super) fn start(
    settings: &Settings,
    clock: &Arc<dyn Clock>,
    entropy: &Arc<dyn Entropy>,
    stage: &Arc<Stage>,
) -> anyhow::Result<HttpFront> {
    let stage = Arc::clone(stage);
    let gate = Gate::new(Front {
        clock: Arc::clone(clock),
        entropy: Arc::clone(entropy),
        window: window(settings, entropy)?,
        trusted_proxies: TrustedProxies::new(settings.http.trusted_proxies.clone()),
        readiness: Arc::new(move || stage.readiness()),
    });
    let listen = settings.http.listen;
    let listener =
        TcpListener::bind(listen).with_context(|| format!("HTTP__LISTEN: {listen} cannot be listened on"))?;
    let address = listener.local_addr()?;
    let tls = settings.http.tls.as_ref().map(tls_config).transpose()?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let public_url = adapters::public_url(settings, address)?;
    if settings.http.public_url.is_none() && !address.ip().is_loopback() {
        tracing::warn!("HTTP__PUBLIC_URL is not set: links that are handed out may lead nowhere for others");
    }
    let encrypted = public_url.scheme() == "https";
    let dashboard = Dashboard::new(dashboard::Front {
        public_url: public_url.clone(),
        encrypted,
        forms: Arc::new(MemoryWindow::new(STRANGERS, FORMS_MAX)),
        // Misses are counted up to their limit, and no further.
        misses: Arc::new(MemoryWindow::new(STRANGERS, MISSES_MAX - 1)),
    });
    let listen = Listen { listeners: vec![listener], tls, workers: None, shutdown_limit: STOP_LIMIT };
    let server = http_api::serve(listen, Arc::clone(&gate), pages(&dashboard))
        .context("the HTTP server could not be started")?;
    let stopper = server.stopper();
    tokio::spawn(async move {
        if let Err(error) = server.run().await {
            tracing::error!(%error, "the HTTP server broke");
        }
    });
    tracing::info!(http.address = %address, "listening on {scheme}://{address}");
    Ok(HttpFront { gate, dashboard, public_url, stopper })
}

/// The dashboard, on the interface's sockets.
fn pages(dashboard: &Arc<Dashboard>) -> Pages {
    let (own, lost) = (Arc::clone(dashboard), Arc::clone(dashboard));
    Pages::new(move |app| dashboard::configure(&own, app), move |request| dashboard::lost(&lost, request))
}

/// Counts in this process, and in Redis as well when nodes share one.
fn window(settings: &Settings, entropy: &Arc<dyn Entropy>) -> anyhow::Result<Arc<dyn RateLimitWindow>> {
    let own = Arc::new(MemoryWindow::new(MemoryWindow::CLIENTS, SMALLEST_LIMIT));
    Ok(match adapters::redis_settings(settings)? {
        Some(redis) => Arc::new(RedisWindow::start(redis, own, Arc::clone(entropy))),
        None => own,
    })
}

fn tls_config(tls: &Tls) -> anyhow::Result<rustls::ServerConfig> {
    let (certificate, key) = (&tls.certificate, &tls.key);
    let chain =
        CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .with_context(|| format!("HTTP__TLS__CERTIFICATE: {} cannot be read", certificate.display()))?;
    let key = PrivateKeyDer::from_pem_file(key)
        .with_context(|| format!("HTTP__TLS__KEY: {} cannot be read", key.display()))?;
    rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .context("HTTP__TLS__CERTIFICATE and HTTP__TLS__KEY do not fit together")
}
