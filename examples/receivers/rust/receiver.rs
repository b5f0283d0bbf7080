//! Receives Callwright's call-completed callbacks.
//!
//! ```console
//! $ cargo add actix-web serde_json && cargo add standardwebhooks@1 http@1
//! $ cargo add reqwest --features json && cargo add tokio --features sync,time && cargo add rustls --features ring
//! $ WEBHOOK_SECRET=whsec_… cargo run
//! ```
//!
//! - `WEBHOOK_SECRET`: the organization's secret (`callwright webhook-secret show --organization ID`).
//! - `HOST`, `PORT`: where it listens; 127.0.0.1 and 8000 (0 takes any free port) unless set.
//! - `CALLWRIGHT_URL`, `CALLWRIGHT_API_KEY`: when both are set, each result is confirmed with Get Outbound Call
//!   Status before it is acted upon; the key is an organization key of the call's organization.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a program to copy is short, and talks to a terminal"
)]

use std::collections::{HashSet, VecDeque};
use std::env;
use std::error::Error;
use std::sync::Mutex;
use std::time::Duration;

use actix_web::web::{Bytes, Data, PayloadConfig, post};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use serde_json::{Value, json};
use standardwebhooks::Webhook;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The largest body that is taken, in bytes.
const BODY_MAX: usize = 1024 * 1024;

/// So many calls are remembered.
const REMEMBERED: usize = 100_000;

/// Takes each call once. Keep this in your database: there it outlives a restart.
struct Inbox {
    seen: Mutex<(HashSet<String>, VecDeque<String>)>,
    work: UnboundedSender<Value>,
}

impl Inbox {
    fn put(&self, call: &str, event: Value) {
        let mut seen = self.seen.lock().unwrap();
        let (calls, order) = &mut *seen;
        if !calls.insert(call.to_owned()) {
            return; // a duplicate: it was confirmed, or is about to be
        }
        order.push_back(call.to_owned());
        if order.len() > REMEMBERED {
            let oldest = order.pop_front();
            oldest.map(|oldest| calls.remove(&oldest));
        }
        let _ = self.work.send(event);
    }
}

/// Checks signature and age (Standard Webhooks) over the raw body, before anything reads it. While a secret is
/// being rotated there are two signatures; ours has to be among them.
fn verify(webhook: &Webhook, request: &HttpRequest, body: &[u8]) -> Result<(), Box<dyn Error>> {
    let mut headers = http::HeaderMap::new();
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        let value = request.headers().get(name).ok_or(format!("{name} is missing"))?;
        headers.insert(name, http::HeaderValue::from_bytes(value.as_bytes())?);
    }
    Ok(webhook.verify(body, &headers)?)
}

/// Answers before any work is done: after 10 seconds the same callback would come again.
async fn receive(
    webhook: Data<Webhook>,
    inbox: Data<Inbox>,
    request: HttpRequest,
    body: Bytes,
) -> HttpResponse {
    if let Err(reason) = verify(&webhook, &request, &body) {
        eprintln!("refused: {reason}");
        return HttpResponse::Unauthorized().finish();
    }
    let Ok(event) = serde_json::from_slice::<Value>(&body) else {
        return HttpResponse::BadRequest().finish();
    };
    let Some(call) = event["outboundCallId"].as_str().map(str::to_owned) else {
        return HttpResponse::BadRequest().finish();
    };
    if event["event"] == "call.completed" {
        inbox.put(&call, event);
    }
    HttpResponse::NoContent().finish()
}

/// Where results are confirmed.
struct Service {
    url: String,
    key: String,
    client: reqwest::Client,
}

impl Service {
    /// What the service itself says of the call: `None` when it does not know it.
    async fn status(&self, call: &str) -> Option<Value> {
        loop {
            let (wait, problem) = match self.ask(call).await {
                Ok(answer) if answer.status() == 404 => return None,
                Ok(answer) if answer.status() == 200 => match answer.json().await {
                    Ok(status) => return Some(status),
                    Err(error) => (30, error.to_string()),
                },
                // 429 and 503 say how long to wait; every request before that would prolong a 429.
                Ok(answer) => (seconds(&answer).unwrap_or(30), answer.status().to_string()),
                Err(error) => (30, error.to_string()),
            };
            eprintln!("not confirmed yet, again in {wait} s: {problem}");
            tokio::time::sleep(Duration::from_secs(wait)).await;
        }
    }

    async fn ask(&self, call: &str) -> reqwest::Result<reqwest::Response> {
        let url = format!("{}/api/outbound/{call}/status", self.url.trim_end_matches('/'));
        let limit = Duration::from_secs(10);
        self.client.get(url).bearer_auth(&self.key).timeout(limit).send().await
    }
}

fn seconds(answer: &reqwest::Response) -> Option<u64> {
    answer.headers().get("retry-after")?.to_str().ok()?.parse().ok()
}

/// Acts on one call after the other.
async fn work(mut events: UnboundedReceiver<Value>, service: Option<Service>) {
    while let Some(event) = events.recv().await {
        let call = event["outboundCallId"].as_str().unwrap_or_default().to_owned();
        let known = match &service {
            Some(service) => service.status(&call).await,
            None => Some(event),
        };
        let Some(known) = known else {
            eprintln!("ignored: unknown call {call}");
            continue;
        };
        // Here your own work begins.
        let reason = &known["callDetails"]["endedReason"];
        println!("{}", json!({"outboundCallId": call, "status": known["status"], "endedReason": reason}));
    }
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // reqwest may have been built with several providers of cryptography, or with none.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let webhook = Data::new(Webhook::new(&env::var("WEBHOOK_SECRET")?)?);
    let host = env::var("HOST").unwrap_or("127.0.0.1".to_owned());
    let port = env::var("PORT").map_or(Ok(8000), |port| port.parse::<u16>())?;
    let service = match (env::var("CALLWRIGHT_URL"), env::var("CALLWRIGHT_API_KEY")) {
        (Ok(url), Ok(key)) => Some(Service { url, key, client: reqwest::Client::new() }),
        _ => None,
    };
    let (sender, events) = unbounded_channel();
    actix_web::rt::spawn(work(events, service));
    let inbox = Data::new(Inbox { seen: Mutex::default(), work: sender });
    let server = HttpServer::new(move || {
        let limit = PayloadConfig::new(BODY_MAX);
        App::new()
            .app_data(webhook.clone())
            .app_data(inbox.clone())
            .app_data(limit)
            .default_service(post().to(receive))
    })
    .workers(1)
    .bind((host, port))?;
    for address in server.addrs() {
        println!("listening on http://{address}/");
    }
    Ok(server.run().await?)
}
