//! The receivers that customers copy, against the real sender and against forgers.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::support::copied::{Copied, Language};
use crate::support::installation::client;
use crate::support::{ANNOUNCEMENT, Desk, Installation, Sipp, Step};

use Step::{Answer, Expect, Invite};

const BUSY: [Step; 3] = [Invite, Answer(486, "Busy Here"), Expect("ACK")];

#[tokio::test]
async fn the_receiver_in_python_takes_what_is_ours_and_nothing_else() {
    judge(Language::Python).await;
}

#[tokio::test]
async fn the_receiver_in_node_takes_what_is_ours_and_nothing_else() {
    judge(Language::Node).await;
}

#[tokio::test]
async fn the_receiver_in_rust_takes_what_is_ours_and_nothing_else() {
    judge(Language::Rust).await;
}

async fn judge(language: Language) {
    let installation = Installation::serving(&[]).await;
    let trunk = Sipp::start(installation.data(), &BUSY);
    let desk = Desk::provision(&installation, ANNOUNCEMENT, &["--address", &trunk.address()]);
    let confirming = [
        ("WEBHOOK_SECRET", desk.secret.as_str()),
        ("CALLWRIGHT_URL", installation.base()),
        ("CALLWRIGHT_API_KEY", desk.key()),
    ];
    let mut receiver = Copied::start(language, &confirming).await;

    // What is really sent is taken, once.
    let call = place(&desk, &receiver).await;
    let taken = json!({"outboundCallId": call, "status": "busy", "endedReason": "customer-busy"});
    assert_eq!(receiver.acted().await, taken);
    let event = event(&call, "busy");
    assert_eq!(send(&receiver, &Forgery::honest(&desk.secret, &call, &event)).await, 204, "a duplicate");
    assert!(receiver.stays_quiet(Duration::from_millis(500)).await, "it acted on a duplicate");

    // A call that the service does not know.
    let unknown = "0197a000-0000-7000-8000-00000000dead";
    let lie = self::event(unknown, "completed");
    assert_eq!(send(&receiver, &Forgery::honest(&desk.secret, unknown, &lie)).await, 204);
    assert_eq!(receiver.complained().await, format!("ignored: unknown call {unknown}"));

    refuses_forgeries(&desk, &mut receiver).await;
    while_a_secret_is_rotated_both_are_good(language, &installation, &desk, receiver).await;
}

async fn refuses_forgeries(desk: &Desk, receiver: &mut Copied) {
    let call = "0197a000-0000-7000-8000-00000000beef";
    let event = event(call, "completed");
    let honest = Forgery::honest(&desk.secret, call, &event);
    let other = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let forgeries = [
        ("another body", Forgery { body: event.replace("completed", "busy"), ..honest.clone() }),
        ("another id", Forgery { id: Some("x".to_owned()), ..honest.clone() }),
        ("another time", Forgery { timestamp: Some((now() - 1).to_string()), ..honest.clone() }),
        ("an old timestamp", Forgery::signed(&desk.secret, call, &event, now() - 310)),
        ("a timestamp to come", Forgery::signed(&desk.secret, call, &event, now() + 310)),
        ("no timestamp", Forgery { timestamp: None, ..honest.clone() }),
        ("a malformed timestamp", Forgery { timestamp: Some("today".to_owned()), ..honest.clone() }),
        ("no id", Forgery { id: None, ..honest.clone() }),
        ("no signature", Forgery { signature: None, ..honest.clone() }),
        ("an empty signature", Forgery { signature: Some(String::new()), ..honest.clone() }),
        ("another secret", Forgery::honest(other, call, &event)),
        ("another version", honest.with_signature(|good| good.replace("v1,", "v2,"))),
        ("a cut signature", honest.with_signature(|good| good[..good.len() - 2].to_owned())),
    ];
    for (what, forgery) in forgeries {
        assert_eq!(send(receiver, &forgery).await, 401, "{what}");
        assert!(receiver.complained().await.starts_with("refused: "), "{what}");
    }
    let nonsense = Forgery::honest(&desk.secret, call, "[]");
    assert_eq!(send(receiver, &nonsense).await, 400, "signed, but no event");
    let huge = Forgery::honest(&desk.secret, call, &"x".repeat(1024 * 1024 + 1));
    // It may hang up before all of that was sent, and then its answer is lost.
    assert!([0, 413].contains(&send(receiver, &huge).await), "a body without end");
    // A good signature may stand behind others, of which none is ours.
    let among = honest.with_signature(|good| format!("v1,AAAA v2,{good} {good}"));
    assert_eq!(send(receiver, &among).await, 204);
    assert!(receiver.stays_quiet(Duration::from_millis(200)).await, "it acted on a forgery");
}

