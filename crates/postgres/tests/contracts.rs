//! The PostgreSQL store keeps every contract, on a real server.

#![allow(clippy::unwrap_used, reason = "tests fail by panic")]

mod support;

use std::sync::Arc;

use domain::testing::World;
use postgres::{Options, SealingKey, Store};
use support::Laying;
use test_database::TestDatabase;

async fn make_world() -> World {
    let database = Arc::new(TestDatabase::create().await);
    let key = SealingKey::from_bytes([42; 32]);
    let store = Store::connect(database.url(), key, Options::default()).await.unwrap();
    World::new(store, database.clone()).laying(Laying(database))
}

domain::store_contracts!(make_world);
