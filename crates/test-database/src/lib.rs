//! A migrated database of its own for every test, on the cluster of `scripts/test-postgres`.
//!
//! The schema is built once as a template, named after the migrations; each test gets a copy of it.

#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::disallowed_methods,
    reason = "for tests only: they have no configuration but the environment, and without a database they fail, and say why"
)]

mod authority;
mod own_server;

use std::future::Future;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

pub use authority::{Authority, Certificate};
pub use own_server::OwnServer;

/// The environment variable with the URL of the cluster's maintenance database.
pub const VARIABLE: &str = "CALLWRIGHT_TEST_POSTGRES";

// Any fixed number: whoever holds it builds the template.
const TEMPLATE_LOCK: i64 = 7_215_901_337;

/// One test's own database; it is removed when this is dropped.
#[derive(Debug)]
pub struct TestDatabase {
    maintenance: String,
    name: String,
    url: String,
}

impl TestDatabase {
    /// Makes a fresh, migrated database. It panics, saying how to run the tests, when there is no
    /// cluster.
    pub async fn create() -> Self {
        let maintenance = maintenance_url();
        let database = on_a_thread_of_its_own(move || async move {
            let admin = connect(&maintenance).await;
            remove_leftovers(&admin).await;
            let template = template(&admin, &maintenance).await;
            Self::copy(&admin, maintenance, Some(&template)).await
        });
        tokio::task::spawn_blocking(move || database.join().expect("the database could not be made"))
            .await
            .expect("the database could not be made")
    }

    /// Makes a fresh database without any schema.
    pub async fn create_empty() -> Self {
        let maintenance = maintenance_url();
        let admin = connect(&maintenance).await;
        Self::copy(&admin, maintenance, None).await
    }

    async fn copy(admin: &Client, maintenance: String, template: Option<&str>) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("callwright_test_{}_{count}", std::process::id());
        execute(admin, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
        let source = template.unwrap_or("template0");
        execute(admin, &format!("CREATE DATABASE {name} TEMPLATE {source}")).await;
        let url = with_database(&maintenance, &name);
        Self { maintenance, name, url }
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Runs statements and returns the rows of the last, every value as text.
    pub async fn rows(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        rows_of(&self.url, sql).await
    }

    /// The only value of a query, as text.
    pub async fn value(&self, sql: &str) -> Option<String> {
        let mut rows = self.rows(sql).await;
        assert!(rows.len() == 1, "{sql}: {} rows", rows.len());
        rows.pop().and_then(|row| row.into_iter().next()).flatten()
    }

    /// Takes no connection to this database any more and ends those that there are, or takes them again.
    pub async fn refuse_connections(&self, refused: bool) {
        let admin = connect(&self.maintenance).await;
        execute(&admin, &format!("ALTER DATABASE {} ALLOW_CONNECTIONS {}", self.name, !refused)).await;
        if refused {
            self.cut_connections().await;
        }
    }

    /// Ends every connection to this database but ours, as a restart of the server would.
    pub async fn cut_connections(&self) {
        let admin = connect(&self.maintenance).await;
        let name = &self.name;
        let cut = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
        execute(&admin, &cut).await;
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let (maintenance, name) = (self.maintenance.clone(), self.name.clone());
        let dropping = on_a_thread_of_its_own(move || async move {
            if let Ok((client, connection)) = tokio_postgres::connect(&maintenance, NoTls).await {
                tokio::spawn(connection);
                // What cannot be removed now is removed at the next start.
                let _ = client.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
            }
        });
        let _ = dropping.join();
    }
}

/// Runs statements and returns the rows of the last, every value as text.
async fn rows_of(url: &str, sql: &str) -> Vec<Vec<Option<String>>> {
    let client = connect(url).await;
    let messages = client.simple_query(sql).await;
    let messages = messages.unwrap_or_else(|error| panic!("{sql}: {}", told(&error)));
    let mut rows = Vec::new();
    for message in messages {
        match message {
            SimpleQueryMessage::Row(row) => {
                rows.push((0..row.len()).map(|column| row.get(column).map(str::to_owned)).collect());
            }
            SimpleQueryMessage::RowDescription(_) => rows.clear(),
            _ => {}
        }
    }
    rows
}

/// Migrations block in place, so they need a runtime with more threads than a test may have.
fn on_a_thread_of_its_own<F, T>(work: impl FnOnce() -> F + Send + 'static) -> std::thread::JoinHandle<T>
where
    F: Future<Output = T>,
    T: Send + 'static,
{
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        runtime.expect("a runtime").block_on(work())
    })
}

fn maintenance_url() -> String {
    std::env::var(VARIABLE).unwrap_or_else(|_| {
        panic!(
            "{VARIABLE} is not set: run the tests with `./just test`, or set it to what \
             `scripts/test-postgres start` prints"
        )
    })
}

async fn connect(url: &str) -> Client {
    let connected = tokio_postgres::connect(url, NoTls).await;
    let (client, connection) = connected.unwrap_or_else(|error| {
        panic!("no connection to {VARIABLE}: {}; start it with `./just test`", told(&error))
    });
    tokio::spawn(connection);
    client
}

async fn execute(client: &Client, sql: &str) {
    client.batch_execute(sql).await.unwrap_or_else(|error| panic!("{sql}: {}", told(&error)));
}

fn told(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(|| error.to_string(), ToString::to_string)
}

/// The same URL, for another database.
fn with_database(url: &str, name: &str) -> String {
    let (place, query) = url.split_once('?').unwrap_or((url, ""));
    let (server, _) = place.rsplit_once('/').expect("the URL names a database");
    let separator = if query.is_empty() { "" } else { "?" };
    format!("{server}/{name}{separator}{query}")
}

/// The name of the migrated template; built by whoever comes first.
async fn template(admin: &Client, maintenance: &str) -> String {
    let name = format!("callwright_template_{}", postgres::SCHEMA);
    execute(admin, &format!("SELECT pg_advisory_lock({TEMPLATE_LOCK})")).await;
    let known = admin.query_opt("SELECT 1 FROM pg_database WHERE datname = $1", &[&name]).await;
    if known.expect("the list of databases").is_none() {
        let draft = format!("{name}_draft");
        execute(admin, &format!("DROP DATABASE IF EXISTS {draft} WITH (FORCE)")).await;
        execute(admin, &format!("CREATE DATABASE {draft} TEMPLATE template0")).await;
        let url = with_database(maintenance, &draft);
        postgres::migrate(&url).await.unwrap_or_else(|error| panic!("the migrations failed: {error}"));
        let cut = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{draft}'");
        execute(admin, &cut).await;
        execute(admin, &format!("ALTER DATABASE {draft} ALLOW_CONNECTIONS false")).await;
        execute(admin, &format!("ALTER DATABASE {draft} RENAME TO {name}")).await;
    }
    execute(admin, &format!("SELECT pg_advisory_unlock({TEMPLATE_LOCK})")).await;
    name
}

/// Removes databases whose test process has gone without removing them.
async fn remove_leftovers(admin: &Client) {
    static ONCE: Once = Once::new();
    let mut first = false;
    ONCE.call_once(|| first = true);
    if !first {
        return;
    }
    let named =
        admin.query("SELECT datname FROM pg_database WHERE datname LIKE 'callwright\\_test\\_%'", &[]);
    for row in named.await.expect("the list of databases") {
        let name: String = row.get(0);
        let process = name.trim_start_matches("callwright_test_").split('_').next().unwrap_or_default();
        if !std::path::Path::new("/proc").join(process).exists() {
            // Another process may be removing it too.
            let _ = admin.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
        }
    }
}
