//! Every sealed value under a new key: nothing lost to a pass that stops halfway, nothing lost to whoever
//! writes meanwhile.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panic")]

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::assistant::{ProviderKey, ProviderRole};
use domain::at_rest::AtRestKeys;
use domain::ids::OrganizationId;
use domain::page::PageRequest;
use domain::ports::{Assistants, Directory, FixedKeys, Nodes, Signing, Trunks};
use domain::scope::Reach;
use domain::secret::Secret;
use domain::testing::{Ground, World, deed, moment};
use postgres::{Options, SealingKey, Store};
use test_database::TestDatabase;

fn first() -> AtRestKeys {
    AtRestKeys::first(Secret::new([1; 32]))
}

fn both() -> AtRestKeys {
    first().with_next(Secret::new([2; 32])).unwrap()
}

async fn open(database: &TestDatabase, keys: &AtRestKeys) -> Store {
    let key = SealingKey::of(Arc::new(FixedKeys::new(keys.clone())));
    Store::connect(database.url(), key, Options::default()).await.unwrap()
}

/// Sealed values of every kind, of so many organizations.
async fn lay(store: &Store, organizations: usize) -> Vec<Ground> {
    let world = World::new(store.clone(), ());
    let mut grounds = Vec::new();
    for _ in 0..organizations {
        let ground = Ground::lay(&world, None).await.unwrap();
        let assistant = ground.cascade().unwrap();
        store.add_assistant(Reach::Everything, assistant.clone(), deed(moment(0))).await.unwrap();
        for role in [ProviderRole::Chat, ProviderRole::Transcription, ProviderRole::Speech] {
            let key = Some(Secret::new(format!("sk-{}", role.as_str())));
            store
                .set_provider_key(Reach::Everything, assistant.id, Some(role), key, deed(moment(0)))
                .await
                .unwrap();
        }
        grounds.push(ground);
    }
    grounds
}

