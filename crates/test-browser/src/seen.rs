//! What a page did: its document, its requests, and what went wrong.

use std::collections::HashMap;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::Notify;

/// The answer to the request of a page itself, after redirects.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Its address.
    pub url: String,
    /// Its HTTP status.
    pub status: u16,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
}

impl Document {
    /// A header's value, by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// What a page took over the network since its own request, redirects included; sound and film, which are
/// fetched as far as they are heard, aside.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Traffic {
    /// Requests made.
    pub requests: usize,
    /// Bytes received, headers included, as compressed on the wire.
    pub bytes: u64,
    /// Requests to another host and port than the page's own.
    pub foreign: usize,
}

/// One page's notebook, written by the connection and read by the test.
#[derive(Default)]
pub(crate) struct Seen {
    notes: Mutex<Notes>,
    changed: Notify,
}

#[derive(Default)]
struct Notes {
    /// The main frame, and the load that it shows.
    frame: String,
    loader: String,
    /// The last load that was complete.
    loaded: String,
    /// The world of our own scripts in this document, once made.
    world: Option<u64>,
    document: Document,
    /// The bytes of each request, with its address.
    requests: HashMap<String, (String, u64)>,
    redirects: Vec<(String, u64)>,
    problems: Vec<String>,
}

impl Seen {
    pub(crate) fn of(frame: &str) -> Self {
        let seen = Self::default();
        frame.clone_into(&mut seen.notes.lock().frame);
        seen
    }

    pub(crate) fn note(&self, method: &str, params: &Value) {
        self.notes.lock().note(method, params);
        self.changed.notify_waiters();
    }

    pub(crate) fn frame(&self) -> String {
        self.notes.lock().frame.clone()
    }

    /// The load that the page shows now.
    pub(crate) fn loader(&self) -> String {
        self.notes.lock().loader.clone()
    }

    pub(crate) fn world(&self) -> Option<u64> {
        self.notes.lock().world
    }

    /// Remembers the world of our scripts, unless the page went on meanwhile.
    pub(crate) fn keep_world(&self, world: u64, loader: &str) {
        let mut notes = self.notes.lock();
        if notes.loader == loader {
            notes.world = Some(world);
        }
    }

    pub(crate) fn document(&self) -> Document {
        self.notes.lock().document.clone()
    }

    pub(crate) fn traffic(&self) -> Traffic {
        let notes = self.notes.lock();
        let home = origin(&notes.document.url);
        let all = || notes.requests.values().chain(&notes.redirects);
        Traffic {
            requests: all().count(),
            bytes: all().map(|(_, bytes)| bytes).sum(),
            foreign: all().filter(|(url, _)| !url.starts_with("data:") && origin(url) != home).count(),
        }
    }

    pub(crate) fn take_problems(&self) -> Vec<String> {
        std::mem::take(&mut self.notes.lock().problems)
    }

    /// Waits until a load other than `before` is complete; the caller sets the time limit.
    pub(crate) async fn loads_anew(&self, before: &str) {
        loop {
            let changed = self.changed.notified();
            {
                let notes = self.notes.lock();
                if notes.loader != before && notes.loaded == notes.loader {
                    return;
                }
            }
            changed.await;
        }
    }
}

impl Notes {
    fn note(&mut self, method: &str, params: &Value) {
        match method {
            "Page.frameNavigated" if params["frame"].get("parentId").is_none() => {
                self.loader = text(&params["frame"]["loaderId"]);
                self.frame = text(&params["frame"]["id"]);
                self.world = None;
            }
            "Page.lifecycleEvent" if params["frameId"] == self.frame && params["name"] == "load" => {
                self.loaded = text(&params["loaderId"]);
            }
            "Page.javascriptDialogOpening" if params["type"] != "beforeunload" => {
                self.problems.push(format!("a dialog opened: {}", params["message"]));
            }
            "Network.requestWillBeSent" => self.request(params),
            "Network.responseReceived" if self.is_own(params) => self.document(&params["response"]),
            "Network.dataReceived" => self.received(params, "encodedDataLength", false),
            "Network.loadingFinished" => self.received(params, "encodedDataLength", true),
            "Runtime.exceptionThrown" => {
                let details = &params["exceptionDetails"];
                self.problems.push(format!("{} {}", details["text"], details["exception"]["description"]));
            }
            "Runtime.consoleAPICalled" if params["type"] == "error" || params["type"] == "assert" => {
                self.problems.push(format!("console.{}: {}", text(&params["type"]), params["args"]));
            }
            "Log.entryAdded" => self.log(&params["entry"]),
            "Audits.issueAdded" => {
                let issue = &params["issue"];
                if issue["code"] == "ContentSecurityPolicyIssue" || issue["code"] == "QuirksModeIssue" {
                    self.problems.push(format!("{}: {}", text(&issue["code"]), issue["details"]));
                }
            }
            _ => {}
        }
    }

    /// Whether an event is of the page's own document.
    fn is_own(&self, params: &Value) -> bool {
        params["type"] == "Document" && params["frameId"] == self.frame
    }

    fn request(&mut self, params: &Value) {
        let id = text(&params["requestId"]);
        match params.get("redirectResponse") {
            Some(redirect) => {
                let bytes = length(&redirect["encodedDataLength"]);
                self.redirects.push((text(&redirect["url"]), bytes));
            }
            None if self.is_own(params) => {
                self.requests.clear();
                self.redirects.clear();
            }
            None => {}
        }
        if params["type"] != "Media" {
            self.requests.insert(id, (text(&params["request"]["url"]), 0));
        }
    }

    fn received(&mut self, params: &Value, field: &str, total: bool) {
        if let Some((_, bytes)) = self.requests.get_mut(&text(&params["requestId"])) {
            let more = length(&params[field]);
            // The total counts the headers too; a stream has none before its end.
            *bytes = if total { more } else { *bytes + more };
        }
    }

    fn document(&mut self, response: &Value) {
        let headers = response["headers"].as_object();
        let headers = headers.into_iter().flatten();
        self.document = Document {
            url: text(&response["url"]),
            status: response["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap_or(0),
            headers: headers.map(|(name, value)| (name.to_ascii_lowercase(), text(value))).collect(),
        };
    }

    fn log(&mut self, entry: &Value) {
        // That a page itself answers with an error is no fault of the page.
        let is_own_status = entry["source"] == "network" && text(&entry["url"]) == self.document.url;
        if entry["level"] == "error" && !is_own_status {
            let source = text(&entry["source"]);
            self.problems.push(format!("{source}: {} ({})", text(&entry["text"]), text(&entry["url"])));
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Chromium counts bytes in floating point.
fn length(value: &Value) -> u64 {
    value.as_u64().or_else(|| value.to_string().split('.').next()?.parse().ok()).unwrap_or(0)
}

fn origin(address: &str) -> Option<url::Origin> {
    url::Url::parse(address).ok().map(|url| url.origin())
}
