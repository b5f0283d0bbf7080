//! The debugging protocol of Chromium over a pipe: commands and their answers, and events to whom they concern.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::oneshot;

use crate::PATIENCE;
use crate::seen::Seen;

type Answer = Result<Value, String>;

/// A connection to one browser.
pub(crate) struct Wire {
    input: tokio::sync::Mutex<ChildStdin>,
    next: AtomicU64,
    inbox: Arc<Inbox>,
}

/// Who waits for what.
#[derive(Default)]
struct Inbox {
    answers: Mutex<HashMap<u64, oneshot::Sender<Answer>>>,
    pages: Mutex<HashMap<String, Arc<Seen>>>,
}

impl Wire {
    pub(crate) fn new(input: ChildStdin, output: ChildStdout) -> Arc<Self> {
        let inbox = Arc::new(Inbox::default());
        let wire = Arc::new(Self { input: tokio::sync::Mutex::new(input), next: AtomicU64::new(1), inbox });
        tokio::spawn(read(output, wire.inbox.clone(), Arc::downgrade(&wire)));
        wire
    }

    /// Events of this session go there from now on.
    pub(crate) fn attach(&self, session: &str, page: Arc<Seen>) {
        self.inbox.pages.lock().insert(session.to_owned(), page);
    }

    pub(crate) fn detach(&self, session: &str) {
        self.inbox.pages.lock().remove(session);
    }

    /// Sends a command, to the browser or to a page's session, and gives its result or its complaint.
    pub(crate) async fn ask(&self, session: Option<&str>, method: &str, params: Value) -> Answer {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut command = json!({ "id": id, "method": method, "params": params });
        if let (Some(session), Some(fields)) = (session, command.as_object_mut()) {
            fields.insert("sessionId".to_owned(), json!(session));
        }
        let (sender, answer) = oneshot::channel();
        self.inbox.answers.lock().insert(id, sender);
        let mut bytes = command.to_string().into_bytes();
        bytes.push(0);
        self.input.lock().await.write_all(&bytes).await.map_err(|error| format!("{method}: {error}"))?;
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(Ok(answer)) => answer.map_err(|error| format!("{method}: {error}")),
            Ok(Err(_)) => Err(format!("{method}: the browser is gone")),
            Err(_) => Err(format!("{method}: no answer")),
        }
    }
}

async fn read(output: ChildStdout, inbox: Arc<Inbox>, wire: std::sync::Weak<Wire>) {
    let mut output = BufReader::new(output);
    let mut bytes = Vec::new();
    while matches!(output.read_until(0, &mut bytes).await, Ok(length) if length > 0) {
        bytes.pop();
        let message: Value = serde_json::from_slice(&bytes).expect("Chromium speaks JSON");
        bytes.clear();
        if let Some(id) = message["id"].as_u64() {
            let waiting = inbox.answers.lock().remove(&id);
            let answer = match message.get("error") {
                Some(error) => Err(error.to_string()),
                None => Ok(message["result"].clone()),
            };
            // Whoever asked may have given up.
            let _ = waiting.map(|waiting| waiting.send(answer));
            continue;
        }
        let (Some(session), Some(method)) = (message["sessionId"].as_str(), message["method"].as_str())
        else {
            continue;
        };
        let page = inbox.pages.lock().get(session).cloned();
        if let Some(page) = page {
            page.note(method, &message["params"]);
        }
        // A page stands still until its dialog is answered.
        if let ("Page.javascriptDialogOpening", Some(wire)) = (method, wire.upgrade()) {
            let session = session.to_owned();
            tokio::spawn(async move {
                let answer = json!({ "accept": true });
                let _ = wire.ask(Some(&session), "Page.handleJavaScriptDialog", answer).await;
            });
        }
    }
    // Nobody waits for a browser that is gone.
    inbox.answers.lock().clear();
}