async fn while_a_secret_is_rotated_both_are_good(
    language: Language,
    installation: &Installation,
    desk: &Desk,
    mut old: Copied,
) {
    let fresh = installation.operator(&["webhook-secret", "rotate", "--organization", &desk.organization]);
    let fresh = fresh["secret"].as_str().unwrap();
    assert_ne!(fresh, desk.secret);
    // Without a key nothing is asked: the signature alone is believed.
    let mut new = Copied::start(language, &[("WEBHOOK_SECRET", fresh)]).await;
    for receiver in [&mut old, &mut new] {
        let call = place(desk, receiver).await;
        let taken = json!({"outboundCallId": call, "status": "busy", "endedReason": "customer-busy"});
        assert_eq!(receiver.acted().await, taken);
    }
}

/// Places a call whose end is reported to `receiver`.
async fn place(desk: &Desk, receiver: &Copied) -> String {
    let mut request = desk.request();
    request["callbackUrl"] = json!(receiver.url());
    let (status, placed) = desk.place(&request).await;
    assert_eq!((status, &placed["status"]), (201, &json!("calling")), "{placed}");
    placed["outboundCallId"].as_str().unwrap().to_owned()
}

/// A callback's body.
fn event(call: &str, status: &str) -> String {
    let details = json!({"startedAt": null, "endedAt": null, "duration": null, "endedReason": null});
    let event = json!({
        "event": "call.completed", "outboundCallId": call, "contactId": call, "status": status,
        "timestamp": "2026-03-01T09:31:12.480Z", "callDetails": details, "dynamicVariables": Value::Null,
    });
    event.to_string()
}

/// A request that claims to be a callback.
#[derive(Clone)]
struct Forgery {
    id: Option<String>,
    timestamp: Option<String>,
    signature: Option<String>,
    body: String,
}

impl Forgery {
    /// Signed now.
    fn honest(secret: &str, id: &str, body: &str) -> Self {
        Self::signed(secret, id, body, now())
    }

    /// Signed with an independent implementation.
    fn signed(secret: &str, id: &str, body: &str, at: i64) -> Self {
        let signature = standardwebhooks::Webhook::new(secret).unwrap().sign(id, at, body.as_bytes());
        Self {
            id: Some(id.to_owned()),
            timestamp: Some(at.to_string()),
            signature: Some(signature.unwrap()),
            body: body.to_owned(),
        }
    }

    fn with_signature(&self, change: impl FnOnce(&str) -> String) -> Self {
        Self { signature: self.signature.as_deref().map(change), ..self.clone() }
    }
}

/// The answer's status; 0 without an answer.
async fn send(receiver: &Copied, forgery: &Forgery) -> u16 {
    let mut request = client().post(receiver.url()).header("content-type", "application/json");
    let headers = [
        ("webhook-id", &forgery.id),
        ("webhook-timestamp", &forgery.timestamp),
        ("webhook-signature", &forgery.signature),
    ];
    for (name, value) in headers {
        if let Some(value) = value {
            request = request.header(name, value);
        }
    }
    request.body(forgery.body.clone()).send().await.map_or(0, |answer| answer.status().as_u16())
}

#[expect(clippy::disallowed_methods, reason = "a sender outside of the service has a clock of its own")]
fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_secs()).unwrap()
}
