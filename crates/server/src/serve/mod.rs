//! `callwright serve`: start, run, and end without losing anything.

mod afterwards;
mod built_in_phone;
mod http_server;
mod keys;
mod node;
mod runtimes;
mod shutdown;
mod wiring;

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use anyhow::Context;
use domain::ports::{Clock, Entropy};
use http_api::Readiness;

use crate::adapters::{self, ArtifactStore};
use crate::config::{Settings, credentials};
use crate::data_dir;
use crate::embedded::Cluster;
use crate::secrets::KeyFile;
use crate::system::{SystemClock, SystemEntropy, raise_open_files};
use runtimes::Runtimes;
use shutdown::Signals;
use wiring::Wiring;

/// Between two tries to reach a database that is not there yet.
const DATABASE_RETRY: Duration = Duration::from_secs(2);

/// Serves until SIGTERM or SIGINT, then drains.
pub fn run(settings: &Settings) -> anyhow::Result<()> {
    // A key that is missing stops the start, not the first call.
    credentials::keys(&settings.engines.credentials)?;
    raise_open_files();
    let runtimes = Runtimes::start().context("the threads could not be started")?;
    let served = runtimes.control().block_on(serve(settings, &runtimes));
    runtimes.stop();
    served
}

async fn serve(settings: &Settings, runtimes: &Runtimes) -> anyhow::Result<()> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let entropy: Arc<dyn Entropy> = Arc::new(SystemEntropy);
    let mut signals = Signals::listen().context("signals cannot be listened to")?;
    let stage = Arc::new(Stage::default());
    let front = http_server::start(settings, &clock, &entropy, &stage)?;

    data_dir::prepare(&settings.data_dir)
        .with_context(|| format!("the data directory {} cannot be used", settings.data_dir.display()))?;
    let keys = KeyFile::open(settings, entropy.as_ref(), Arc::clone(&clock))?;
    let artifacts = adapters::artifacts(settings, &front.public_url, keys.clone())?;
    // A signal during the start ends it; nothing has been taken on yet.
    let started = tokio::select! {
        started = start(settings, runtimes, &clock, &entropy, keys, artifacts) => started?,
        () = signals.next() => return Ok(()),
    };
    let (cluster, wiring) = started;
    wiring.open(&front.gate, settings);
    wiring.open_dashboard(&front.dashboard, settings);
    stage.set(Readiness::Ready);
    stage.watch(wiring.lease());
    tracing::info!("ready");
    wiring.offer_set_up(&front.public_url).await;

    signals.next().await;
    tracing::info!(running = wiring.running_calls(), "shutting down: no new calls are taken");
    stage.set(Readiness::Draining);
    wiring.drain(settings.calls.drain_limit, &mut signals).await;
    front.stop().await;
    wiring.leave().await;
    if let Some(cluster) = cluster {
        tokio::task::spawn_blocking(move || cluster.stop()).await.context("the database did not stop")?;
    }
    tracing::info!("stopped");
    Ok(())
}

/// Database, migrations, store, and the service on top; takes over what earlier starts left.
async fn start(
    settings: &Settings,
    runtimes: &Runtimes,
    clock: &Arc<dyn Clock>,
    entropy: &Arc<dyn Entropy>,
    keys: Arc<KeyFile>,
    artifacts: ArtifactStore,
) -> anyhow::Result<(Option<Cluster>, Wiring)> {
    let (cluster, url) = if let Some(url) = &settings.database.url {
        (None, url.reveal().clone())
    } else {
        let own = settings.clone();
        let cluster = tokio::task::spawn_blocking(move || Cluster::start(&own)).await??;
        let url = cluster.url().to_owned();
        (Some(cluster), url)
    };
    let store = reach(&url, &postgres::SealingKey::of(keys.clone())).await?;
    let mut wiring = Wiring::build(settings, runtimes, store, artifacts, clock, entropy).await?;
    wiring.follow_keys(keys);
    Ok((cluster, wiring))
}

/// Waits for the database, brings its tables up to date and opens the store.
async fn reach(url: &str, key: &postgres::SealingKey) -> anyhow::Result<postgres::Store> {
    if postgres::protection(url).is_ok_and(|protection| protection == postgres::Protection::ClearText) {
        tracing::warn!(
            "connections to the database are not encrypted (sslmode=disable): what is stored, calls and \
             credentials among it, can be read and changed on the way"
        );
    }
    let mut told = false;
    loop {
        match postgres::Store::connect(url, key.clone(), postgres::Options::default()).await {
            Ok(store) => {
                for migration in postgres::migrate(url).await.context("the database could not be migrated")? {
                    tracing::info!(migration, "migrated");
                }
                if !store.key_fits().await.context("the database's secrets could not be read")? {
                    tracing::error!(
                        "the key file is not this database's: trunk passwords and callbacks will fail"
                    );
                }
                return Ok(store);
            }
            Err(postgres::ConnectError::Unreachable(error)) => {
                if !told {
                    tracing::warn!(error = application::causes::causes(&error), "waiting for the database");
                    told = true;
                }
                tokio::time::sleep(DATABASE_RETRY).await;
            }
            // Neither of them heals by itself.
            Err(error @ (postgres::ConnectError::Url(_) | postgres::ConnectError::Tls(_))) => {
                return Err(error).context("DATABASE__URL");
            }
        }
    }
}

/// How far the service is; read on every readiness probe.
#[derive(Default)]
pub(crate) struct Stage {
    stage: AtomicU8,
    lease: std::sync::OnceLock<Arc<application::keep_node::NodeLease>>,
}

impl Stage {
    fn set(&self, stage: Readiness) {
        let value = match stage {
            Readiness::Starting | Readiness::NoDatabase => 0,
            Readiness::Ready => 1,
            Readiness::Draining => 2,
        };
        self.stage.store(value, Ordering::Release);
    }

    fn watch(&self, lease: Arc<application::keep_node::NodeLease>) {
        // Set once, by the one start.
        let _ = self.lease.set(lease);
    }

    pub(crate) fn readiness(&self) -> Readiness {
        match self.stage.load(Ordering::Acquire) {
            0 => Readiness::Starting,
            2 => Readiness::Draining,
            _ if self.lease.get().is_some_and(|lease| lease.is_ready()) => Readiness::Ready,
            _ => Readiness::NoDatabase,
        }
    }
}