async fn all_open(store: &Store, grounds: &[Ground]) {
    assert_eq!(store.trunks().await.unwrap().len(), grounds.len());
    for ground in grounds {
        let secrets = store
            .show_signing_secrets(Reach::Everything, ground.organization, deed(moment(0)))
            .await
            .unwrap();
        assert_eq!(secrets.current.reveal(), b"first secret");
        let page = PageRequest { number: 1, size: 100 };
        let assistants = store.assistants_of(Reach::Everything, ground.organization, page).await.unwrap();
        let keys: Vec<_> = assistants.iter().flat_map(domain::assistant::Assistant::providers).collect();
        assert_eq!(keys.len(), 3);
        for (role, provider) in keys {
            let ProviderKey::Stored(key) = &provider.key else { panic!("{:?}", provider.key) };
            let key = key.for_endpoint(&provider.endpoint).unwrap();
            assert_eq!(key.reveal(), &format!("sk-{}", role.as_str()));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_column_of_bytes_is_either_resealed_or_known_to_hold_no_secret() {
    let database = TestDatabase::create().await;
    let found = database
        .rows(
            "SELECT table_name || '.' || column_name FROM information_schema.columns
             WHERE table_schema = 'public' AND data_type = 'bytea'",
        )
        .await;
    let found: BTreeSet<_> = found.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect();
    let sealed = [
        "signing_secrets.secret",
        "trunks.password",
        "assistants.realtime_key",
        "assistants.chat_key",
        "assistants.transcription_key",
        "assistants.speech_key",
    ];
    // Digests, and bodies that go out as they are.
    let plain = ["callbacks.body", "idempotency_keys.fingerprint"];
    let expected = |name: &String| {
        sealed.contains(&name.as_str()) || plain.contains(&name.as_str()) || name.ends_with("digest")
    };
    let unexpected: Vec<_> = found.iter().filter(|name| !expected(name)).collect();
    assert!(unexpected.is_empty(), "{unexpected:?} would be lost with an old key: add them to resealing.rs");
    assert!(sealed.iter().all(|name| found.contains(*name)), "{found:?}");
    // And what is listed here is what is counted there.
    let store = open(&database, &first()).await;
    let grounds = lay(&store, 2).await;
    let to_realtime = "UPDATE assistants SET engine = 'realtime', realtime_key = chat_key, chat_key = NULL,
        transcription_key = NULL, speech_key = NULL WHERE chat_key IS NOT NULL AND organization_id";
    let one = grounds.first().unwrap().organization;
    database.rows(&format!("{to_realtime} = '{one}'")).await;
    let counted: BTreeSet<_> = store
        .sealed_values()
        .await
        .unwrap()
        .into_iter()
        .map(|count| format!("{}.{}", count.table, count.column))
        .collect();
    assert_eq!(counted, sealed.iter().map(|name| (*name).to_owned()).collect());
    // And what is refused under a key that was forgotten.
    open(&database, &both()).await.forget_old_keys().await.unwrap();
    for (table, column) in sealed.iter().filter_map(|name| name.split_once('.')) {
        let refused = format!(
            "DO $$ BEGIN
                UPDATE {table} SET {column} = '\\x0102';
                RAISE 'taken: {table}.{column}';
            EXCEPTION WHEN raise_exception THEN
                IF SQLERRM NOT LIKE 'key 1 was taken out%' THEN RAISE; END IF;
            END $$"
        );
        database.rows(&refused).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_is_sealed_anew_and_opens_without_the_old_key() {
    let database = TestDatabase::create().await;
    let grounds = lay(&open(&database, &first()).await, 3).await;
    let turned = open(&database, &both().newest_seals()).await;
    all_open(&turned, &grounds).await;
    let pass = turned.reseal(|| {}).await.unwrap();
    assert_eq!((pass.resealed, pass.overtaken, pass.unreadable), (15, 0, 0));
    let again = turned.reseal(|| {}).await.unwrap();
    assert_eq!((again.resealed, again.under_others), (0, 0));
    let alone = open(&database, &both().newest_alone()).await;
    all_open(&alone, &grounds).await;
    assert_eq!(alone.check_sealed().await.unwrap(), postgres::Pass::default());
    assert!(alone.key_fits().await.unwrap());
    let numbers: BTreeSet<_> = alone.sealed_values().await.unwrap().iter().map(|count| count.key).collect();
    assert_eq!(numbers, BTreeSet::from([2]));
    // Who has the old key alone is noticed.
    let stale = open(&database, &first()).await;
    assert!(!stale.key_fits().await.unwrap());
    assert_eq!(stale.check_sealed().await.unwrap().unreadable, 15);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pass_that_stops_after_any_batch_loses_nothing_and_is_taken_up() {
    let database = TestDatabase::create().await;
    let grounds = lay(&open(&database, &first()).await, 2).await;
    let turned = open(&database, &both().newest_seals()).await;
    let batches = AtomicUsize::new(0);
    for stop_at in 1..4 {
        let pass = async {
            turned
                .reseal(|| {
                    assert!(batches.fetch_add(1, Ordering::Relaxed) + 1 < stop_at, "stopped");
                })
                .await
        };
        batches.store(0, Ordering::Relaxed);
        let handle = tokio::runtime::Handle::current();
        let stopped =
            tokio::task::block_in_place(|| catch_unwind(AssertUnwindSafe(|| handle.block_on(pass))));
        assert!(stopped.is_err() || batches.load(Ordering::Relaxed) < stop_at);
        all_open(&turned, &grounds).await;
    }
    turned.reseal(|| {}).await.unwrap();
    all_open(&open(&database, &both().newest_alone()).await, &grounds).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whoever_writes_meanwhile_keeps_what_was_written() {
    let database = TestDatabase::create().await;
    let old = open(&database, &both()).await;
    let grounds = lay(&old, 4).await;
    let turned = open(&database, &both().newest_seals()).await;
    // Nodes that seal with the old key and with the new one write on and on.
    let writers = [old, turned.clone()].map(|store| {
        let grounds = grounds.clone();
        tokio::spawn(async move {
            for round in 0..20_u8 {
                for ground in &grounds {
                    let fresh = Secret::new(vec![round; 24]);
                    let until = moment(1);
                    store
                        .rotate_signing_secret(
                            Reach::Everything,
                            ground.organization,
                            None,
                            fresh,
                            until,
                            deed(moment(0)),
                        )
                        .await
                        .unwrap();
                }
            }
        })
    });
    let mut passes = 0;
    while !writers.iter().all(tokio::task::JoinHandle::is_finished) {
        assert_eq!(turned.reseal(|| {}).await.unwrap().unreadable, 0);
        passes += 1;
    }
    assert!(passes > 0);
    for writer in writers {
        writer.await.unwrap();
    }
    turned.reseal(|| {}).await.unwrap();
    let alone = open(&database, &both().newest_alone()).await;
    assert_eq!(alone.check_sealed().await.unwrap(), postgres::Pass::default());
    for ground in &grounds {
        let secrets = alone
            .show_signing_secrets(Reach::Everything, ground.organization, deed(moment(0)))
            .await
            .unwrap();
        assert_eq!(secrets.current.reveal(), &vec![19; 24]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_more_than_a_batch_none_is_left_out_and_none_holds_up_the_others() {
    const ORGANIZATIONS: u8 = 250;
    let database = TestDatabase::create().await;
    let old = open(&database, &first()).await;
    let grounds = lay(&old, 1).await;
    let one = grounds.first().unwrap();
    let copies = "INSERT INTO organizations SELECT (json_populate_record(o,
            json_build_object('id', gen_random_uuid(), 'name', 'Clinic ' || n, 'external_id', NULL))).*
        FROM organizations o, generate_series(2, 250) n";
    database.rows(copies).await;
    let organizations: Vec<_> = database
        .rows("SELECT id FROM organizations ORDER BY id")
        .await
        .into_iter()
        .filter_map(|row| Some(OrganizationId::from_uuid(row.into_iter().next()??.parse().unwrap())))
        .collect();
    assert_eq!(organizations.len(), usize::from(ORGANIZATIONS));
    for (organization, byte) in organizations.iter().zip(0..ORGANIZATIONS) {
        let secret = Secret::new(vec![byte; 24]);
        let until = moment(1);
        old.rotate_signing_secret(Reach::Everything, *organization, None, secret, until, deed(moment(0)))
            .await
            .unwrap();
    }
    // One organization has its first secret beside the second; damaged ones stand where pages end.
    assert_eq!(database.value("SELECT count(*) FROM signing_secrets").await.unwrap(), "251");
    let damaged = "UPDATE signing_secrets SET secret = '\\x0102' WHERE id IN
        (SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM signing_secrets) ordered
         WHERE place IN (1, 100, 101, 200, 251))";
    database.rows(damaged).await;

    let turned = open(&database, &both().newest_seals()).await;
    assert_eq!(turned.check_sealed().await.unwrap().unreadable, 5);
    let batches = AtomicUsize::new(0);
    let pass = turned
        .reseal(|| {
            batches.fetch_add(1, Ordering::Relaxed);
        })
        .await
        .unwrap();
    // Beside them the trunk's password and three keys of an assistant.
    assert_eq!((pass.resealed, pass.overtaken, pass.unreadable), (246 + 4, 0, 5));
    assert_eq!(batches.load(Ordering::Relaxed), 3 + 4);
    let alone = open(&database, &both().newest_alone()).await;
    assert_eq!(alone.check_sealed().await.unwrap().unreadable, 5);
    let mut opened = 0;
    for (organization, byte) in organizations.iter().zip(0..ORGANIZATIONS) {
        let shown = alone.show_signing_secrets(Reach::Everything, *organization, deed(moment(2))).await.ok();
        if let Some(shown) = shown {
            assert_eq!(shown.current.reveal(), &vec![byte; 24]);
            opened += 1;
        }
    }
    assert!((245..=246).contains(&opened), "{opened}");
    assert_eq!(alone.trunk(Reach::Everything, one.trunk.id).await.unwrap(), Some(one.trunk.clone()));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_opens_with_no_key_is_left_alone_and_named() {
    let database = TestDatabase::create().await;
    lay(&open(&database, &first()).await, 1).await;
    database.rows("UPDATE trunks SET password = '\\x0102'").await;
    let turned = open(&database, &both().newest_seals()).await;
    let pass = turned.reseal(|| {}).await.unwrap();
    assert_eq!((pass.resealed, pass.unreadable), (4, 1));
    assert!(pass.places.first().unwrap().starts_with("trunks.password "), "{pass:?}");
    assert_eq!(database.value("SELECT encode(password, 'hex') FROM trunks").await.unwrap(), "0102");
    assert_eq!(turned.check_sealed().await.unwrap().unreadable, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_tell_which_keys_they_hold() {
    let database = TestDatabase::create().await;
    let (old, prepared, turned) = (
        open(&database, &first()).await,
        open(&database, &both()).await,
        open(&database, &both().newest_seals()).await,
    );
    let ground = Ground::lay(&World::new(old.clone(), ()), None).await.unwrap();
    let told = async || {
        let holders = turned.key_holders().await.unwrap();
        assert_eq!((holders.len(), holders.first().unwrap().boot), (1, ground.boot));
        let holder = holders.into_iter().next().unwrap();
        (holder.opens, holder.seals_for.is_some())
    };
    assert_eq!(told().await, (false, false));
    for (store, expected) in [(&old, (false, false)), (&prepared, (true, false)), (&turned, (true, true))] {
        assert!(store.tell_keys(ground.boot).await.unwrap());
        assert!(!store.tell_keys(ground.boot).await.unwrap(), "told already");
        assert_eq!(told().await, expected);
    }
    database.rows("UPDATE boots SET keys_since = now() - interval '1 hour'").await;
    let since = turned.key_holders().await.unwrap().first().unwrap().seals_for.unwrap();
    assert!(since >= Duration::from_mins(59));
    database.rows("UPDATE boots SET beat_at = now() - interval '2 minutes'").await;
    assert_eq!(turned.key_holders().await.unwrap(), []);
    turned.leave(ground.boot).await.unwrap();
}
