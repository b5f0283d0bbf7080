//! One connection: a session as the real server keeps it, with the faults that it was given.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::client_event::{self, ClientEvent, Refusal};
use crate::ears::{Detection, Ears, Heard};
use crate::format::Format;
use crate::items::Items;
use crate::options::{Fault, Options, Part};
use crate::record::{HeardTurn, Records};
use crate::response::{self, Manner, Step};

/// How old a session becomes.
const AGE: Duration = Duration::from_hours(1);
/// How many pieces of sound a connection that drops has sent before.
const DROPS_AFTER: usize = 3;

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
            self.ears = Some(Ears::new(settings(detection)));
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

    async fn hear(&mut self, sound: &[u8]) -> Result<Result<(), Refusal>, Over> {
        self.records.change(|record| record.sound[self.number].extend_from_slice(sound));
        let samples = self.configuration.input.decode(sound);
        let heard = self.ears.as_mut().map(|ears| ears.hear(&samples)).unwrap_or_default();
        for heard in heard {
            match heard {
                Heard::Started { at_ms } => {
                    self.turn = self.items.name(self.number);
                    let item = self.turn.clone();
                    self.send(json!({
                        "type": "input_audio_buffer.speech_started", "audio_start_ms": at_ms, "item_id": item,
                    }))
                    .await?;
                    if self.configuration.interrupts && self.active.is_some() {
                        let _ = self.cancel(None, "turn_detected").await?;
                    }
                }
                Heard::Stopped { at_ms, samples } => self.turn_over(at_ms, samples).await?,
            }
        }
        Ok(Ok(()))
    }

    async fn turn_over(&mut self, at_ms: usize, samples: Vec<i16>) -> Result<(), Over> {
        let item = self.turn.clone();
        let stopped =
            json!({"type": "input_audio_buffer.speech_stopped", "audio_end_ms": at_ms, "item_id": item});
        self.send(stopped).await?;
        let before = self.items.last().map(str::to_owned);
        let committed =
            json!({"type": "input_audio_buffer.committed", "item_id": item, "previous_item_id": before});
        self.send(committed).await?;
        let message = json!({
            "id": item, "object": "realtime.item", "type": "message", "status": "completed", "role": "user",
            "content": [{"type": "input_audio", "transcript": null}],
        });
        self.items.add(&item, &message);
        for kind in ["conversation.item.added", "conversation.item.done"] {
            self.send(json!({"type": kind, "previous_item_id": before, "item": message})).await?;
        }
        if self.configuration.transcribes {
            let (options, ready) = (Arc::clone(&self.options), self.ready.clone());
            let (item, samples) = (item.clone(), samples.clone());
            tokio::spawn(async move {
                let listening = Arc::clone(&options);
                let heard = tokio::task::spawn_blocking(move || listening.recogniser.listen(&samples));
                let heard = heard.await.unwrap_or_default();
                sleep(options.transcript_after).await;
                let _ = ready.send(Ready::Words(item, heard));
            });
        }
        let turn = HeardTurn { connection: self.number, item, samples };
        self.records.change(|record| record.turns.push(turn));
        if self.configuration.answers && self.active.is_none() {
            let _ = self.respond(&Value::Null, &Value::Null).await?;
        }
        Ok(())
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

    async fn respond(&mut self, wish: &Value, about: &Value) -> Result<Result<(), Refusal>, Over> {
        if let Some(active) = &self.active {
            return Ok(Err(busy(&active.id)));
        }
        self.asked += 1;
        let id = format!("resp_{}_{}", self.number, self.asked);
        match self.fault {
            Fault::Stall => return Ok(Ok(())),
            Fault::Freeze => std::future::pending().await,
            Fault::Busy if self.asked == 1 => {
                let step = Step::at_once(response::done("resp_auto", "completed", &Value::Null, &[]));
                let step = Step { after: Duration::from_millis(50), ..step };
                self.refuse(&busy("resp_auto"), about).await?;
                self.begin("resp_auto".to_owned(), [step].into());
                return Ok(Ok(()));
            }
            _ => {}
        }
        self.send(json!({"type": "response.created", "response": {
            "object": "realtime.response", "id": id, "status": "in_progress", "output": [],
        }}))
        .await?;
        if let Fault::Fail(times) = self.fault
            && self.asked <= times
        {
            let details =
                json!({"type": "failed", "error": {"type": "server_error", "code": "server_error"}});
            let failed = response::done(&id, "failed", &details, &[]);
            self.begin(id, [Step::at_once(failed)].into());
            return Ok(Ok(()));
        }
        let parts = match exact_words(wish) {
            Some(words) => vec![Part::Say(words)],
            None => self.options.replies.next(),
        };
        let parts: Vec<_> = parts.into_iter().map(|part| (self.items.name(self.number), part)).collect();
        let manner = Manner {
            language: self.options.language,
            format: self.configuration.output,
            speed: self.options.speed,
        };
        self.begin(id.clone(), VecDeque::new());
        let ready = self.ready.clone();
        tokio::task::spawn_blocking(move || {
            let steps = response::lay_out(&id, &parts, &manner);
            let _ = ready.send(Ready::Response(id, steps));
        });
        Ok(Ok(()))
    }

    fn begin(&mut self, id: String, steps: VecDeque<Step>) {
        let next = Instant::now() + steps.front().map_or(Duration::ZERO, |step| step.after);
        self.active = Some(Active { id, steps, next, pieces: 0 });
    }

    async fn cancel(&mut self, id: Option<&str>, why: &str) -> Result<Result<(), Refusal>, Over> {
        let Some(active) = self.active.take_if(|active| id.is_none_or(|id| id == active.id)) else {
            let message = "Cancellation failed: no active response found";
            return Ok(Err(Refusal::new("response_cancel_not_active", message)));
        };
        let details = json!({"type": "cancelled", "reason": why});
        self.finish(response::done(&active.id, "cancelled", &details, &[])).await?;
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

    /// Sends the next event of the response that is given.
    async fn step(&mut self) -> Result<(), Over> {
        let Some(active) = &mut self.active else { return Ok(()) };
        let Some(step) = active.steps.pop_front() else { return Ok(()) };
        active.next = Instant::now() + active.steps.front().map_or(Duration::ZERO, |step| step.after);
        let id = active.id.clone();
        if step.event["type"] == "response.done" {
            self.active = None;
            return self.finish(step.event).await;
        }
        if step.event["type"] == "conversation.item.added" {
            let item = step.event["item"].clone();
            self.items.add(item["id"].as_str().unwrap_or_default(), &item);
        }
        self.send(step.event).await?;
        let Some((item, sound)) = step.sound else { return Ok(()) };
        self.items.speak(&item, sound.len());
        self.records.change(|record| match record.spoken.last_mut() {
            Some((last, spoken)) if *last == item => spoken.extend(sound),
            _ => record.spoken.push((item, sound)),
        });
        let Some(active) = &mut self.active else { return Ok(()) };
        active.pieces += 1;
        match self.fault {
            Fault::DropInResponse(number) if self.asked == number && active.pieces == DROPS_AFTER => {
                Err(Over)
            }
            Fault::Incomplete if active.pieces == DROPS_AFTER => {
                self.active = None;
                let details = json!({"type": "incomplete", "reason": "max_output_tokens"});
                self.finish(response::done(&id, "incomplete", &details, &[])).await
            }
            _ => Ok(()),
        }
    }

    /// Sends the end of a response.
    async fn finish(&mut self, done: Value) -> Result<(), Over> {
        let status = done["response"]["status"].as_str().unwrap_or_default().to_owned();
        self.records.change(|record| record.responses.push(status));
        self.send(done).await?;
        self.send(json!({"type": "rate_limits.updated", "rate_limits": []})).await
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

fn busy(id: &str) -> Refusal {
    let message = format!(
        "Conversation already has an active response in progress: {id}. Wait until the response is finished before creating a new one."
    );
    Refusal::new("conversation_already_has_active_response", message)
}

fn settings(detection: &Value) -> Detection {
    let ms = |name: &str, default: u64| {
        usize::try_from(detection[name].as_u64().unwrap_or(default)).unwrap_or_default()
    };
    #[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "a number between 0 and 1")]
    let threshold = detection["threshold"].as_f64().unwrap_or(0.5) as f32;
    Detection {
        threshold,
        prefix_ms: ms("prefix_padding_ms", 300),
        silence_ms: ms("silence_duration_ms", 500),
    }
}

/// The words that a model is told to say exactly, which it does.
fn exact_words(wish: &Value) -> Option<String> {
    let instructions = wish["instructions"].as_str()?;
    let (order, words) = instructions.split_once("\n\n")?;
    (wish["tool_choice"] == "none" && order.contains("exactly")).then(|| words.to_owned())
}
