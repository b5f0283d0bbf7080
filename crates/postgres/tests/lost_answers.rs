//! A network that swallows the server's answer: what was written must not be lost sight of.

#![allow(clippy::unwrap_used, reason = "tests fail by panic")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::call::{CallStatus, EndedReason};
use domain::ports::{Accepted, OutboundCalls};
use domain::testing::{Ground, World};
use postgres::{Options, SealingKey, Store};
use test_database::TestDatabase;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};
use tokio::time::{Instant, sleep};

/// Stands between a store and the cluster.
struct Wire {
    url: String,
    // The next answer is swallowed, and its connection closed.
    swallow: Arc<AtomicBool>,
    // No new connection comes about.
    down: Arc<AtomicBool>,
}

impl Wire {
    async fn before(database: &TestDatabase) -> Self {
        let (server, query) = database.url().split_once('?').unwrap();
        let folder = query.strip_prefix("host=").unwrap().replace("%2F", "/");
        let name = server.rsplit_once('/').unwrap().1;
        let user = server.strip_prefix("postgres://").unwrap().split('@').next().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let url = format!("postgres://{user}@127.0.0.1:{port}/{name}");
        let wire = Self { url, swallow: Arc::default(), down: Arc::default() };
        let (swallow, down) = (Arc::clone(&wire.swallow), Arc::clone(&wire.down));
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                if down.load(Ordering::SeqCst) {
                    continue;
                }
                let mut server = UnixStream::connect(format!("{folder}/.s.PGSQL.5432")).await.unwrap();
                let swallow = Arc::clone(&swallow);
                tokio::spawn(async move {
                    let (mut asked, mut answered) = ([0; 65536], [0; 65536]);
                    loop {
                        tokio::select! {
                            count = client.read(&mut asked) => match count {
                                Ok(count @ 1..) => server.write_all(&asked[..count]).await.unwrap(),
                                _ => return,
                            },
                            count = server.read(&mut answered) => match count {
                                Ok(1..) if swallow.swap(false, Ordering::SeqCst) => return,
                                Ok(count @ 1..) => client.write_all(&answered[..count]).await.unwrap(),
                                _ => return,
                            },
                        }
                    }
                });
            }
        });
        wire
    }

    async fn open(&self) -> Store {
        let options = Options { pool_size: 1, shared_connections: 1 };
        Store::connect(&self.url, SealingKey::from_bytes([1; 32]), options).await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_acceptance_whose_answer_was_lost_is_found_again() {
    let database = TestDatabase::create().await;
    let wire = Wire::before(&database).await;
    let store = wire.open().await;
    let world = World::new(store.clone(), ());
    let ground = Ground::lay(&world, Some(2)).await.unwrap();
    ground.calling(&world).await.unwrap();

    let call = ground.call().unwrap();
    wire.swallow.store(true, Ordering::SeqCst);
    let accepted = store.accept(ground.dial(call.clone(), ground.boot)).await.unwrap();
    assert!(!wire.swallow.load(Ordering::SeqCst));
    let Accepted::Calling(fence) = accepted else { unreachable!("there are two lines") };
    assert_eq!((fence.call, fence.owner, fence.epoch), (call.id, ground.boot, 1));
    let lines = "SELECT count(*) FROM trunk_lines WHERE call_id IS NOT NULL";
    assert_eq!(database.value(lines).await.unwrap(), "2");

    // The same, where the lost answer was that no line is free.
    let call = ground.call().unwrap();
    wire.swallow.store(true, Ordering::SeqCst);
    let accepted = store.accept(ground.dial(call, ground.boot)).await.unwrap();
    assert_eq!(accepted, Accepted::Failed(EndedReason::CapacityExceeded));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_acceptance_that_nobody_was_told_of_is_taken_back() {
    let database = TestDatabase::create().await;
    let wire = Wire::before(&database).await;
    let store = wire.open().await;
    let world = World::new(store.clone(), ());
    let ground = Ground::lay(&world, Some(2)).await.unwrap();
    ground.calling(&world).await.unwrap();

    let call = ground.call().unwrap();
    wire.down.store(true, Ordering::SeqCst);
    wire.swallow.store(true, Ordering::SeqCst);
    assert!(store.accept(ground.dial(call.clone(), ground.boot)).await.is_err());
    let lines = "SELECT count(*) FROM trunk_lines WHERE call_id IS NOT NULL";
    assert_eq!(database.value(lines).await.unwrap(), "2");

    wire.down.store(false, Ordering::SeqCst);
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let status = store.status(ground.scope(), call.id).await.unwrap().unwrap();
        if status.status == CallStatus::Failed {
            assert_eq!(status.details.unwrap().reason, EndedReason::ServiceInterrupted);
            break;
        }
        assert!(Instant::now() < deadline, "still {:?}", status.status);
        sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(database.value(lines).await.unwrap(), "1");
    assert_eq!(database.value("SELECT count(*) FROM callbacks").await.unwrap(), "0");
}
