//! Migrations go up, down and up again, and nodes that start together do not collide.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panic")]

use std::sync::Arc;
use std::time::Duration;

use postgres::{migrate, pending_migrations, revert_all};
use test_database::TestDatabase;
use tokio::time::timeout;

const SCHEMA: &str = "
SELECT 'column', table_name, column_name, data_type || ' ' || is_nullable || coalesce(column_default, '')
FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE '\\_\\_%'
UNION ALL
SELECT 'index', tablename, indexname, indexdef FROM pg_indexes
WHERE schemaname = 'public' AND tablename NOT LIKE '\\_\\_%'
UNION ALL
SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text NOT LIKE '\\_\\_%'
ORDER BY 1, 2, 3, 4";

#[tokio::test(flavor = "multi_thread")]
async fn up_down_and_up_again_gives_the_same_schema() {
    let database = TestDatabase::create_empty().await;
    let pending = pending_migrations(database.url()).await.unwrap();
    assert!(pending.len() >= 6);

    let mut run = migrate(database.url()).await.unwrap();
    assert_eq!(run, pending);
    assert_eq!(pending_migrations(database.url()).await.unwrap(), Vec::<String>::new());
    let first = database.rows(SCHEMA).await;
    assert!(first.len() > 100);
    assert_eq!(migrate(database.url()).await.unwrap(), Vec::<String>::new());

    let mut reverted = revert_all(database.url()).await.unwrap();
    reverted.sort();
    run.sort();
    assert_eq!(reverted, run);
    assert_eq!(database.rows(SCHEMA).await, Vec::<Vec<Option<String>>>::new());

    migrate(database.url()).await.unwrap();
    assert_eq!(database.rows(SCHEMA).await, first);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_that_start_together_run_each_migration_once() {
    let database = TestDatabase::create_empty().await;
    let expected = pending_migrations(database.url()).await.unwrap();
    let nodes: Vec<_> = (0..4)
        .map(|_| {
            let url = database.url().to_owned();
            tokio::spawn(async move { migrate(&url).await })
        })
        .collect();
    let mut run = Vec::new();
    for node in nodes {
        run.extend(node.await.unwrap().unwrap());
    }
    assert_eq!(run, expected);
}

/// Keeps a session open with these statements for some seconds.
fn hold(database: &Arc<TestDatabase>, statements: &'static str) -> tokio::task::JoinHandle<()> {
    let holder = Arc::clone(database);
    tokio::spawn(async move {
        holder.rows(statements).await;
    })
}

async fn until(database: &TestDatabase, query: &str) {
    let found = async { while database.rows(query).await.is_empty() {} };
    timeout(Duration::from_secs(4), found).await.unwrap_or_else(|_| panic!("never: {query}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whoever_waits_for_another_nodes_migrations_holds_no_snapshot_meanwhile() {
    let database = Arc::new(TestDatabase::create_empty().await);
    let expected = pending_migrations(database.url()).await.unwrap();
    let holding = hold(&database, "SELECT pg_advisory_lock(27976676418319977); SELECT pg_sleep(5)");
    until(&database, "SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 6513827").await;
    let url = database.url().to_owned();
    let waiting = tokio::spawn(async move { migrate(&url).await });
    let asked = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'callwright' AND state = 'idle'
        AND backend_xmin IS NULL AND query LIKE '%advisory_lock(27976676418319977)%'";
    until(&database, asked).await;
    assert!(!holding.is_finished() && !waiting.is_finished());
    holding.await.unwrap();
    assert_eq!(waiting.await.unwrap().unwrap(), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_migration_that_finds_a_table_in_use_lets_others_read_it_and_goes_on_later() {
    let database = Arc::new(TestDatabase::create().await);
    database.rows(include_str!("../../../migrations/2026-11-20-163510_redelivery/down.sql")).await;
    database.rows("DELETE FROM __diesel_schema_migrations WHERE version = '20261120163510'").await;
    let holding = hold(&database, "BEGIN; SELECT FROM callbacks; SELECT pg_sleep(9); COMMIT");
    let locks =
        |which: &str| format!("SELECT FROM pg_locks WHERE relation = 'callbacks'::regclass AND {which}");
    until(&database, &locks("granted")).await;
    let url = database.url().to_owned();
    let migrating = tokio::spawn(async move { migrate(&url).await });
    until(&database, &locks("NOT granted AND mode = 'AccessExclusiveLock'")).await;
    let reading = timeout(Duration::from_secs(5), database.rows("SELECT count(*) FROM callbacks"));
    reading.await.expect("everybody queues behind the migration");
    assert!(!holding.is_finished() && !migrating.is_finished());
    holding.await.unwrap();
    assert_eq!(migrating.await.unwrap().unwrap(), ["20261120163510"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_not_there_is_told_apart() {
    let unreadable = migrate("postgres://[").await.unwrap_err().to_string();
    assert!(unreadable.contains("URL"), "{unreadable}");
    let missing = migrate("postgres://nobody@127.0.0.1:1/none").await.unwrap_err().to_string();
    assert!(missing.contains("cannot be reached"), "{missing}");
}
