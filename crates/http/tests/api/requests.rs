//! What becomes of a request itself: its name, and its use case when the client goes away.

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::support::App;

#[tokio::test(flavor = "multi_thread")]
async fn a_sane_request_id_is_returned_and_a_missing_or_strange_one_replaced() {
    let app = App::start().await;
    let request = app.get("/healthz");
    for id in ["abc-123", "req_01:a/b+c=d@e~f.g", &"x".repeat(128)] {
        assert_eq!(request.clone().header("X-Request-Id", id).send().await.header("x-request-id"), Some(id));
    }
    let mut made = Vec::new();
    for id in ["", "a b", "a\"b", "<script>", &"x".repeat(129), "ünsane"] {
        let answer = request.clone().header("X-Request-Id", id).send().await;
        made.push(answer.header("x-request-id").unwrap().to_owned());
    }
    made.push(request.send().await.header("x-request-id").unwrap().to_owned());
    let count = made.len();
    made.sort();
    made.dedup();
    assert_eq!(made.len(), count);
    for id in made {
        uuid::Uuid::parse_str(&id).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_cancels_nothing() {
    let app = App::start().await;
    app.store.lookups.forget_permits(Semaphore::MAX_PERMITS);
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    let request = app.create(&json!({}));
    connection.write_all(&request.whole()).await.unwrap();
    // The use case is under way once it waits for the directory.
    app.store.wait_until_looking_up().await;
    drop(connection);
    app.store.lookups.add_permits(1);
    app.store.wait_until_recorded().await;
}
