//! Connections that break, hang or are left half-way; several nodes on one database.

#![allow(clippy::unwrap_used, reason = "tests fail by panic")]

use std::sync::Arc;
use std::time::Duration;

use domain::call::{CallStatus, EndedReason};
use domain::ids::{NewId, UserId};
use domain::organization::{OrganizationField, OrganizationQuery, Tenant};
use domain::page::PageRequest;
use domain::ports::{Acceptance, Accepted, AuditLog, Dispatch, Nodes, OutboundCalls, Sessions, Tenants};
use domain::scope::Scope;
use domain::session::SessionDigest;
use domain::testing::{Ground, World, deed, moment};
use postgres::{ConnectError, Options, SealingKey, Store};
use test_database::TestDatabase;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

async fn open(database: &TestDatabase) -> Store {
    Store::connect(database.url(), SealingKey::from_bytes([1; 32]), Options::default()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_survives_the_loss_of_every_connection() {
    let database = TestDatabase::create().await;
    let store = open(&database).await;
    let ground = Ground::lay(&World::new(store.clone(), ()), None).await.unwrap();
    let (call, _) = ground.calling(&World::new(store.clone(), ())).await.unwrap();
    for _ in 0..3 {
        database.cut_connections().await;
        let status = store.status(ground.scope(), call.id).await.unwrap().unwrap();
        assert_eq!(status.status, CallStatus::Calling);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_go_on_soon_after_the_loss_of_every_connection() {
    let database = TestDatabase::create().await;
    let store = open(&database).await;
    let ground = Ground::lay(&World::new(store.clone(), ()), None).await.unwrap();
    database.cut_connections().await;
    let deadline = Instant::now() + Duration::from_secs(10);
    // A connection that died unseen may fail one write each, never more.
    let mut failures = 0;
    while store.beat(ground.boot).await.is_err() {
        failures += 1;
        assert!(failures <= 8 && Instant::now() < deadline);
    }
}

/// Holds a table for four seconds from now on.
async fn held(database: &Arc<TestDatabase>, table: &'static str) -> JoinHandle<()> {
    let holder = Arc::clone(database);
    let holding = tokio::spawn(async move {
        let lock = format!("LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE; PERFORM pg_sleep(4);");
        holder.rows(&format!("DO $$ BEGIN {lock} END $$")).await;
    });
    locks(database, table, "granted AND mode = 'AccessExclusiveLock'", 1).await;
    holding
}

/// Waits until just so many wait for a table.
async fn waiting(database: &TestDatabase, table: &str, count: usize) {
    locks(database, table, "NOT granted", count).await;
}

async fn locks(database: &TestDatabase, table: &str, which: &str, count: usize) {
    let query = format!("SELECT count(*) FROM pg_locks WHERE relation = '{table}'::regclass AND {which}");
    while database.value(&query).await.unwrap().parse::<usize>().unwrap() != count {}
}

/// A list that costs little.
async fn little(store: &Store, scope: Scope) {
    let query = OrganizationQuery {
        page: PageRequest { number: 1, size: 9 },
        sort: OrganizationField::Name,
        descending: false,
        search: None,
    };
    let page =
        timeout(Duration::from_secs(2), domain::ports::Organizations::page(store, scope, &query)).await;
    assert_eq!(page.unwrap().unwrap().total, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_of_pages_keep_no_others_waiting_and_end_with_whoever_wanted_them() {
    let database = Arc::new(TestDatabase::create().await);
    let options = Options { list_connections: 1, page_connections: 2, ..Options::default() };
    let key = SealingKey::from_bytes([1; 32]);
    let store = Store::connect(database.url(), key, options).await.unwrap();
    let pages = store.for_pages();
    let scope = Scope::Tenant(Ground::lay(&World::new(store.clone(), ()), None).await.unwrap().tenant);
    let holding = held(&database, "audit_entries").await;
    let lists: Vec<_> = (0..2)
        .map(|_| {
            let pages = pages.clone();
            tokio::spawn(async move { pages.entries(scope, None, None, 9).await })
        })
        .collect();
    waiting(&database, "audit_entries", 2).await;
    little(&store, scope).await;
    for list in lists {
        list.abort();
        assert!(list.await.unwrap_err().is_cancelled());
    }
    // The database was told, and pages have their connections again.
    waiting(&database, "audit_entries", 0).await;
    little(&pages, scope).await;
    assert!(!holding.is_finished());
    holding.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_heart_beats_on_beside_a_queue_of_writes() {
    let database = Arc::new(TestDatabase::create().await);
    let store = open(&database).await;
    let ground = Ground::lay(&World::new(store.clone(), ()), None).await.unwrap();
    let holding = held(&database, "tenants").await;
    let writes: Vec<_> = (0..20)
        .map(|number: u8| {
            let store = store.clone();
            let id = NewId::at(moment(0), [number; 10]).into();
            let tenant = Tenant { id, name: "Later".into(), created_at: moment(0) };
            tokio::spawn(async move { store.add_tenant(tenant, deed(moment(0))).await })
        })
        .collect();
    waiting(&database, "tenants", Options::default().pool_size).await;
    timeout(Duration::from_secs(2), store.beat(ground.boot)).await.expect("the beat waits").unwrap();
    holding.await.unwrap();
    for write in writes {
        write.await.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_use_of_a_session_is_noted_by_one_write_however_many_requests_it_makes() {
    let database = Arc::new(TestDatabase::create().await);
    let options = Options { pool_size: 2, ..Options::default() };
    let store = Store::connect(database.url(), SealingKey::from_bytes([1; 32]), options).await.unwrap();
    let ground = Ground::lay(&World::new(store.clone(), ()), None).await.unwrap();
    let session = SessionDigest([7; 32]);
    let laying = format!(
        "INSERT INTO users (id, tenant_id, email, email_folded, role, created_at)
            VALUES ('{0}', '{0}', 'ada', 'ada', 'admin', now());
        INSERT INTO sessions (digest, user_id, created_at, seen_at, expires_at)
            VALUES ('\\x{1}', '{0}', '2020-01-01', '2020-01-01', '2100-01-01')",
        ground.tenant,
        "07".repeat(32)
    );
    database.rows(&laying).await;
    let holder = Arc::clone(&database);
    let holding = tokio::spawn(async move {
        let hold = "BEGIN; SELECT 1 FROM sessions FOR UPDATE; SELECT pg_sleep(4); COMMIT";
        holder.rows(hold).await;
    });
    let held = "SELECT 1 FROM pg_locks WHERE relation = 'sessions'::regclass AND mode = 'RowShareLock'";
    while database.rows(held).await.is_empty() {}
    for _ in 0..20 {
        assert!(store.find(session, moment(0)).await.unwrap().is_some());
    }
    let waiting = "SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%UPDATE sessions%' AND wait_event_type = 'Lock'";
    while database.rows(waiting).await.is_empty() {}
    // The other connection is free.
    let id = NewId::at(moment(0), [9; 10]).into();
    let tenant = Tenant { id, name: "Later".into(), created_at: moment(0) };
    let beside = timeout(Duration::from_secs(2), store.add_tenant(tenant, deed(moment(0))));
    beside.await.expect("the notes take all connections").unwrap();
    assert_eq!(database.rows(waiting).await.len(), 1);
    holding.await.unwrap();
    while store
        .sessions_of(UserId::from_uuid(ground.tenant.uuid()), moment(0))
        .await
        .unwrap()
        .iter()
        .any(|own| own.seen_at != moment(0))
    {}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_answers_is_unavailable_within_seconds() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let silent = tokio::spawn(async move {
        let mut held = Vec::new();
        loop {
            held.push(listener.accept().await);
        }
    });
    let url = format!("postgres://someone@127.0.0.1:{port}/nothing");
    let opening = Store::connect(&url, SealingKey::from_bytes([1; 32]), Options::default());
    let opened = timeout(Duration::from_secs(9), opening).await.unwrap();
    assert!(matches!(opened, Err(ConnectError::Unreachable(_))));
    silent.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreadable_url_is_told_apart() {
    let opened = Store::connect("nonsense", SealingKey::from_bytes([1; 32]), Options::default()).await;
    assert!(matches!(opened, Err(ConnectError::Url(_))));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abandoned_acceptance_is_whole_or_not_there_at_all() {
    let database = TestDatabase::create().await;
    let store = open(&database).await;
    let ground = Ground::lay(&World::new(store.clone(), ()), Some(100)).await.unwrap();
    for round in 0..100_u64 {
        let acceptance = ground.dial(ground.call().unwrap(), ground.boot);
        let accepting = store.accept(acceptance);
        // Dropped at a different moment each time; every tenth is waited for.
        let patience = if round % 10 == 0 { 10_000_000 } else { round * 30 };
        let _ = timeout(Duration::from_micros(patience), accepting).await;
    }
    let counts = database
        .rows(
            "SELECT (SELECT count(*) FROM calls), (SELECT count(*) FROM outbound_calls),
                (SELECT count(*) FROM contacts), (SELECT count(*) FROM call_legs),
                (SELECT count(*) FROM trunk_lines WHERE call_id IS NOT NULL),
                (SELECT sum(calls) FROM call_counts)",
        )
        .await;
    let counts: Vec<_> = counts[0].iter().map(|count| count.clone().unwrap()).collect();
    assert!(counts.windows(2).all(|pair| pair[0] == pair[1]), "{counts:?}");
    assert!(counts[0].parse::<u32>().unwrap() >= 10, "{counts:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_nodes_never_share_a_line() {
    let database = TestDatabase::create().await;
    let stores = [open(&database).await, open(&database).await];
    let ground = Ground::lay(&World::new(stores[0].clone(), ()), Some(60)).await.unwrap();
    // Every connection is open and knows the statement before the rush.
    rush(&stores, || Acceptance {
        call: ground.call().unwrap(),
        dispatch: Dispatch::Refuse { reason: EndedReason::TrunkError },
        once: None,
        by: None,
    })
    .await;
    let placed = rush(&stores, || ground.dial(ground.call().unwrap(), ground.boot)).await;
    assert_eq!(placed, 60);
    let taken = "SELECT count(DISTINCT call_id) FROM trunk_lines WHERE call_id IS NOT NULL";
    assert_eq!(database.value(taken).await.unwrap(), "60");
}

/// 120 acceptances at once over both stores; how many are being dialled.
async fn rush(stores: &[Store; 2], acceptance: impl Fn() -> Acceptance) -> usize {
    let attempts: Vec<_> = stores
        .iter()
        .cycle()
        .take(120)
        .map(|store| {
            let store = store.clone();
            let acceptance = acceptance();
            tokio::spawn(async move { store.accept(acceptance).await.unwrap() })
        })
        .collect();
    let mut placed = 0;
    for attempt in attempts {
        placed += usize::from(matches!(attempt.await.unwrap(), Accepted::Calling(_)));
    }
    placed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_call_is_left_to_a_boot_that_was_struck_off_meanwhile() {
    let database = TestDatabase::create().await;
    let store = open(&database).await;
    let world = World::new(store.clone(), ());
    for _ in 0..15 {
        let ground = Ground::lay(&world, None).await.unwrap();
        let heir = ground.another_boot(&world).await.unwrap();
        let accepting: Vec<_> = (0..6)
            .map(|_| {
                let store = store.clone();
                let acceptance = ground.dial(ground.call().unwrap(), ground.boot);
                tokio::spawn(async move { store.accept(acceptance).await.is_ok() })
            })
            .collect();
        let mut taken = 0;
        // Until it is struck off, as a watching node does.
        while store.others(heir).await.unwrap().iter().any(|other| other.boot == ground.boot) {
            taken += store.take_over(heir, ground.boot, None, 100).await.unwrap().len();
        }
        let mut placed = 0;
        for accepted in accepting {
            placed += usize::from(accepted.await.unwrap());
        }
        assert_eq!(placed, taken);
    }
}
