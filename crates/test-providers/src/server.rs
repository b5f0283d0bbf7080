//! The server: what it was asked, and what it answers.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;
use url::Url;

use crate::behaviour::{Behaviour, Service};
use crate::body::{Body, Part, body, whole};
use crate::chat::{Written, objection};
use crate::form;
use crate::sound::{Heard, Voice, read_wav, speak};

type Writes = dyn Fn(&Value) -> Written + Send + Sync;
type Hears = dyn Fn(&Heard) -> String + Send + Sync;

/// How the double answers.
#[derive(Clone)]
pub struct Settings {
    /// The key that it asks for, if any.
    pub key: Option<String>,
    /// What the model writes, given the request.
    pub writes: Arc<Writes>,
    /// What is heard in a turn.
    pub hears: Arc<Hears>,
    /// How it sounds.
    pub voice: Voice,
    /// Chooses where streams are cut.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            key: None,
            writes: Arc::new(|_| Written::text("I see.")),
            hears: Arc::new(|_| "Hello.".to_owned()),
            voice: Voice::Tones,
            seed: 1,
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").finish_non_exhaustive()
    }
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Which service.
    pub service: Service,
    /// Over which connection, counted from 0.
    pub connection: u64,
    /// `Authorization`, if there was one.
    pub authorization: Option<String>,
    /// The body of a JSON request; for a form its texts, and the file's name and type.
    pub body: Value,
}

#[derive(Default)]
struct Log {
    seen: Vec<Seen>,
    heard: Vec<Heard>,
    behaviours: HashMap<Service, VecDeque<Behaviour>>,
}

struct Shared {
    settings: Settings,
    log: Mutex<Log>,
    seeds: AtomicU64,
    /// Tells connections to end as soon as they are idle.
    closing: watch::Sender<u64>,
    open: watch::Sender<usize>,
}

/// The double, which listens until it is dropped.
pub struct Providers {
    /// Where it listens.
    pub address: SocketAddr,
    shared: Arc<Shared>,
    task: AbortHandle,
}

impl Providers {
    /// Listens on a free port of 127.0.0.1.
    pub async fn start(settings: Settings) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let seeds = AtomicU64::new(settings.seed);
        let (closing, open) = (watch::Sender::new(0), watch::Sender::new(0));
        let shared = Arc::new(Shared { settings, log: Mutex::default(), seeds, closing, open });
        let served = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            let mut number = 0;
            while let Ok((stream, _)) = listener.accept().await {
                let shared = Arc::clone(&served);
                let connection = number;
                number += 1;
                shared.open.send_modify(|open| *open += 1);
                connections.spawn(async move {
                    serve(&shared, connection, stream).await;
                    shared.open.send_modify(|open| *open -= 1);
                });
                while connections.try_join_next().is_some() {}
            }
        });
        Self { address, shared, task: task.abort_handle() }
    }

    /// The base of its services.
    pub fn endpoint(&self) -> Url {
        Url::parse(&format!("http://{}/v1", self.address)).expect("a URL")
    }

    /// Lets the next request of a service that is not told otherwise yet go wrong.
    pub fn next(&self, service: Service, behaviour: Behaviour) {
        self.shared.log.lock().behaviours.entry(service).or_default().push_back(behaviour);
    }

    /// Closes every connection, those in use after their answer.
    pub fn close_idle(&self) {
        self.shared.closing.send_modify(|times| *times += 1);
    }

    /// Waits until every connection is closed; fails the test after ten seconds.
    pub async fn all_closed(&self) {
        let mut open = self.shared.open.subscribe();
        let closed = timeout(Duration::from_secs(10), open.wait_for(|open| *open == 0)).await;
        assert!(closed.is_ok(), "connections are still open");
    }

    /// What it was asked of a service, in order.
    pub fn seen(&self, service: Service) -> Vec<Seen> {
        self.shared.log.lock().seen.iter().filter(|seen| seen.service == service).cloned().collect()
    }

    /// All requests, in order.
    pub fn all_seen(&self) -> Vec<Seen> {
        self.shared.log.lock().seen.clone()
    }

    /// The turns that it was sent.
    pub fn heard(&self) -> Vec<Heard> {
        self.shared.log.lock().heard.clone()
    }
}

impl Drop for Providers {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl fmt::Debug for Providers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Providers").field("address", &self.address).finish_non_exhaustive()
    }
}

/// The connection is closed instead of an answer.
#[derive(Debug)]
struct HungUp;

impl fmt::Display for HungUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hung up")
    }
}

impl std::error::Error for HungUp {}

async fn serve(shared: &Arc<Shared>, number: u64, stream: TcpStream) {
    let mut closing = shared.closing.subscribe();
    let respond = service_fn(|request| respond(Arc::clone(shared), number, request));
    let connection =
        hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), respond);
    let mut connection = std::pin::pin!(connection);
    // A client may close whenever it likes.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = closing.changed() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

