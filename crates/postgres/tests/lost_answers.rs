//! A network that swallows the server's answer: what was written must not be lost sight of.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panic")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::call::{CallStatus, Ended, EndedReason};
use domain::callback::CallbackDraft;
use domain::idempotency::{Earlier, IdempotencyKey, Once};
use domain::ports::{Acceptance, Accepted, Concluded, Conclusion, Nodes, OutboundCalls, Recorded};
use domain::testing::{Ground, World, deed, moment};
use postgres::{Options, SealingKey, Store};
use test_database::TestDatabase;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};
use tokio::time::{Instant, sleep};

/// Stands between a store and the cluster.
struct Wire {
    url: String,
    // The answer to the next question with these bytes is swallowed, and its connection closed.
    swallow: Arc<Mutex<Option<&'static str>>>,
    // No new connection comes about.
    down: Arc<AtomicBool>,
}

/// Whether this is the question that was waited for; it is waited for once.
fn wanted(swallow: &Mutex<Option<&'static str>>, text: &str) -> bool {
    swallow.lock().unwrap().take_if(|wanted| text.contains(*wanted)).is_some()
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
                    let (mut asked, mut answered) = (vec![0; 65536], vec![0; 65536]);
                    let mut swallowing = false;
                    loop {
                        tokio::select! {
                            count = client.read(&mut asked) => match count {
                                Ok(count @ 1..) => {
                                    let text = String::from_utf8_lossy(&asked[..count]).into_owned();
                                    swallowing |= wanted(&swallow, &text);
                                    server.write_all(&asked[..count]).await.unwrap();
                                }
                                _ => return,
                            },
                            count = server.read(&mut answered) => match count {
                                Ok(1..) if swallowing => return,
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

    fn swallow_answer_to(&self, question: &'static str) {
        *self.swallow.lock().unwrap() = Some(question);
    }

    async fn open(&self) -> Store {
        let options =
            Options { pool_size: 1, list_connections: 1, page_connections: 1, shared_connections: 1 };
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
    wire.swallow_answer_to("");
    let accepted = store.accept(ground.dial(call.clone(), ground.boot)).await.unwrap();
    assert_eq!(*wire.swallow.lock().unwrap(), None);
    let Accepted::Calling(fence) = accepted else { unreachable!("there are two lines") };
    assert_eq!((fence.call, fence.owner, fence.epoch), (call.id, ground.boot, 1));
    let lines = "SELECT count(*) FROM trunk_lines WHERE call_id IS NOT NULL";
    assert_eq!(database.value(lines).await.unwrap(), "2");

    // The same, where the lost answer was that no line is free.
    let call = ground.call().unwrap();
    wire.swallow_answer_to("");
    let accepted = store.accept(ground.dial(call, ground.boot)).await.unwrap();
    assert_eq!(accepted, Accepted::Failed(EndedReason::CapacityExceeded));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_placed_by_hand_whose_commit_was_not_answered_is_found_again_and_noted_once() {
    let database = TestDatabase::create().await;
    let wire = Wire::before(&database).await;
    let store = wire.open().await;
    let world = World::new(store.clone(), ());
    let ground = Ground::lay(&world, Some(2)).await.unwrap();
    ground.calling(&world).await.unwrap();
    let by_hand = |call| Acceptance { by: Some(deed(moment(0))), ..ground.dial(call, ground.boot) };
    let noted = "SELECT count(*) FROM audit_entries WHERE action = 'call.place'";

    let call = ground.call().unwrap();
    wire.swallow_answer_to("COMMIT");
    let accepted = store.accept(by_hand(call.clone())).await.unwrap();
    assert_eq!(*wire.swallow.lock().unwrap(), None);
    let Accepted::Calling(fence) = accepted else { unreachable!("there are two lines") };
    assert_eq!((fence.call, fence.owner, fence.epoch), (call.id, ground.boot, 1));
    assert_eq!(database.value(noted).await.unwrap(), "1");
    let lines = "SELECT count(*) FROM trunk_lines WHERE call_id IS NOT NULL";
    assert_eq!(database.value(lines).await.unwrap(), "2");

    // The same, where the lost answer was that no line is free.
    wire.swallow_answer_to("COMMIT");
    let accepted = store.accept(by_hand(ground.call().unwrap())).await.unwrap();
    assert_eq!(accepted, Accepted::Failed(EndedReason::CapacityExceeded));
    assert_eq!(database.value(noted).await.unwrap(), "2");

    // And where what is lost is never committed at all.
    database.rows("UPDATE trunk_lines SET call_id = NULL").await;
    wire.swallow_answer_to("INSERT INTO audit_entries");
    let call = ground.call().unwrap();
    let accepted = store.accept(by_hand(call.clone())).await.unwrap();
    assert!(matches!(accepted, Accepted::Calling(fence) if fence.call == call.id));
    assert_eq!(database.value(noted).await.unwrap(), "3");
    assert_eq!(database.value("SELECT count(*) FROM outbound_calls").await.unwrap(), "4");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_acceptance_with_a_key_whose_answer_was_lost_is_found_again_under_its_key() {
    let database = TestDatabase::create().await;
    let wire = Wire::before(&database).await;
    let store = wire.open().await;
    let world = World::new(store.clone(), ());
    let ground = Ground::lay(&world, Some(2)).await.unwrap();
    let keyed = |key: &str| Acceptance {
        once: Some(once(&ground, key)),
        ..ground.dial(ground.call().unwrap(), ground.boot)
    };

    store.accept(keyed("before")).await.unwrap();

    let placed = keyed("placed");
    wire.swallow_answer_to("");
    let Accepted::Calling(fence) = store.accept(placed.clone()).await.unwrap() else {
        unreachable!("there are two lines")
    };
    assert_eq!(*wire.swallow.lock().unwrap(), None);
    assert_eq!((fence.call, fence.owner, fence.epoch), (placed.call.id, ground.boot, 1));

    // The same, where the lost answer was that no line is free, or that the key is taken.
    let full = keyed("full");
    wire.swallow_answer_to("");
    let accepted = store.accept(full.clone()).await.unwrap();
    assert_eq!(accepted, Accepted::Failed(EndedReason::CapacityExceeded));
    wire.swallow_answer_to("");
    let again = store.accept(keyed("placed")).await.unwrap();
    let recorded = Recorded { call: placed.call.id, contact: placed.call.contact, failed: None };
    assert_eq!(again, Accepted::Earlier(Earlier::Same(recorded)));
    assert_eq!(*wire.swallow.lock().unwrap(), None);
    for table in ["outbound_calls", "contacts", "idempotency_keys"] {
        assert_eq!(database.value(&format!("SELECT count(*) FROM {table}")).await.unwrap(), "3", "{table}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_acceptance_with_a_key_that_nobody_was_told_of_gives_the_key_back_and_reports_its_end() {
    let database = TestDatabase::create().await;
    let wire = Wire::before(&database).await;
    let store = wire.open().await;
    let world = World::new(store.clone(), ());
    let ground = Ground::lay(&world, Some(2)).await.unwrap();
    let once = once(&ground, "key");
    let keyed =
        || Acceptance { once: Some(once.clone()), ..ground.dial(ground.call().unwrap(), ground.boot) };
    let before = Acceptance { once: Some(self::once(&ground, "before")), ..keyed() };
    store.accept(before).await.unwrap();

    let lost = keyed();
    wire.down.store(true, Ordering::SeqCst);
    wire.swallow_answer_to("");
    assert!(store.accept(lost.clone()).await.is_err());
    assert_eq!(database.value("SELECT count(*) FROM idempotency_keys").await.unwrap(), "2");

    wire.down.store(false, Ordering::SeqCst);
    let deadline = Instant::now() + Duration::from_secs(20);
    while store.earlier(&once, moment(1)).await.unwrap().is_some() {
        assert!(Instant::now() < deadline, "the key is still taken");
        sleep(Duration::from_millis(50)).await;
    }
    let status = store.status(ground.scope(), lost.call.id).await.unwrap().unwrap();
    assert_eq!(status.details.unwrap().reason, EndedReason::ServiceInterrupted);
    // A twin may have been told of the call while it was there.
    assert_eq!(database.value("SELECT count(*) FROM callbacks").await.unwrap(), "1");
    assert!(matches!(store.accept(keyed()).await.unwrap(), Accepted::Calling(_)));
}

fn once(ground: &Ground, key: &str) -> Once {
    Once { scope: ground.scope(), key: IdempotencyKey::parse(key).unwrap(), fingerprint: [1; 32] }
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
    wire.swallow_answer_to("");
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

#[tokio::test(flavor = "multi_thread")]
async fn an_heir_that_never_got_its_orphans_gets_them_when_it_asks_again() {
    let database = TestDatabase::create().await;
    let wire = Wire::before(&database).await;
    let store = wire.open().await;
    let world = World::new(store.clone(), ());
    let ground = Ground::lay(&world, None).await.unwrap();
    let heir = ground.another_boot(&world).await.unwrap();
    let mut calls = Vec::new();
    for _ in 0..3 {
        calls.push(ground.calling(&world).await.unwrap().0.id);
    }
    let counter = store.others(heir).await.unwrap()[0].counter;

    wire.swallow_answer_to("COMMIT");
    assert!(store.take_over(heir, ground.boot, Some(counter), 2).await.is_err());
    assert_eq!(*wire.swallow.lock().unwrap(), None);
    let moved = format!("SELECT count(*) FROM call_legs WHERE owner = '{heir}' AND epoch = 2");
    assert_eq!(database.value(&moved).await.unwrap(), "2");

    let mut orphans = Vec::new();
    loop {
        assert_eq!(store.others(heir).await.unwrap().len(), 1);
        let more = store.take_over(heir, ground.boot, Some(counter), 2).await.unwrap();
        if more.is_empty() {
            break;
        }
        orphans.extend(more.into_iter().map(|orphan| (orphan.call.id, orphan.fence.epoch)));
    }
    orphans.sort();
    assert_eq!(orphans, calls.into_iter().map(|call| (call, 2)).collect::<Vec<_>>());
    assert_eq!(store.others(heir).await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conclusion_whose_answer_was_lost_is_known_to_be_ours() {
    let database = TestDatabase::create().await;
    let wire = Wire::before(&database).await;
    let store = wire.open().await;
    let world = World::new(store.clone(), ());
    let ground = Ground::lay(&world, None).await.unwrap();
    ground.ended(&world, moment(0)).await.unwrap();

    let (call, fence) = ground.calling(&world).await.unwrap();
    let ended = Ended { reason: EndedReason::NoAnswer, started_at: None, ended_at: moment(1) };
    let callback = CallbackDraft::of(&call, &ended, moment(1));
    let conclusion = Conclusion { fence, ended, answer: None, callback };
    wire.swallow_answer_to("");
    assert_eq!(store.conclude(conclusion.clone()).await.unwrap(), Concluded::Final);
    assert_eq!(*wire.swallow.lock().unwrap(), None);
    assert_eq!(store.conclude(conclusion).await.unwrap(), Concluded::Superseded);
    assert_eq!(database.value("SELECT count(*) FROM callbacks").await.unwrap(), "2");
}
