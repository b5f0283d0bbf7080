//! Totals are exact at every moment: while calls are accepted and while several nodes fold.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panic")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::call::{BoardQuery, CallOrder, CallQuery, Ended, EndedReason, Outcomes};
use domain::page::PageRequest;
use domain::ports::{
    Acceptance, Accepted, CallBoard, CallRecords, Conclusion, Dispatch, Housekeeping, OutboundCalls,
};
use domain::testing::{Ground, World, moment};
use postgres::{Options, SealingKey, Store};
use test_database::TestDatabase;

async fn open(database: &TestDatabase) -> Store {
    Store::connect(database.url(), SealingKey::from_bytes([1; 32]), Options::default()).await.unwrap()
}

fn refusal(ground: &Ground, seconds: u64) -> Acceptance {
    let mut call = ground.call().unwrap();
    call.created_at = moment(seconds);
    Acceptance { call, dispatch: Dispatch::Refuse { reason: EndedReason::TrunkError }, once: None, by: None }
}

fn all(ground: &Ground) -> CallQuery {
    CallQuery {
        organization: ground.organization,
        page: PageRequest { number: 1, size: 50 },
        call_type: None,
        agent_name: None,
        user_primary_intent: None,
        from: None,
        to: None,
        order: CallOrder::Oldest,
    }
}

