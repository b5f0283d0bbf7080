//! The store: a pool for writes and transactions, and shared connections for point reads.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use diesel_async::AsyncPgConnection;
use domain::at_rest::AtRestKeys;
use domain::ids::KeyId;
use domain::ports::StoreUnavailable;
use domain::session::SessionDigest;
use time::OffsetDateTime;
use tokio::runtime::Handle;
use uuid::Uuid;

use crate::address::{Protection, UrlError};
use crate::connection::Connector;
use crate::failure::Failure;
use crate::lanes::Lanes;
use crate::pool::Pool;
use crate::proof::{self, Fitting};
use crate::sealing::SealingKey;
use crate::statement::{Row, Statement, row, statement};

/// How many connections a store opens.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// For writes and transactions; at least 1.
    pub pool_size: usize,
    /// For lists; at least 1.
    pub list_connections: usize,
    /// For lists of [`Store::for_pages`]; at least 1.
    pub page_connections: usize,
    /// The most that point reads share, one for each thread that reads; at least 1.
    pub shared_connections: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { pool_size: 8, list_connections: 8, page_connections: 4, shared_connections: 16 }
    }
}

/// The store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The database URL cannot be read.
    #[error("the database URL cannot be used: {0}")]
    Url(#[from] UrlError),
    /// The connection would not be protected as the URL wants it: waiting does not help.
    #[error("{0}")]
    Tls(String),
    /// The database could not be reached.
    #[error(transparent)]
    Unreachable(#[from] StoreUnavailable),
}

/// Every store port on one PostgreSQL database; cheap to clone.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
    // A list that takes its time must not keep the end of a call waiting.
    lists: Arc<Pool>,
}

struct Inner {
    pool: Pool,
    // Nor may those of people keep those of programs waiting.
    pages: Arc<Pool>,
    // For heartbeats alone: a queue of writes must not make a node look dead.
    pulse: Pool,
    shared: Lanes,
    key: SealingKey,
    // The keys that are known to open the database's secrets: others have to show it first.
    proved: parking_lot::Mutex<Option<Arc<AtRestKeys>>>,
    // Where work goes on that nobody waits for: reads may come from threads that end sooner.
    home: Handle,
    // What is being noted as used right now, so that a busy key or session is written once.
    noting: parking_lot::Mutex<HashSet<Used>>,
    // Calls taken over and handed out by this process, by the dead boot.
    handed: parking_lot::Mutex<HashMap<Uuid, Vec<Uuid>>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

row! {
    /// What the clock says.
    Reading { at: OffsetDateTime }
}

row! {
    /// An answer that is known beforehand.
    One { one: i32 }
}

row! {
    /// What encrypts a connection.
    Encryption { version: String }
}

/// What somebody used.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Used {
    Key(KeyId),
    Session(SessionDigest),
}

impl Used {
    const fn what(self) -> &'static str {
        match self {
            Self::Key(_) => "an API key",
            Self::Session(_) => "a session",
        }
    }
}

impl Store {
    /// Opens the store on the current runtime and makes sure that the database answers.
    pub async fn connect(url: &str, key: SealingKey, options: Options) -> Result<Self, ConnectError> {
        let connector = Connector::of(url)?;
        let pool = |size| {
            let built = Pool::new(url, &connector, size);
            built.map_err(|error| ConnectError::Unreachable(StoreUnavailable::because(error)))
        };
        let lists = Arc::new(pool(options.list_connections)?);
        let pages = Arc::new(pool(options.page_connections)?);
        let (pool, pulse) = (pool(options.pool_size)?, pool(1)?);
        let shared = Lanes::new(connector, options.shared_connections);
        let (proved, noting, handed) = Default::default();
        let home = Handle::current();
        let inner = Inner { pool, pages, pulse, shared, key, proved, home, noting, handed };
        let store = Self { inner: Arc::new(inner), lists };
        match store.answer().await {
            Ok(()) => Ok(store),
            Err(Failure::Tls(refusal)) => Err(ConnectError::Tls(refusal.to_string())),
            Err(failure) => Err(ConnectError::Unreachable(failure.into())),
        }
    }

