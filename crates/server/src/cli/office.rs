//! Opens the database for one of the operator's commands.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use domain::audit::{Actor, Deed};
use domain::ids::NewId;
use domain::page::PageRequest;
use domain::ports::{
    Access, Accounts, Assistants, Clock, Directory, Entropy, Nodes, Numbers, Organizations, Signing,
    StoredSchemas, Tenants, Trunks,
};
use domain::secret::Secret;
use time::OffsetDateTime;
use tokio::runtime::Runtime;

use crate::config::Settings;
use crate::embedded::Cluster;
use crate::secrets::KeyFile;
use crate::system::{SystemClock, SystemEntropy};

/// How long a dropped runtime waits for what still runs on it.
const CLOSING: Duration = Duration::from_secs(5);

/// The database, while the command runs: the configured one, that of the running server, or the
/// data directory's own, started for the purpose.
pub(super) struct Database {
    url: Secret<String>,
    cluster: Option<Cluster>,
    runtime: Runtime,
}

impl Database {
    pub(super) fn reach(settings: &Settings) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let (url, cluster) = if let Some(url) = &settings.database.url {
            (url.clone(), None)
        } else {
            let cluster = Cluster::attach_or_start(settings)?;
            (Secret::new(cluster.url().to_owned()), Some(cluster))
        };
        Ok(Self { url, cluster, runtime })
    }

    pub(super) fn url(&self) -> &str {
        self.url.reveal()
    }

    pub(super) fn is_embedded(&self) -> bool {
        self.cluster.is_some()
    }

    pub(super) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Lets the connections go before the cluster that they lead to.
    pub(super) fn close(self) {
        self.runtime.shutdown_timeout(CLOSING);
        if let Some(cluster) = self.cluster {
            cluster.stop();
        }
    }

    /// The store, with the tables that it needs: those of an embedded database are brought up to
    /// date, those of a foreign one are the operator's decision.
    pub(super) async fn store(&self, settings: &Settings) -> anyhow::Result<postgres::Store> {
        let keys = KeyFile::open(settings, &SystemEntropy, Arc::new(SystemClock))?;
        self.store_with(keys).await
    }

    /// The same, with keys that the caller follows too.
    pub(super) async fn store_with(&self, keys: Arc<KeyFile>) -> anyhow::Result<postgres::Store> {
        let key = postgres::SealingKey::of(keys);
        let store = postgres::Store::connect(self.url(), key, postgres::Options::default()).await;
        let store = store.context("the database cannot be opened")?;
        if self.is_embedded() {
            postgres::migrate(self.url()).await?;
        } else if !postgres::pending_migrations(self.url()).await?.is_empty() {
            bail!("the database's tables are not up to date: run `callwright migrate` first");
        }
        Ok(store)
    }
}

/// How much of a list is fetched at a time.
const PAGE: u32 = 500;

/// A whole list, page by page.
pub(super) async fn every<T, E>(page: impl AsyncFn(PageRequest) -> Result<Vec<T>, E>) -> Result<Vec<T>, E> {
    let mut all = Vec::new();
    for number in 1.. {
        let items = page(PageRequest { number, size: PAGE }).await?;
        let last = u32::try_from(items.len()).is_ok_and(|count| count < PAGE);
        all.extend(items);
        if last {
            break;
        }
    }
    Ok(all)
}

/// What a command works with.
pub(super) struct Desk {
    pub(super) tenants: Arc<dyn Tenants>,
    pub(super) trunks: Arc<dyn Trunks>,
    pub(super) numbers: Arc<dyn Numbers>,
    pub(super) assistants: Arc<dyn Assistants>,
    pub(super) directory: Arc<dyn Directory>,
    pub(super) signing: Arc<dyn Signing>,
    pub(super) organizations: Arc<dyn Organizations>,
    pub(super) access: Arc<dyn Access>,
    pub(super) accounts: Arc<dyn Accounts>,
    pub(super) nodes: Arc<dyn Nodes>,
    pub(super) schemas: Arc<dyn StoredSchemas>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) entropy: Arc<dyn Entropy>,
}

impl Desk {
    pub(super) fn now(&self) -> OffsetDateTime {
        self.clock.now()
    }

    /// The operator, here and now.
    pub(super) fn deed(&self) -> Deed {
        Deed { actor: Actor::Operator, from: None, at: self.now() }
    }

    /// A fresh id.
    pub(super) fn id<T: From<NewId>>(&self) -> T {
        let mut random = [0; 10];
        self.entropy.fill(&mut random);
        NewId::at(self.now(), random).into()
    }
}

/// An open database with a desk in it.
pub(super) struct Office {
    database: Database,
    desk: Desk,
}

impl Office {
    pub(super) fn open(settings: &Settings) -> anyhow::Result<Self> {
        let database = Database::reach(settings)?;
        let store = Arc::new(database.runtime.block_on(database.store(settings))?);
        let desk = Desk {
            tenants: store.clone(),
            trunks: store.clone(),
            numbers: store.clone(),
            assistants: store.clone(),
            directory: store.clone(),
            signing: store.clone(),
            organizations: store.clone(),
            access: store.clone(),
            accounts: store.clone(),
            nodes: store.clone(),
            schemas: store,
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
        };
        Ok(Self { database, desk })
    }

    /// Runs one command and closes.
    pub(super) fn attend(self, command: impl AsyncFnOnce(&Desk) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let done = self.database.runtime.block_on(command(&self.desk));
        drop(self.desk);
        self.database.close();
        done
    }
}

/// Whoever can list trunks; the doctor asks it.
pub(super) fn directory(store: &postgres::Store) -> Arc<dyn Directory> {
    Arc::new(store.clone())
}
