//! One connection: a session as the real server keeps it, with the faults that it was given.

mod giving;
mod hearing;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::client_event::{self, ClientEvent, Refusal};
use crate::ears::{Detection, Ears};
use crate::format::Format;
use crate::items::Items;
use crate::options::{Fault, Options};
use crate::record::Records;
use crate::response::Step;

/// How old a session becomes.
const AGE: Duration = Duration::from_hours(1);

/// The connection is over.
struct Over;

/// What comes from elsewhere than the client.
enum Ready {
    /// A response was laid out.
    Response(String, VecDeque<Step>),
    /// A turn's words are known, or not to be known.
    Words(String, Option<String>),
}

/// The response that is given.
struct Active {
    id: String,
    steps: VecDeque<Step>,
    next: Instant,
    pieces: usize,
}

/// How the session is configured.
struct Configuration {
    input: Format,
    output: Format,
    transcribes: bool,
    answers: bool,
    interrupts: bool,
}

/// One connection.
pub(crate) struct Session<S> {
    socket: WebSocketStream<S>,
    number: usize,
    options: Arc<Options>,
    fault: Fault,
    records: Arc<Records>,
    configuration: Configuration,
    ears: Option<Ears>,
    turn: String,
    items: Items,
    active: Option<Active>,
    /// How many responses were asked for.
    asked: u32,
    events: u64,
    ready: mpsc::UnboundedSender<Ready>,
    coming: mpsc::UnboundedReceiver<Ready>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Session<S> {
    pub(crate) fn new(
        socket: WebSocketStream<S>,
        number: usize,
        options: Arc<Options>,
        fault: Fault,
        records: Arc<Records>,
    ) -> Self {
        let (ready, coming) = mpsc::unbounded_channel();
        records.change(|record| record.sound.resize(record.sound.len().max(number + 1), Vec::new()));
        Self {
            socket,
            number,
            options,
            fault,
            records,
            configuration: Configuration {
                input: Format::Pcm,
                output: Format::Pcm,
                transcribes: false,
                answers: true,
                interrupts: true,
            },
            ears: Some(Ears::new(Detection { threshold: 0.5, prefix_ms: 300, silence_ms: 500 })),
            turn: String::new(),
            items: Items::default(),
            active: None,
            asked: 0,
            events: 0,
            ready,
            coming,
        }
    }

    pub(crate) async fn run(mut self) {
        let age = if let Fault::Expire(age) = self.fault { age } else { AGE };
        let expiry = Instant::now() + age;
        let created = json!({"type": "session.created", "session": self.echo(&json!({"type": "realtime"}))});
        let mut going = self.send(created).await;
        while going.is_ok() {
            let next =
                self.active.as_ref().filter(|active| !active.steps.is_empty()).map(|active| active.next);
            going = tokio::select! {
                message = self.socket.next() => self.message(message).await,
                ready = self.coming.recv() => self.come(ready).await,
                () = sleep_until(next.unwrap_or(expiry)), if next.is_some() => self.step().await,
                () = sleep_until(expiry) => self.expire().await,
            };
        }
    }

    async fn expire(&mut self) -> Result<(), Over> {
        let reason = "Your session hit the maximum duration of 60 minutes.".into();
        let close = CloseFrame { code: CloseCode::Away, reason };
        let _ = self.socket.close(Some(close)).await;
        Err(Over)
    }

    async fn message<E>(&mut self, message: Option<Result<Message, E>>) -> Result<(), Over> {
        match message {
            Some(Ok(Message::Text(text))) => {
                if let Ok(event) = serde_json::from_str::<Value>(&text) {
                    return self.event(event).await;
                }
                let refusal = Refusal::new("invalid_json", "We could not parse the JSON body of your event.");
                self.refuse(&refusal, &Value::Null).await
            }
            Some(Ok(Message::Binary(_))) => {
                let refusal = Refusal::new("invalid_event", "Binary messages are not supported.");
                self.refuse(&refusal, &Value::Null).await
            }
            Some(Ok(Message::Close(_))) => {
                self.records.change(|record| record.goodbyes += 1);
                Err(Over)
            }
            Some(Ok(_)) => Ok(()),
            Some(Err(_)) | None => Err(Over),
        }
    }

    async fn event(&mut self, event: Value) -> Result<(), Over> {
        let about = event["event_id"].clone();
        let read = client_event::read(&event, self.options.dialect);
        if !matches!(read, Ok(ClientEvent::Append(_))) {
            self.records.change(|record| record.events.push((self.number, event)));
        }
        let done = match read {
            Ok(ClientEvent::Update(session)) => self.update(&session).await?,
            Ok(ClientEvent::Append(sound)) => self.hear(&sound).await?,
            Ok(ClientEvent::Commit) => Err(Refusal::new(
                "input_audio_buffer_commit_empty",
                "Error committing input audio buffer: buffer too small.",
            )),
            Ok(ClientEvent::Clear) => {
                self.send(json!({"type": "input_audio_buffer.cleared"})).await?;
                Ok(())
            }
            Ok(ClientEvent::CreateItem(item)) => self.create_item(item).await?,
            Ok(ClientEvent::Truncate { item, part, end_ms }) => self.truncate(&item, part, end_ms).await?,
            Ok(ClientEvent::Respond(response)) => self.respond(&response, &about).await?,
            Ok(ClientEvent::Cancel(id)) => self.cancel(id.as_deref(), "client_cancelled").await?,
            Err(refusal) => Err(refusal),
        };
        match done {
            Ok(()) => Ok(()),
            Err(refusal) => self.refuse(&refusal, &about).await,
        }
    }

    async fn update(&mut self, session: &Value) -> Result<Result<(), Refusal>, Over> {
        let audio = &session["audio"];
        for (direction, current) in
            [("input", &mut self.configuration.input), ("output", &mut self.configuration.output)]
        {
            let format = &audio[direction]["format"];
            if !format.is_null() && !self.options.pcm_only {
                match Format::read(format) {
                    Ok(format) => *current = format,
                    Err(message) => return Ok(Err(Refusal::new("invalid_value", message))),
                }
            }
        }
        let detection = match &session["turn_detection"] {
            Value::Null => &audio["input"]["turn_detection"],
            top => top,
        };
        if !detection.is_null() {
            if detection["type"] != "server_vad" && detection["type"] != "semantic_vad" {
                let supported = "'server_vad' and 'semantic_vad'";
                return Ok(Err(Refusal::invalid("turn_detection.type", &detection["type"], supported)));
            }
            self.ears = Some(Ears::new(hearing::settings(detection)));
            self.configuration.answers = detection["create_response"] != false;
            self.configuration.interrupts = detection["interrupt_response"] != false;
        }
        self.configuration.transcribes = !audio["input"]["transcription"].is_null();
        if self.fault != Fault::NeverReady {
            let echo = self.echo(session);
            self.send(json!({"type": "session.updated", "session": echo})).await?;
        }
        Ok(Ok(()))
    }

    /// The whole configuration, with the formats that are really spoken.
    fn echo(&self, session: &Value) -> Value {
        let mut echo = session.clone();
        echo["id"] = json!(format!("sess_{}", self.number));
        echo["object"] = json!("realtime.session");
        if !echo["audio"].is_object() {
            echo["audio"] = json!({"input": {}, "output": {}});
        }
        echo["audio"]["input"]["format"] = self.configuration.input.echo();
        echo["audio"]["output"]["format"] = self.configuration.output.echo();
        echo
    }

    async fn create_item(&mut self, mut item: Value) -> Result<Result<(), Refusal>, Over> {
        if item["type"] == "function_call_output" {
            let call = item["call_id"].as_str().unwrap_or_default();
            if !self.items.knows_call(call) {
                let message = format!("Tool call ID '{call}' not found in conversation.");
                return Ok(Err(Refusal::new("invalid_tool_call_id", message)));
            }
        }
        let before = self.items.last().map(str::to_owned);
        let id = item["id"].as_str().map_or_else(|| self.items.name(self.number), str::to_owned);
        item["id"] = json!(id);
        self.items.add(&id, &item);
        for kind in ["conversation.item.added", "conversation.item.done"] {
            self.send(json!({"type": kind, "previous_item_id": before, "item": item})).await?;
        }
        Ok(Ok(()))
    }

    async fn truncate(&mut self, item: &str, part: u64, end_ms: u64) -> Result<Result<(), Refusal>, Over> {
        if let Err(refusal) = self.items.truncate(item, end_ms, self.configuration.output) {
            return Ok(Err(refusal));
        }
        self.records.change(|record| record.truncated.push((item.to_owned(), end_ms)));
        self.send(json!({
            "type": "conversation.item.truncated", "item_id": item, "content_index": part,
            "audio_end_ms": end_ms,
        }))
        .await?;
        Ok(Ok(()))
    }

    async fn come(&mut self, ready: Option<Ready>) -> Result<(), Over> {
        match ready {
            Some(Ready::Response(id, steps))
                if self.active.as_ref().is_some_and(|active| active.id == id) =>
            {
                self.begin(id, steps);
                Ok(())
            }
            Some(Ready::Words(item, Some(transcript))) => {
                let kind = "conversation.item.input_audio_transcription.completed";
                self.send(json!({
                    "type": kind, "item_id": item, "content_index": 0, "transcript": transcript,
                    "usage": {"type": "duration", "seconds": 1},
                }))
                .await
            }
            Some(Ready::Words(item, None)) => {
                let kind = "conversation.item.input_audio_transcription.failed";
                let error =
                    json!({"type": "transcription_error", "code": "audio_unintelligible", "message": ""});
                self.send(json!({"type": kind, "item_id": item, "content_index": 0, "error": error})).await
            }
            _ => Ok(()),
        }
    }

    async fn refuse(&mut self, refusal: &Refusal, about: &Value) -> Result<(), Over> {
        let name = match refusal.code {
            Some(code) if code != "invalid_value" => code.to_owned(),
            _ => refusal.message.clone(),
        };
        self.records.change(|record| record.errors.push(name));
        self.send(refusal.event(about)).await
    }

    async fn send(&mut self, mut event: Value) -> Result<(), Over> {
        self.events += 1;
        event["event_id"] = json!(format!("event_{}_{}", self.number, self.events));
        if self.options.beta_names {
            let kind =
                event["type"].as_str().unwrap_or_default().replace("response.output_audio", "response.audio");
            event["type"] = json!(kind.replace("conversation.item.added", "conversation.item.created"));
        }
        self.socket.send(Message::text(event.to_string())).await.map_err(|_| Over)
    }
}
