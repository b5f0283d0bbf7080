//! The double held against what is known of the real server, by a bare client.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests say what they mean"
)]

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::assistant::Language;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use test_realtime::{Double, Fault, Options, Replies, say};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

const PATIENCE: Duration = Duration::from_secs(20);

struct Client(WebSocketStream<TcpStream>);

impl Client {
    async fn try_enter(double: &Double, key: &str) -> Result<Self, Error> {
        let stream = TcpStream::connect(double.address()).await.unwrap();
        let mut request = format!("{}?model=m", double.url()).into_client_request().unwrap();
        request.headers_mut().insert("authorization", format!("Bearer {key}").parse().unwrap());
        client_async(request, stream).await.map(|(socket, _)| Self(socket))
    }

    /// A client whose session is configured like this, beyond what every one has.
    async fn configured(double: &Double, detection: Value) -> Self {
        let mut client = Self::try_enter(double, "any").await.unwrap();
        assert_eq!(client.next().await["type"], "session.created");
        client
            .send(json!({"type": "session.update", "session": {
                "type": "realtime",
                "audio": {
                    "input": {"format": {"type": "audio/pcmu"}, "turn_detection": detection},
                    "output": {"format": {"type": "audio/pcmu"}},
                },
            }}))
            .await;
        assert_eq!(client.next().await["type"], "session.updated");
        client
    }

    async fn ours(double: &Double) -> Self {
        let detection = json!({"type": "server_vad", "create_response": false, "interrupt_response": false});
        Self::configured(double, detection).await
    }

    async fn send(&mut self, event: Value) {
        self.0.send(Message::text(event.to_string())).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        match timeout(PATIENCE, self.0.next()).await.unwrap().unwrap().unwrap() {
            Message::Text(text) => serde_json::from_str(&text).unwrap(),
            other => panic!("not an event: {other:?}"),
        }
    }

    /// The next event of this kind.
    async fn until(&mut self, kind: &str) -> Value {
        loop {
            let event = self.next().await;
            if event["type"] == kind {
                return event;
            }
        }
    }

    /// The error that an event brings.
    async fn refused(&mut self, event: Value) -> Value {
        self.send(event).await;
        let error = self.until("error").await["error"].clone();
        assert_eq!(error["type"], "invalid_request_error");
        error
    }

    async fn speak(&mut self, samples: &[i16]) {
        let bytes: Vec<u8> =
            samples.iter().map(|sample| audio_codec_algorithms::encode_ulaw(*sample)).collect();
        for piece in bytes.chunks(160) {
            self.send(json!({"type": "input_audio_buffer.append", "audio": STANDARD.encode(piece)})).await;
        }
    }
}

#[tokio::test]
async fn errors_have_the_real_servers_words_and_the_connection_stays() {
    let double = Double::start(Options { speed: 1.0, ..Options::default() }).await;
    let mut client = Client::ours(&double).await;
    let cancel = json!({"type": "response.cancel", "event_id": "mine"});
    let error = client.refused(cancel).await;
    assert_eq!(error["code"], "response_cancel_not_active");
    assert_eq!(error["event_id"], "mine");

    client.send(json!({"type": "response.create"})).await;
    let created = client.until("response.created").await;
    let error = client.refused(json!({"type": "response.create"})).await;
    assert_eq!(error["code"], "conversation_already_has_active_response");
    let id = created["response"]["id"].as_str().unwrap();
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with(&format!("Conversation already has an active response in progress: {id}.")));

    let item = client.until("response.output_audio.delta").await["item_id"].clone();
    client.send(json!({"type": "response.cancel", "response_id": id})).await;
    let done = client.until("response.done").await;
    assert_eq!(done["response"]["status"], "cancelled");
    assert_eq!(done["response"]["status_details"]["reason"], "client_cancelled");
    let truncate = |item: &Value, ms: u32| json!({"type": "conversation.item.truncate", "item_id": item, "content_index": 0, "audio_end_ms": ms});
    let error = client.refused(truncate(&item, 60_000)).await;
    let message = error["message"].as_str().unwrap();
    assert!(
        message.starts_with("Audio content of ") && message.ends_with("ms is already shorter than 60000ms")
    );
    client.send(truncate(&item, 50)).await;
    assert_eq!(client.until("conversation.item.truncated").await["audio_end_ms"], 50);
    let error = client.refused(truncate(&item, 51)).await;
    assert_eq!(error["message"], "Audio content of 50ms is already shorter than 51ms");

    client
        .send(json!({"type": "conversation.item.create", "item": {
            "type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}],
        }}))
        .await;
    let text = client.until("conversation.item.added").await["item"]["id"].clone();
    let error = client.refused(truncate(&text, 1)).await;
    assert_eq!(error["code"], "unsupported_content_type");
    assert_eq!(error["message"], "Only model output audio messages can be truncated");

    let error = client
        .refused(json!({"type": "conversation.item.create", "item": {
            "type": "function_call_output", "call_id": "call_x", "output": "",
        }}))
        .await;
    assert_eq!(error["message"], "Tool call ID 'call_x' not found in conversation.");
    let error = client
        .refused(json!({"type": "session.update", "session": {"type": "realtime", "voice": "x"}}))
        .await;
    assert_eq!(error["code"], "unknown_parameter");
}

#[tokio::test]
async fn a_server_left_to_itself_answers_turns_and_stops_when_interrupted() {
    let long =
        "This is quite a long answer, which goes on and on for several seconds, until somebody speaks.";
    let double =
        Double::start(Options { speed: 1.0, replies: Replies::lines(&[long]), ..Options::default() }).await;
    let mut client =
        Client::configured(&double, json!({"type": "server_vad", "silence_duration_ms": 300})).await;
    let line = say(Language::German, "Guten Tag, ich rufe an wegen der Rechnung.");
    client.speak(&line).await;
    client.speak(&[0; 8_000]).await;
    let started = client.until("input_audio_buffer.speech_started").await;
    let committed = client.until("input_audio_buffer.committed").await;
    assert_eq!(started["item_id"], committed["item_id"]);
    client.until("response.output_audio.delta").await;
    client.speak(&line).await;
    let done = client.until("response.done").await;
    assert_eq!(done["response"]["status_details"]["reason"], "turn_detected");
}

#[tokio::test]
async fn a_bad_key_is_refused_at_the_handshake() {
    let double = Double::start(Options { key: Some("good".to_owned()), ..Options::default() }).await;
    match Client::try_enter(&double, "bad").await {
        Err(Error::Http(response)) => assert_eq!(response.status(), 401),
        other => panic!("let in: {}", other.is_ok()),
    }
    assert!(Client::try_enter(&double, "good").await.is_ok());
}

#[tokio::test]
async fn an_old_session_is_closed_with_1001() {
    let faults = vec![Fault::Expire(Duration::from_millis(50))];
    let double = Double::start(Options { faults, ..Options::default() }).await;
    let mut client = Client::try_enter(&double, "any").await.unwrap();
    assert_eq!(client.next().await["type"], "session.created");
    match timeout(PATIENCE, client.0.next()).await.unwrap().unwrap().unwrap() {
        Message::Close(Some(frame)) => assert_eq!(u16::from(frame.code), 1001),
        other => panic!("not closed: {other:?}"),
    }
}
