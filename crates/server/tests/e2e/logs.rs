//! The log of the real program: what finds a request in it, and what must never be found.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::installation::client;
use crate::support::{ANNOUNCEMENT, Desk, Installation, PATIENCE, Receiver, Sipp, Step};

use Step::{Answer, Expect, Invite};

const BUSY: [Step; 3] = [Invite, Answer(486, "Busy Here"), Expect("ACK")];

/// All log lines, as objects.
fn lines(installation: &Installation) -> Vec<Value> {
    let log = installation.log();
    log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"))).collect()
}

fn request_id(line: &Value) -> Option<&str> {
    line.pointer("/span/request_id").and_then(Value::as_str)
}

/// The access lines of a request.
fn access<'a>(lines: &'a [Value], id: &str) -> Vec<&'a Value> {
    let own = lines.iter().filter(|line| request_id(line) == Some(id));
    own.filter(|line| line["target"] == "http_api::access").collect()
}

#[tokio::test]
async fn a_call_is_linked_to_its_request_once_and_tells_the_rest_under_its_own_id() {
    let installation = Installation::serving(&[]).await;
    let trunk = Sipp::start(installation.data(), &BUSY);
    let desk = Desk::provision(&installation, ANNOUNCEMENT, &["--address", &trunk.address()]);
    let mut receiver = Receiver::answering(&[204]).await;
    let mut request = desk.request();
    request["callbackUrl"] = json!(receiver.url());
    let answer = client()
        .post(format!("{}/api/outbound", installation.base()))
        .bearer_auth(desk.key())
        .header("X-Request-Id", "order-4711")
        .json(&request)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.headers()["x-request-id"], "order-4711");
    let placed: Value = answer.json().await.unwrap();
    let call = placed["outboundCallId"].as_str().unwrap();
    receiver.next(PATIENCE).await;
    installation.logs("callback delivered").await;

    let lines = lines(&installation);
    let [line] = access(&lines, "order-4711")[..] else { panic!("{lines:?}") };
    let fields = &line["fields"];
    assert_eq!(
        (&fields["method"], &fields["route"], &fields["status"]),
        (&json!("POST"), &json!("/api/outbound"), &json!(201))
    );
    assert!(fields["latency_us"].is_u64(), "{line}");
    assert!(line["span"]["key"].as_str().is_some_and(|id| id.len() == 36), "{line}");

    let of_call: Vec<&Value> = lines.iter().filter(|line| line["fields"]["call"] == call).collect();
    let told = |line: &&Value| line["fields"]["message"].as_str().unwrap().to_owned();
    let linked: Vec<String> =
        of_call.iter().filter(|line| request_id(line) == Some("order-4711")).map(told).collect();
    assert_eq!(linked, ["call accepted"]);
    let mut after: Vec<String> = of_call.iter().filter(|line| request_id(line).is_none()).map(told).collect();
    after.sort();
    assert_eq!(after, ["call dialled", "call ended", "callback delivered"]);
}

#[tokio::test]
async fn a_key_is_in_no_line_wherever_a_client_puts_it() {
    // All that any library can be made to tell.
    let installation = Installation::serving(&[("LOG__LEVEL", "trace")]).await;
    let desk = Desk::provision(&installation, ANNOUNCEMENT, &["--address", "127.0.0.1:9"]);
    let key = desk.key();
    let base = installation.base();
    let client = client();
    let status = format!("{base}/api/outbound/x/status");
    let method = reqwest::Method::from_bytes(key.as_bytes()).unwrap();
    let body = json!({"phoneNumber": key, "dynamicVariables": {key: key}, key: key, "callbackUrl": key});
    let requests = [
        client.get(&status).bearer_auth(key),
        client.get(&status).header("Authorization", format!("Basic {key}")),
        client.get(&status).header("Authorization", key),
        client.get(&status).header("X-Api-Key", key),
        client.get(&status).header("Cookie", key),
        client.get(&status).header("X-Request-Id", key),
        client.get(&status).header("X-Request-Id", format!("a-{key}")),
        client.get(&status).header("X-Forwarded-For", key),
        client.get(format!("{status}?key={key}")),
        client.get(format!("{base}/api/outbound/{key}/status")),
        client.get(format!("{base}/{key}")),
        client.request(method, &status),
        client.post(format!("{base}/api/outbound")).bearer_auth(key).json(&body),
        client.post(format!("{base}/api/outbound")).bearer_auth(key).header("Content-Type", key).body("x"),
        client
            .post(format!("{base}/api/outbound"))
            .bearer_auth(key)
            .header("Idempotency-Key", key)
            .json(&body),
    ];
    let count = requests.len();
    let mut ids = Vec::new();
    for request in requests {
        let answer = request.send().await.unwrap();
        assert!(answer.status().is_client_error(), "{answer:?}");
        ids.push(answer.headers()["x-request-id"].to_str().unwrap().to_owned());
    }
    // Every request has its line under an id of its own; the last one is written last.
    let deadline = Instant::now() + PATIENCE;
    while access(&lines(&installation), &ids[count - 1]).is_empty() {
        assert!(Instant::now() < deadline, "no line: {}", ids[count - 1]);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
    let lines = lines(&installation);
    for id in &ids {
        assert_eq!(access(&lines, id).len(), 1, "{id}");
    }
    let log = installation.log();
    for secret in [key, &desk.secret] {
        let found: Vec<&str> = log.lines().filter(|line| line.contains(secret)).collect();
        assert_eq!(found, Vec::<&str>::new());
    }
}

#[tokio::test]
async fn lines_are_for_people_unless_json_is_asked_for() {
    struct Server(Child);
    impl Drop for Server {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
    let installation = Installation::new(&[]).await;
    let mut command = installation.command();
    command.env_remove("CALLWRIGHT__LOG__FORMAT").arg("serve").stderr(Stdio::piped());
    let mut server = Server(command.spawn().unwrap());
    let first = BufReader::new(server.0.stderr.take().unwrap()).lines().next().unwrap().unwrap();
    assert!(serde_json::from_str::<Value>(&first).is_err(), "{first}");
    assert!(first.contains(" INFO callwright"), "{first}");
}
