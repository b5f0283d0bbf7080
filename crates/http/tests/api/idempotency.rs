//! `Idempotency-Key` on `POST /api/outbound`.

use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::access::Permission;
use domain::call::{Ended, EndedReason};
use domain::idempotency::LIFETIME;
use domain::ports::{Clock, Organizations};
use domain::scope::{Reach, Scope};
use domain::testing::deed;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::support::store::{self, assistant_of, number_of};
use crate::support::telephone::Mood;
use crate::support::wire::{Answer, Request};
use crate::support::{App, valid_create};

const TAKEN: &str = "Idempotency-Key was already used with a different request";

fn keyed(app: &App, key: &str) -> Request {
    app.create(&json!({})).header("Idempotency-Key", key)
}

fn is_replay_of(answer: &Answer, first: &Answer) {
    assert_eq!(answer.header("idempotency-replayed"), Some("true"), "{answer:?}");
    assert_eq!((answer.status, &answer.body), (first.status, &first.body));
    assert_eq!(answer.header("content-type"), first.header("content-type"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_request_again_gets_the_first_answer_and_dials_nobody() {
    let app = App::start().await;
    let first = keyed(&app, "order-1").send().await;
    assert_eq!((first.status, first.header("idempotency-replayed")), (201, None), "{first:?}");
    for _ in 0..3 {
        is_replay_of(&keyed(&app, "order-1").send().await, &first);
    }
    assert_eq!(app.store.inner.calls().len(), 1);
    assert_eq!(app.telephony.prepared.load(Ordering::SeqCst), 1);
    // Another key, and none at all, are other requests.
    for other in [keyed(&app, "order-2"), app.create(&json!({})), app.create(&json!({}))] {
        let answer = other.send().await;
        assert_eq!((answer.status, answer.header("idempotency-replayed")), (201, None));
        assert_ne!(answer.body, first.body);
    }
    assert_eq!(app.store.inner.calls().len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_order_of_members_and_the_way_of_writing_make_no_other_request() {
    let app = App::start().await;
    let (assistant, number) = (store::ASSISTANT, store::NUMBER);
    let send = async |body: String| {
        app.post("/api/outbound").key(&app.key()).header("Idempotency-Key", "k").bytes(body).send().await
    };
    let first = send(format!(
        r#"{{"phoneNumber":"+14155550123","assistantId":"{assistant}","phoneNumberId":"{number}","customerName":"Zoë","dynamicVariables":{{"a":"1","b":"2"}}}}"#
    ))
    .await;
    assert_eq!(first.status, 201, "{first:?}");
    let again = send(format!(
        r#" {{ "dynamicVariables": {{"b": "2", "a": "1"}}, "customerName": "Zo\u00eb", "phoneNumberId": "{number}", "assistantId": "{assistant}", "phoneNumber": "+14155550123" }} "#
    ))
    .await;
    is_replay_of(&again, &first);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_key_with_another_body_is_a_422() {
    let app = App::start().await;
    let first = keyed(&app, "order-1").send().await;
    for body in [
        json!({"phoneNumber": "+14155550124"}),
        json!({"customerName": "Ada"}),
        json!({"dynamicVariables": {}}),
        json!({"callbackUrl": "https://example.com/"}),
        json!({"unknown": 1}),
    ] {
        let answer = app.create(&body).header("Idempotency-Key", "order-1").send().await;
        assert_eq!(answer.error(422), TAKEN, "{body}");
        assert_eq!(answer.header("idempotency-replayed"), None);
    }
    assert_eq!(app.store.inner.calls().len(), 1);
    is_replay_of(&keyed(&app, "order-1").send().await, &first);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_was_not_placed_is_told_again_as_failed() {
    let app = App::start().await;
    *app.telephony.mood.lock() = Mood::Unreachable;
    let first = keyed(&app, "order-1").send().await;
    assert_eq!((first.status, first.json()["status"].as_str()), (201, Some("failed")));
    *app.telephony.mood.lock() = Mood::Takes;
    is_replay_of(&keyed(&app, "order-1").send().await, &first);
    assert_eq!(app.store.inner.calls().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_told_again_whatever_became_of_the_call_the_organization_and_the_node() {
    let app = App::start().await;
    let key = app.key_for(Scope::Organization(store::TENANT, store::CLOSING), &Permission::ALL);
    let mut body = valid_create();
    body["assistantId"] = assistant_of(store::CLOSING).to_string().into();
    body["phoneNumberId"] = number_of(store::CLOSING).to_string().into();
    let request = app.post("/api/outbound").key(&key).json(&body);
    let keyed = request.clone().header("Idempotency-Key", "k");
    let first = keyed.send().await;
    assert_eq!(first.json()["status"], "calling", "{first:?}");
    let ended = Ended { reason: EndedReason::NoAnswer, started_at: None, ended_at: app.clock.now() };
    app.store.end(first.json()["outboundCallId"].as_str().unwrap(), ended).await;
    is_replay_of(&keyed.send().await, &first);
    app.store.inner.remove(Reach::Everything, store::CLOSING, deed(app.clock.now())).await.unwrap();
    is_replay_of(&keyed.send().await, &first);
    assert_eq!(request.send().await.error(422), "Organization is inactive");
    app.supervisor.close();
    is_replay_of(&keyed.send().await, &first);
}

#[tokio::test(flavor = "multi_thread")]
async fn twins_at_once_wait_for_the_first_and_are_answered_like_it() {
    let app = App::start().await;
    // Nobody gets beyond this until all are there.
    app.store.lookups.forget_permits(Semaphore::MAX_PERMITS);
    let request = keyed(&app, "order-1");
    let twins = (0..32).map(|_| request.send());
    let release = async {
        app.store.wait_until_looking_up().await;
        app.store.lookups.add_permits(32);
    };
    let (answers, ()) = tokio::join!(join_all(twins), release);
    let fresh: Vec<_> =
        answers.iter().filter(|answer| answer.header("idempotency-replayed").is_none()).collect();
    assert_eq!(fresh.len(), 1);
    for answer in &answers {
        assert_eq!((answer.status, &answer.body), (201, &fresh[0].body));
    }
    assert_eq!(app.store.inner.calls().len(), 1);
    // The others did nothing meanwhile that could have been refused.
    assert_eq!(app.telephony.prepared.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_request_takes_no_key() {
    let app = App::start().await;
    let unknown = json!({"assistantId": "00000000-0000-7000-8000-00000000dead"});
    let with = |body: &Value| app.create(body).header("Idempotency-Key", "k");
    with(&json!({"phoneNumber": "1"})).send().await.problems();
    with(&unknown).send().await.error(404);
    app.store.inner.set_away(true);
    // The key's holder cannot be looked up either.
    keyed(&app, "k").send().await.error(503);
    app.store.inner.set_away(false);
    let first = keyed(&app, "k").send().await;
    assert_eq!((first.status, first.header("idempotency-replayed")), (201, None), "{first:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draining_node_keeps_no_key_of_what_it_refuses() {
    let app = App::start().await;
    app.supervisor.close();
    for _ in 0..2 {
        keyed(&app, "k").send().await.error(503);
    }
    assert!(app.store.inner.calls().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_free_again_after_24_hours() {
    let app = App::start().await;
    let first = keyed(&app, "k").send().await;
    app.clock.advance(LIFETIME);
    is_replay_of(&keyed(&app, "k").send().await, &first);
    app.clock.advance(Duration::from_millis(1));
    let next = app.create(&json!({"customerName": "Ada"})).header("Idempotency-Key", "k").send().await;
    assert_eq!((next.status, next.header("idempotency-replayed")), (201, None), "{next:?}");
    assert_eq!(keyed(&app, "k").send().await.error(422), TAKEN);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_an_organization_share_a_name_space_with_nobody_else() {
    let app = App::start().await;
    let own = |scope| app.key_for(scope, &Permission::ALL);
    let request = keyed(&app, "k");
    let first = request.send().await;
    // Another API key of the same organization is the same client.
    is_replay_of(&request.clone().key(&own(store::HOME)).send().await, &first);
    let tenants = request.clone().key(&own(Scope::Tenant(store::TENANT)));
    let second = tenants.send().await;
    assert_eq!((second.status, second.header("idempotency-replayed")), (201, None), "{second:?}");
    assert_ne!(second.body, first.body);
    is_replay_of(&tenants.send().await, &second);
    // To others nothing is told, not even that the key is in use.
    for stranger in [
        Scope::Organization(store::TENANT, store::SISTER),
        Scope::Organization(store::OTHER_TENANT, store::FOREIGN),
        Scope::Tenant(store::OTHER_TENANT),
    ] {
        let answer = request.clone().key(&own(stranger)).send().await;
        assert_eq!(answer.error(404), "Assistant or phone number not found");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_malformed_key_is_a_400_with_its_detail_beside_those_of_the_body() {
    let app = App::start().await;
    for bad in ["", "a b", "a\tb", "ä", &"k".repeat(256)] {
        let answer = keyed(&app, bad).send().await;
        assert_eq!(answer.problems(), ["Idempotency-Key invalid_string"], "{bad:?}");
    }
    let twice = keyed(&app, "a").header("Idempotency-Key", "a").send().await;
    assert_eq!(twice.problems(), ["Idempotency-Key invalid_string"]);
    let both = app.create(&json!({"phoneNumber": "1"})).header("Idempotency-Key", "a b").send().await;
    assert_eq!(both.problems(), ["Idempotency-Key invalid_string", "phoneNumber too_small"]);
    assert!(app.store.inner.calls().is_empty());
    for good in ["x", "!\"#~", &"k".repeat(255)] {
        assert_eq!(keyed(&app, good).send().await.status, 201, "{good}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_opens_nothing_before_authentication_and_permission() {
    let app = App::start().await;
    let request = keyed(&app, "k");
    request.send().await;
    request.clone().without("Authorization").send().await.error(401);
    request.key(&app.key_for(store::HOME, &[Permission::OutboundRead])).send().await.error(403);
}