/// Everything that counts a call, in one snapshot: rows, what was folded at each level, deltas.
const COUNTS: &str = "
SELECT (SELECT count(*) FROM calls),
    (SELECT coalesce(sum(calls), 0) FROM call_totals WHERE span = 'all')
        + (SELECT coalesce(sum(calls), 0) FROM call_counts),
    (SELECT coalesce(sum(calls), 0) FROM call_totals WHERE span = 'month')
        + (SELECT coalesce(sum(calls), 0) FROM call_counts),
    (SELECT coalesce(sum(calls), 0) FROM call_totals WHERE span = 'day')
        + (SELECT coalesce(sum(calls), 0) FROM call_counts),
    (SELECT coalesce(sum(calls), 0) FROM call_totals WHERE span = 'hour')
        + (SELECT coalesce(sum(calls), 0) FROM call_counts)";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn totals_are_exact_while_calls_are_accepted_and_counts_folded() {
    const CALLS: u64 = 600;
    let database = TestDatabase::create().await;
    let stores = [open(&database).await, open(&database).await];
    let ground = Arc::new(Ground::lay(&World::new(stores[0].clone(), ()), None).await.unwrap());
    let writing = Arc::new(AtomicBool::new(true));
    let folders: Vec<_> = stores
        .iter()
        .cycle()
        .take(4)
        .map(|store| {
            let (store, writing) = (store.clone(), writing.clone());
            tokio::spawn(async move {
                while writing.load(Ordering::Acquire) {
                    store.fold_call_counts().await.unwrap();
                }
            })
        })
        .collect();
    let writers: Vec<_> = (0..4)
        .map(|writer: u64| {
            let (store, ground) = (stores[0].clone(), ground.clone());
            tokio::spawn(async move {
                for turn in 0..CALLS / 4 {
                    // Over three months, so that every level of folding is met.
                    store.accept(refusal(&ground, (turn * 4 + writer) * 13_000)).await.unwrap();
                }
            })
        })
        .collect();
    // The whole list fits one page of this size: total and rows come from one snapshot.
    let whole = CallQuery { page: PageRequest { number: 1, size: 1_000 }, ..all(&ground) };
    let part = CallQuery { from: Some(moment(100_000)), to: Some(moment(5_000_000)), ..whole.clone() };
    let mut seen = Vec::new();
    while seen.last() != Some(&CALLS) {
        for query in [&whole, &part] {
            let page = stores[1].page(ground.scope(), query).await.unwrap().unwrap();
            assert_eq!(page.total, u64::try_from(page.items.len()).unwrap());
            if query == &whole {
                seen.push(page.total);
            }
        }
        let counts = database.rows(COUNTS).await;
        assert!(counts[0].windows(2).all(|pair| pair[0] == pair[1]), "{counts:?}");
    }
    assert!(seen.is_sorted() && seen.len() > 3, "{seen:?}");
    for writer in writers {
        writer.await.unwrap();
    }
    writing.store(false, Ordering::Release);
    for folder in folders {
        folder.await.unwrap();
    }
    while stores[0].fold_call_counts().await.unwrap() {}
    assert_eq!(database.value("SELECT count(*) FROM call_counts").await.unwrap(), "0");
    let folded = "SELECT span, sum(calls) FROM call_totals GROUP BY span ORDER BY span";
    let folded: Vec<_> = database.rows(folded).await.into_iter().map(|row| row[1].clone().unwrap()).collect();
    assert_eq!(folded, vec![CALLS.to_string(); 4]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fold_that_hangs_holds_up_neither_calls_nor_lists_nor_other_folders() {
    let database = Arc::new(TestDatabase::create().await);
    let store = open(&database).await;
    let ground = Ground::lay(&World::new(store.clone(), ()), None).await.unwrap();
    store.accept(refusal(&ground, 0)).await.unwrap();
    let holder = database.clone();
    // What a fold does, left open: its lock, the deltas gone, the totals written.
    let holding = tokio::spawn(async move {
        let fold = "BEGIN; SELECT pg_advisory_xact_lock(7163102946023817);
            INSERT INTO call_totals
                SELECT organization_id, 'all', call_type, '-infinity', calls FROM call_counts;
            DELETE FROM call_counts; SELECT pg_sleep(4); ROLLBACK";
        holder.rows(fold).await;
    });
    let locked = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    while database.value(locked).await.unwrap() == "0" {}
    let beside = async {
        store.accept(refusal(&ground, 1)).await.unwrap();
        assert!(!store.fold_call_counts().await.unwrap());
        assert_eq!(store.page(ground.scope(), &all(&ground)).await.unwrap().unwrap().total, 2);
    };
    tokio::time::timeout(Duration::from_secs(3), beside).await.expect("somebody waits for the fold");
    holding.await.unwrap();
    store.fold_call_counts().await.unwrap();
    assert_eq!(store.page(ground.scope(), &all(&ground)).await.unwrap().unwrap().total, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_deltas_are_folded_step_by_step() {
    let database = TestDatabase::create().await;
    let store = open(&database).await;
    let ground = Ground::lay(&World::new(store.clone(), ()), None).await.unwrap();
    database
        .rows(&format!(
            "INSERT INTO call_counts SELECT '{}', '2026-01-01'::timestamptz + n * interval '1 hour', 'Web', 1
             FROM generate_series(1, 12000) n",
            ground.organization
        ))
        .await;
    let mut steps = 1;
    while store.fold_call_counts().await.unwrap() {
        steps += 1;
        let sum = "SELECT (SELECT sum(calls) FROM call_counts)
            + (SELECT sum(calls) FROM call_totals WHERE span = 'all')";
        assert_eq!(database.value(sum).await.unwrap(), "12000");
    }
    assert_eq!(steps, 3);
    assert_eq!(store.page(ground.scope(), &all(&ground)).await.unwrap().unwrap().total, 12_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn old_idempotency_keys_are_forgotten_step_by_step_and_young_ones_kept() {
    let database = TestDatabase::create().await;
    let store = open(&database).await;
    let ground = Ground::lay(&World::new(store.clone(), ()), None).await.unwrap();
    database
        .rows(&format!(
            "INSERT INTO idempotency_keys (tenant_id, operation, key, fingerprint, resource_id, answer, created_at)
             SELECT '{}', 'outbound', n, decode(repeat('00', 32), 'hex'), gen_random_uuid(), '{{}}',
                 '2026-03-01 09:30Z'::timestamptz + n * interval '1 s'
             FROM generate_series(1, 6010) n",
            ground.tenant
        ))
        .await;
    assert!(store.forget_idempotency_keys(moment(6_001)).await.unwrap(), "more are left");
    assert!(!store.forget_idempotency_keys(moment(6_001)).await.unwrap());
    let left =
        "SELECT min(created_at) = '2026-03-01 09:30Z'::timestamptz + interval '6001 s' AND count(*) = 10
        FROM idempotency_keys";
    assert_eq!(database.value(left).await.unwrap(), "t");
}

#[tokio::test(flavor = "multi_thread")]
async fn totals_survive_the_way_down_and_up_again() {
    const PLACE: &str = "../../migrations/2026-11-20-101000_call_totals";
    let database = TestDatabase::create().await;
    let store = open(&database).await;
    let ground = Ground::lay(&World::new(store.clone(), ()), None).await.unwrap();
    for seconds in [0, 1, 1_800, 90_000, 9_000_000] {
        store.accept(refusal(&ground, seconds)).await.unwrap();
    }
    store.fold_call_counts().await.unwrap();
    // One is not folded.
    store.accept(refusal(&ground, 1_801)).await.unwrap();
    database.rows(&std::fs::read_to_string(format!("{PLACE}/down.sql")).unwrap()).await;
    let hours = "SELECT count(DISTINCT hour), sum(calls) FROM call_counts";
    assert_eq!(database.rows(hours).await, [[Some("4".to_owned()), Some("6".to_owned())]]);
    database.rows(&std::fs::read_to_string(format!("{PLACE}/up.sql")).unwrap()).await;
    let part = CallQuery { from: Some(moment(1)), to: Some(moment(90_000)), ..all(&ground) };
    for _ in 0..2 {
        for (query, total) in [(&all(&ground), 6), (&part, 4)] {
            assert_eq!(store.page(ground.scope(), query).await.unwrap().unwrap().total, total);
        }
        store.fold_call_counts().await.unwrap();
    }
}

/// What ended, in one snapshot: rows, and what was folded at each level with the deltas.
const ENDS: &str = "
SELECT count(*), (SELECT coalesce(sum(calls), 0) FROM call_outcomes) + (SELECT coalesce(sum(calls), 0)
        FROM call_outcome_totals WHERE span = 'month'),
    (SELECT coalesce(sum(calls), 0) FROM call_outcomes) + (SELECT coalesce(sum(calls), 0)
        FROM call_outcome_totals WHERE span = 'half')
FROM calls WHERE ended_at IS NOT NULL";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn outcomes_are_exact_while_calls_end_and_counts_are_folded() {
    const CALLS: u64 = 240;
    let database = TestDatabase::create().await;
    let stores = [open(&database).await, open(&database).await];
    let world = World::new(stores[0].clone(), ());
    let ground = Arc::new(Ground::lay(&world, None).await.unwrap());
    let writing = Arc::new(AtomicBool::new(true));
    let folders: Vec<_> = stores
        .iter()
        .map(|store| {
            let (store, writing) = (store.clone(), writing.clone());
            tokio::spawn(async move {
                while writing.load(Ordering::Acquire) {
                    store.fold_call_counts().await.unwrap();
                }
            })
        })
        .collect();
    let writers: Vec<_> = (0..3)
        .map(|writer: u64| {
            let (store, ground) = (stores[0].clone(), ground.clone());
            tokio::spawn(async move {
                for turn in 0..CALLS / 3 {
                    let mut call = ground.call().unwrap();
                    call.created_at = moment((turn * 3 + writer) * 13_000);
                    let accepted = store.accept(ground.dial(call.clone(), ground.boot)).await.unwrap();
                    let Accepted::Calling(fence) = accepted else { unreachable!("there is no limit") };
                    let reason = EndedReason::ALL[usize::try_from(turn).unwrap() % EndedReason::ALL.len()];
                    let ended = Ended { reason, started_at: None, ended_at: call.created_at };
                    let conclusion = Conclusion { fence, ended, answer: None, callback: None };
                    store.conclude(conclusion).await.unwrap();
                }
            })
        })
        .collect();
    let page = PageRequest { number: 1, size: 1_000 };
    let whole = BoardQuery { calls: CallQuery { page, ..all(&ground) }, status: None, chart: None };
    let part = CallQuery { from: Some(moment(100_000)), to: Some(moment(2_000_000)), ..whole.calls.clone() };
    let part = BoardQuery { calls: part, ..whole.clone() };
    let mut ended = 0;
    while ended < CALLS {
        for query in [&whole, &part] {
            let board = stores[1].board(ground.scope(), query).await.unwrap().unwrap();
            let mut listed = Outcomes::default();
            board.calls.items.iter().for_each(|call| listed.add(call.state.status(), 1));
            assert_eq!(board.outcomes, listed);
            assert_eq!(board.calls.total, listed.total());
            if query == &whole {
                ended = listed.total() - listed.calling;
            }
        }
        let ends = database.rows(ENDS).await;
        assert!(ends[0].windows(2).all(|pair| pair[0] == pair[1]), "{ends:?}");
    }
    for writer in writers {
        writer.await.unwrap();
    }
    writing.store(false, Ordering::Release);
    for folder in folders {
        folder.await.unwrap();
    }
    while stores[0].fold_call_counts().await.unwrap() {}
    assert_eq!(database.value("SELECT count(*) FROM call_outcomes").await.unwrap(), "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_from_before_are_counted_by_what_they_came_to() {
    const PLACE: &str = "../../migrations/2026-11-20-163300_call_outcomes";
    let database = TestDatabase::create().await;
    let store = open(&database).await;
    let world = World::new(store.clone(), ());
    let ground = Ground::lay(&world, None).await.unwrap();
    for seconds in [0, 1, 1_800, 90_000, 9_000_000] {
        store.accept(refusal(&ground, seconds)).await.unwrap();
    }
    ground.ended(&world, moment(7)).await.unwrap();
    let (_, live) = ground.calling(&world).await.unwrap();
    store.fold_call_counts().await.unwrap();
    store.accept(refusal(&ground, 1_801)).await.unwrap();
    let query = BoardQuery { calls: all(&ground), status: None, chart: None };
    let before = store.board(ground.scope(), &query).await.unwrap().unwrap();
    assert_eq!((before.outcomes.failed, before.outcomes.no_answer, before.outcomes.calling), (6, 1, 1));
    for step in ["down", "up"] {
        database.rows(&std::fs::read_to_string(format!("{PLACE}/{step}.sql")).unwrap()).await;
    }
    assert_eq!(store.board(ground.scope(), &query).await.unwrap().unwrap(), before);
    let part = CallQuery { from: Some(moment(1)), to: Some(moment(90_000)), ..all(&ground) };
    let part = BoardQuery { calls: part, ..query.clone() };
    assert_eq!(store.board(ground.scope(), &part).await.unwrap().unwrap().outcomes.failed, 4);
    // As an earlier version ends a call, which knows nothing of outcomes.
    let end = format!(
        "UPDATE calls SET ended_reason = 'customer-busy', ended_at = created_at WHERE id = '{}'",
        live.call
    );
    database.rows(&end).await;
    let after = store.board(ground.scope(), &query).await.unwrap().unwrap().outcomes;
    assert_eq!((after.busy, after.calling), (1, 0));
}
