//! A key that was taken out of the file: nothing gets in under it any more, and nothing is lost.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests fail by panic")]

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use domain::at_rest::AtRestKeys;
use domain::ports::{FixedKeys, SetupError, Signing, Trunks};
use domain::scope::Reach;
use domain::secret::Secret;
use domain::testing::{Ground, World, deed, moment};
use postgres::{Options, Pass, SealingKey, Store};
use test_database::TestDatabase;
use tokio::time::timeout;

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

fn told(error: &dyn Error) -> String {
    let cause = error.source().map(told).unwrap_or_default();
    format!("{error}: {cause}")
}

async fn rotate(store: &Store, ground: &Ground, byte: u8) -> Result<bool, SetupError> {
    let (fresh, until) = (Secret::new(vec![byte; 24]), moment(1));
    let (reach, id) = (Reach::Everything, ground.organization);
    store.rotate_signing_secret(reach, id, None, fresh, until, deed(moment(0))).await
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_still_seals_with_a_forgotten_key_is_told_and_changes_nothing() {
    let database = TestDatabase::create().await;
    let (late, turned) = (open(&database, &first()).await, open(&database, &both().newest_seals()).await);
    let ground = Ground::lay(&World::new(late.clone(), ()), None).await.unwrap();
    rotate(&late, &ground, 3).await.unwrap();
    turned.forget_old_keys().await.unwrap();

    let error = rotate(&late, &ground, 4).await.unwrap_err();
    assert!(told(&error).contains("key 1 was taken out of the key file"), "{}", told(&error));
    assert!(Ground::lay(&World::new(late.clone(), ()), None).await.is_err());
    // What was there is sealed anew, and the newest key goes on sealing.
    turned.reseal(|| {}).await.unwrap();
    let alone = open(&database, &both().newest_alone()).await;
    assert_eq!(alone.check_sealed().await.unwrap(), Pass::default());
    let shown = alone.show_signing_secrets(Reach::Everything, ground.organization, deed(moment(0))).await;
    assert_eq!(shown.unwrap().current.reveal(), &vec![3; 24]);
    rotate(&alone, &ground, 5).await.unwrap();
    // Without a secret a row is anybody's.
    let mut revision = ground.trunk.clone();
    revision.credentials = None;
    revision.id = domain::ids::TrunkId::from_uuid(ground.organization.uuid());
    late.add_trunk(Reach::Everything, revision, deed(moment(0))).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_is_under_way_is_waited_for_before_its_key_is_forgotten() {
    let database = Arc::new(TestDatabase::create().await);
    Ground::lay(&World::new(open(&database, &first()).await, ()), None).await.unwrap();
    let turned = open(&database, &both().newest_seals()).await;
    let holder = Arc::clone(&database);
    let writing = tokio::spawn(async move {
        let write = "BEGIN; UPDATE signing_secrets SET secret = secret; SELECT pg_sleep(2); COMMIT";
        holder.rows(write).await;
    });
    let locks = async |which: &str| {
        let relation = "relation = 'signing_secrets'::regclass";
        let query = format!("SELECT count(*) FROM pg_locks WHERE {relation} AND {which}");
        let found = async { while database.value(&query).await.unwrap() == "0" {} };
        timeout(Duration::from_secs(2), found).await.expect("no such lock");
    };
    locks("granted AND mode = 'RowExclusiveLock'").await;
    let forgetter = turned.clone();
    let forgetting = tokio::spawn(async move { forgetter.forget_old_keys().await });
    locks("NOT granted AND mode = 'ShareLock'").await;
    assert_eq!(database.value("SELECT count(*) FROM forgotten_keys").await.unwrap(), "0");
    writing.await.unwrap();
    forgetting.await.unwrap().unwrap();
    assert_eq!(database.value("SELECT number FROM forgotten_keys").await.unwrap(), "1");
    turned.reseal(|| {}).await.unwrap();
    let alone = open(&database, &both().newest_alone()).await;
    assert_eq!(alone.check_sealed().await.unwrap(), Pass::default());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_key_seals_although_its_number_was_forgotten_once() {
    let database = TestDatabase::create().await;
    let turned = open(&database, &both().newest_seals()).await;
    let ground = Ground::lay(&World::new(turned.clone(), ()), None).await.unwrap();
    database.rows("INSERT INTO forgotten_keys (number) VALUES (1), (2)").await;
    assert!(rotate(&turned, &ground, 3).await.is_err());
    turned.remember_newest_key().await.unwrap();
    rotate(&turned, &ground, 4).await.unwrap();
    assert_eq!(database.value("SELECT number FROM forgotten_keys").await.unwrap(), "1");
}