async fn respond(
    shared: Arc<Shared>,
    connection: u64,
    request: Request<Incoming>,
) -> Result<Response<Body>, HungUp> {
    let (head, incoming) = request.into_parts();
    let Ok(bytes) = incoming.collect().await.map(http_body_util::Collected::to_bytes) else {
        return Err(HungUp);
    };
    let Some(service) = Service::of(head.uri.path()).filter(|_| head.method == Method::POST) else {
        return Ok(refusal(404, "Invalid URL", None));
    };
    let text = |name| head.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let authorization = text(AUTHORIZATION);
    let content_type = text(CONTENT_TYPE).unwrap_or_default();
    let read = match service {
        Service::Transcription => form::read(&content_type, &bytes).map(|form| {
            let file = form.file.as_ref().map(|(name, kind, _)| json!([name, kind]));
            (json!({"texts": form.texts, "file": file}), Some(form))
        }),
        _ if content_type != "application/json" => Err("the body is not JSON".to_owned()),
        _ => {
            serde_json::from_slice(&bytes).map(|body: Value| (body, None)).map_err(|error| error.to_string())
        }
    };
    let behaviour = {
        let mut log = shared.log.lock();
        let body = read.as_ref().map_or(Value::Null, |(body, _)| body.clone());
        log.seen.push(Seen { service, connection, authorization: authorization.clone(), body });
        log.behaviours.get_mut(&service).and_then(VecDeque::pop_front)
    };
    match &behaviour {
        Some(Behaviour::Status(status)) => return Ok(refusal(*status, "told to fail", None)),
        Some(Behaviour::RetryAfter(status, wait)) => {
            return Ok(refusal(*status, "told to fail", Some(*wait)));
        }
        Some(Behaviour::Object(why)) => return Ok(refusal(400, why, None)),
        Some(Behaviour::HangUp) => return Err(HungUp),
        Some(Behaviour::Held(gate)) => gate.pass().await,
        Some(Behaviour::Mute) => std::future::pending().await,
        Some(Behaviour::Raw(kind, body)) => return Ok(answer(kind, whole(body.clone()))),
        // These answer, and break off later.
        Some(Behaviour::DropAfter(_) | Behaviour::StallAfter(_)) | None => {}
    }
    let expected = shared.settings.key.as_ref().map(|key| format!("Bearer {key}"));
    if expected.is_some() && expected != authorization {
        return Ok(refusal(401, "Incorrect API key provided", None));
    }
    let (asked, form) = match read {
        Ok(read) => read,
        Err(why) => return Ok(refusal(400, &why, None)),
    };
    let seed = shared.seeds.fetch_add(2, Ordering::Relaxed);
    let answered = match (service, form) {
        (Service::Chat, _) => chat(&shared, &asked, behaviour.as_ref(), seed),
        (Service::Transcription, Some(form)) => transcription(&shared, form, behaviour.as_ref(), seed),
        _ => speech(&shared, &asked, behaviour.as_ref(), seed).await,
    };
    Ok(answered.unwrap_or_else(|why| refusal(400, &why, None)))
}

fn chat(
    shared: &Shared,
    asked: &Value,
    behaviour: Option<&Behaviour>,
    seed: u64,
) -> Result<Response<Body>, String> {
    if let Some(why) = objection(asked) {
        return Err(why);
    }
    let written = (shared.settings.writes)(asked);
    if asked["stream"] == true {
        return Ok(answer("text/event-stream; charset=utf-8", body(written.events(), behaviour, seed)));
    }
    let parts = vec![Part::Bytes(written.whole().to_string().into())];
    Ok(answer("application/json", body(parts, behaviour, seed)))
}

fn transcription(
    shared: &Shared,
    form: form::Form,
    behaviour: Option<&Behaviour>,
    seed: u64,
) -> Result<Response<Body>, String> {
    let (name, kind, file) = form.file.ok_or("'file' is a required property")?;
    if !form.texts.contains_key("model") {
        return Err("'model' is a required property".to_owned());
    }
    // The kind of sound is told by the file's name.
    if !name.to_ascii_lowercase().ends_with(".wav") || kind != "audio/wav" {
        return Err("Invalid file format.".to_owned());
    }
    let language = form.texts.get("language").cloned();
    if language.as_ref().is_some_and(|language| language.len() != 2) {
        return Err("Invalid language. Language parameter must be specified in ISO-639-1 format.".to_owned());
    }
    let heard = read_wav(&file, language)?;
    let text = (shared.settings.hears)(&heard);
    shared.log.lock().heard.push(heard);
    let parts = vec![Part::Bytes(json!({"text": text}).to_string().into())];
    Ok(answer("application/json", body(parts, behaviour, seed)))
}

async fn speech(
    shared: &Shared,
    asked: &Value,
    behaviour: Option<&Behaviour>,
    seed: u64,
) -> Result<Response<Body>, String> {
    let required = |name: &str| asked[name].as_str().ok_or(format!("'{name}' is a required property"));
    required("model")?;
    required("voice")?;
    let input = required("input")?;
    if input.is_empty() || input.chars().count() > 4096 {
        return Err("Invalid 'input': string of 1 to 4096 characters".to_owned());
    }
    if asked["response_format"] != "pcm" {
        return Err("the double speaks pcm only".to_owned());
    }
    let sound = speak(shared.settings.voice, input).await;
    Ok(answer("audio/pcm", body(vec![Part::Bytes(sound.into())], behaviour, seed)))
}

fn answer(kind: &str, body: Body) -> Response<Body> {
    Response::builder().header(CONTENT_TYPE, kind).body(body).expect("a response")
}

fn refusal(status: u16, message: &str, retry_after: Option<u64>) -> Response<Body> {
    let kind = if status == 401 { "invalid_api_key" } else { "invalid_request_error" };
    let error = json!({"error": {"message": message, "type": kind, "param": null, "code": null}});
    let mut response = Response::builder().status(status).header(CONTENT_TYPE, "application/json");
    if let Some(wait) = retry_after {
        response = response.header(RETRY_AFTER, wait);
    }
    response.body(whole(error.to_string())).expect("a response")
}