    /// The same store, whose lists have other connections: those of everybody else do not wait for them.
    #[must_use]
    pub fn for_pages(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), lists: Arc::clone(&self.inner.pages) }
    }

    /// Asks the database for an answer.
    pub async fn ping(&self) -> Result<(), StoreUnavailable> {
        Ok(self.answer().await?)
    }

    async fn answer(&self) -> Result<(), Failure> {
        let rows = self.read::<One>(|| statement("SELECT 1 AS one")).await?;
        match rows.first() {
            Some(One { one: 1 }) => Ok(()),
            _ => Err(Failure::Refused("the database answers nonsense")),
        }
    }

    /// How the connections to the database are protected.
    pub fn protection(&self) -> Protection {
        self.inner.shared.protection()
    }

    /// The version of TLS as the database names it, e.g. `TLSv1.3`. Returns `None` in clear text, and where
    /// something in between (a connection pooler) ends our TLS.
    pub async fn tls_version(&self) -> Result<Option<String>, StoreUnavailable> {
        let version = "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl";
        let rows = self.read::<Encryption>(|| statement(version)).await?;
        Ok(rows.into_iter().next().map(|encryption| encryption.version))
    }

    /// The database's wall clock.
    pub async fn wall_clock(&self) -> Result<OffsetDateTime, StoreUnavailable> {
        let rows = self.read::<Reading>(|| statement("SELECT clock_timestamp() AS at")).await?;
        rows.first().map(|reading| reading.at).ok_or_else(|| Failure::Refused("no time was told").into())
    }

    /// Whether the key is the one that the database's secrets were encrypted with, as far as there are any.
    pub async fn key_fits(&self) -> Result<bool, StoreUnavailable> {
        Ok(proof::fitting(self).await? != Fitting::Nothing)
    }

    /// The keys to seal with. Secrets of two keys are not mixed, of which the nodes could open one kind
    /// only: keys that open nothing of what is there are refused, also when they come while we run.
    pub(crate) async fn sealing_keys(&self) -> Result<Arc<AtRestKeys>, Failure> {
        let held = self.key().keys();
        if self.inner.proved.lock().as_ref().is_some_and(|proved| Arc::ptr_eq(proved, &held)) {
            return Ok(held);
        }
        match proof::fitting(self).await? {
            Fitting::Nothing => Err(Failure::Refused("its secrets are encrypted with another key file")),
            Fitting::Empty => Ok(held),
            Fitting::Keys(keys) => {
                *self.inner.proved.lock() = Some(Arc::clone(&keys));
                Ok(keys)
            }
        }
    }

    /// The keys to write a row with. Whoever brings no secret needs none that fit: what the row seals anew
    /// was opened with them.
    pub(crate) async fn writing_keys(&self, secret: bool) -> Result<Arc<AtRestKeys>, StoreUnavailable> {
        Ok(if secret { self.sealing_keys().await? } else { self.key().keys() })
    }

    pub(crate) fn key(&self) -> &SealingKey {
        &self.inner.key
    }

    /// Runs work that nobody waits for.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.inner.home.spawn(work);
    }

    /// Notes a use behind the caller's back, at most one write of the same at a time.
    pub(crate) fn note_use(&self, used: Used, noting: Statement) {
        if !self.inner.noting.lock().insert(used) {
            return;
        }
        let store = self.clone();
        self.spawn(async move {
            let noted = store.with(async |connection| noting.run(connection).await).await;
            if let Err(failure) = noted {
                tracing::warn!(error = %failure, of = used.what(), "a use could not be noted");
            }
            store.inner.noting.lock().remove(&used);
        });
    }

    /// The calls of a dead boot that have been handed out.
    pub(crate) fn handed(&self, dead: Uuid) -> Vec<Uuid> {
        self.inner.handed.lock().get(&dead).cloned().unwrap_or_default()
    }

    /// Notes what is handed out of a dead boot's calls; nothing means that it is done with.
    pub(crate) fn hand_over(&self, dead: Uuid, calls: impl ExactSizeIterator<Item = Uuid>) {
        let mut handed = self.inner.handed.lock();
        if calls.len() == 0 {
            handed.remove(&dead);
        } else {
            handed.entry(dead).or_default().extend(calls);
        }
    }

    /// A point read on a shared connection; it may run twice.
    pub(crate) async fn read<R: Row>(&self, make: impl Fn() -> Statement + Send) -> Result<Vec<R>, Failure> {
        self.inner.shared.read(make).await
    }

    /// One statement on a connection of its own: a transaction in itself.
    pub(crate) async fn write<R: Row>(&self, statement: Statement) -> Result<Vec<R>, Failure> {
        self.with(async |connection| statement.rows::<R>(connection).await).await
    }

    /// A read whose cost grows with what is asked for, beside all writes and point reads.
    pub(crate) async fn list<R: Row>(&self, statement: Statement) -> Result<Vec<R>, Failure> {
        self.lists.with(async |connection| statement.rows::<R>(connection).await).await
    }

    /// Several such reads of one snapshot.
    pub(crate) async fn snapshot<T, F>(&self, work: F) -> Result<T, Failure>
    where
        T: Send,
        F: AsyncFnOnce(&mut AsyncPgConnection) -> Result<T, Failure>,
    {
        self.lists.with(work).await
    }

    /// The same beside all other writes: for heartbeats.
    pub(crate) async fn pulse<R: Row>(&self, statement: Statement) -> Result<Vec<R>, Failure> {
        self.inner.pulse.with(async |connection| statement.rows::<R>(connection).await).await
    }

    /// A whole transaction, or any work, on a connection of its own.
    pub(crate) async fn with<T, F>(&self, work: F) -> Result<T, Failure>
    where
        F: AsyncFnOnce(&mut AsyncPgConnection) -> Result<T, Failure>,
    {
        self.inner.pool.with(work).await
    }
}
