//! Migrations go up, down and up again, and nodes that start together do not collide.

#![allow(clippy::unwrap_used, reason = "tests fail by panic")]

use postgres::{migrate, pending_migrations, revert_all};
use test_database::TestDatabase;

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

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_not_there_is_told_apart() {
    let unreadable = migrate("postgres://[").await.unwrap_err().to_string();
    assert!(unreadable.contains("URL"), "{unreadable}");
    let missing = migrate("postgres://nobody@127.0.0.1:1/none").await.unwrap_err().to_string();
    assert!(missing.contains("cannot be reached"), "{missing}");
}
